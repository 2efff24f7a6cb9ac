# Two commands are all a newcomer needs: `make demo` and `make test`; both set everything up first.
PYTHON ?= python3
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed
# Of what Ironlake itself needs, without the tools of its tests.
DEFAULT_STAMP := $(VENV)/.installed-default
# With Spark, of which the tests marked spark need Java as well.
SPARK_STAMP := $(VENV)/.installed-spark
# With the type checker and the fuzzer.
TOOLS_STAMP := $(VENV)/.installed-tools
# The documentation as a site: its pages, the site, and the generator in an environment of its own (0.13 GB).
SITE := build/site
SITE_STAMP := $(SITE)/venv/.installed
# What the compiled part of reading is made of; setting up puts it beside the modules that import it.
COMPILED := $(wildcard pipeline/reading/rust/*.* pipeline/reading/rust/src/*)
PIP := $(BIN)/python -m pip install --quiet --disable-pip-version-check

# What is imported is compiled once and kept: every command would compile the large libraries anew.
unexport PYTHONDONTWRITEBYTECODE

SOAK_MINUTES ?= 60

.PHONY: demo test smoke test-slow test-spark soak lint format types bench docs site wheel release hooks lock clean

demo: $(DEFAULT_STAMP)
	$(BIN)/ironlake demo --out demo

test: $(STAMP)
	$(BIN)/python -m pytest -n auto --dist worksteal $(OPTIONS)

# A look at every room, and the tests that name what differs from the last commit.
smoke: $(STAMP)
	$(BIN)/python -m pytest -n auto --dist worksteal $$($(BIN)/python tests/support/near_tests.py)

# The tests marked slow, and more examples of properties; .ci/run runs them too, with as many examples as `make test`.
test-slow: $(STAMP)
	$(BIN)/python -m pytest -m "(slow or hypothesis) and not soak" --hypothesis-profile=full -n auto --dist worksteal

# The tests marked spark: not at once with others, and in one process, so that one Spark serves all.
test-spark: $(SPARK_STAMP)
	$(BIN)/python -m pytest -m spark tests/spark

# The tests marked slow or soak and many more examples of properties once; then faults and hostile input, in turns until the time is over; prints counts.
soak: $(TOOLS_STAMP)
	$(BIN)/python -m pytest -m "slow or soak or hypothesis" --hypothesis-profile=long -n auto --dist worksteal
	$(BIN)/python tests/support/soak.py $(SOAK_MINUTES)

# PySpark too: the type checker looks into it.
lint: $(SPARK_STAMP) $(TOOLS_STAMP) types
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/basedpyright

format: $(STAMP)
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

bench: $(STAMP)
	$(BIN)/python -m benchmarks.run $(OPTIONS)

docs: $(STAMP)
	$(BIN)/python docs/generate.py

# Writes build/site/site/index.html: all hand-written and generated pages with search. Pages keep their folders, so that their links hold.
site: $(SITE_STAMP)
	rm -rf $(SITE)/pages $(SITE)/site
	mkdir -p $(SITE)/pages
	git ls-files -z '*.md' LICENSE findings docs/pictures 'docs/*.json' 'docs/*.ipynb' ':!:.github' | xargs -0 tar -c | tar -x -C $(SITE)/pages
	cp docs/site.toml $(SITE)/zensical.toml
	$(SITE)/venv/bin/zensical build --strict -f $(SITE)/zensical.toml

# Builds dist/ironlake-*.whl of the last commit and runs it in an environment of its own.
wheel: $(STAMP)
	.ci/wheel

# Sets the version, dates the changes, checks the wheel, commits and tags: `make release VERSION=1.2.0`.
release: $(STAMP)
	.ci/release "$(VERSION)"

hooks:
	git config core.hooksPath .githooks

# pip itself first: the one that comes with Python 3.11 takes twice as long for the rest. This package last and alone: pip refuses an
# editable install under --require-hashes, and build isolation would fetch an unpinned setuptools, which warns of folders of data.
# Not compiled: most of the large libraries is never imported, and what is compiles itself then; that halves the set-up.
define install
	@$(PYTHON) pipeline/reading/rust/build.py --look
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	sed -n '/^pip==/,/#/p' requirements.lock | $(PIP) --no-compile --require-hashes -r /dev/stdin
	$(PIP) --no-compile --require-hashes -r $(1)
	sed -n '/^setuptools==/,/#/p' requirements.lock | $(PIP) --no-compile --require-hashes -r /dev/stdin
	PYTHONWARNINGS=ignore $(PIP) --no-compile --no-deps --no-build-isolation --no-index -e .
endef

$(STAMP): requirements.lock pyproject.toml $(COMPILED)
	$(call install,requirements.lock)
	touch $(DEFAULT_STAMP) $@

# setuptools has done its work then; the tests need it, and have it in their lock.
$(DEFAULT_STAMP): requirements-default.lock requirements.lock pyproject.toml $(COMPILED)
	$(call install,requirements-default.lock)
	$(BIN)/python -m pip uninstall --quiet --disable-pip-version-check --yes setuptools
	touch $@

# There is no wheel of PySpark: it is built by the locked setuptools.
$(SPARK_STAMP): requirements-spark.lock $(STAMP)
	$(PIP) --no-compile --no-build-isolation --require-hashes -r requirements-spark.lock
	touch $@

$(TOOLS_STAMP): requirements-tools.lock $(STAMP)
	$(PIP) --no-compile --require-hashes -r requirements-tools.lock
	touch $@

$(SITE_STAMP): requirements-site.lock
	rm -rf $(SITE)/venv
	$(PYTHON) -m venv $(SITE)/venv
	$(SITE)/venv/bin/python -m pip install --quiet --disable-pip-version-check --no-compile --require-hashes -r requirements-site.lock
	touch $@

# The type checker cannot follow setuptools' package-dir mapping; links spell it out.
types:
	mkdir -p build/types/ironlake
	for folder in grammars parsers pipeline models dashboards sample_reports; do ln -sfn ../../../$$folder build/types/ironlake/$$folder; done
	for file in api/*.py api/py.typed; do ln -sfn ../../../$$file build/types/ironlake/; done

lock:
	uv pip compile --universal --generate-hashes --no-emit-index-url --no-header --extra dev pyproject.toml -o requirements.lock
	uv pip compile --universal --generate-hashes --no-emit-index-url --no-header -c requirements.lock pyproject.toml -o requirements-default.lock
	sed -n 's/^spark = \["\(.*\)"\]$$/\1/p' pyproject.toml | uv pip compile --universal --generate-hashes --no-emit-index-url --no-header -c requirements.lock - -o requirements-spark.lock
	uv pip compile --universal --generate-hashes --no-emit-index-url --no-header -c requirements.lock --group tools -o requirements-tools.lock
	echo zensical | uv pip compile --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-header -c requirements.lock - -o requirements-site.lock

clean:
	rm -rf $(VENV) build dist demo pipeline/reading/compiled.abi3.so .pytest_cache .ruff_cache .hypothesis
