"""A folder of a user's own: the worked example of the documentation, and what is wrong with others."""

import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NAME = "rmf_spool_usage"
LARK, PARSER = f"grammars/{NAME}.lark", f"parsers/{NAME}.py"
PAGE = f"sample_reports/{NAME}/draining_volume.txt"
Ran = Callable[..., tuple[int, str]]


@pytest.fixture
def ironlake(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Ran:
    """The command line in a process of its own, which is what reads the folder `ours`; exit code and all that it prints."""
    monkeypatch.syspath_prepend(str(ROOT / "docs"))
    import examples

    examples.write(examples.files((ROOT / "docs" / "adding_a_report.md").read_text()), tmp_path)

    def run(*words: str) -> tuple[int, str]:
        command = [str(Path(sys.executable).with_name("ironlake")), *words]
        ended = subprocess.run(
            command, cwd=tmp_path, env=os.environ | {"IRONLAKE_LAKE": "lake"}, capture_output=True, text=True
        )
        return ended.returncode, ended.stdout + ended.stderr

    return run


@pytest.mark.slow
@pytest.mark.parametrize(
    ("file", "old", "new", "said"),
    [
        (PARSER, '"rmf_spool_volume"', '"rmf_device"', rf"{PARSER}:10: rmf_device is a table of rmf_device_activity already"),
        (PARSER, '"rmf_spool_volume"', '"parse_reject"', rf"{PARSER}:10: Ironlake itself has a table parse_reject"),
        (PARSER, "count()", "cuont()", rf"{PARSER}:17: NameError: name 'cuont' is not defined"),
        (PARSER, "key=(", "key=((", rf"{PARSER}:\d+: SyntaxError: "),
        (PARSER, "REPORT = ", "OTHER = ", rf"{PARSER}:1: AttributeError: .* 'REPORT'"),
        (PARSER, "GROUPS", "GROPUS", rf"{PARSER}:17: TRACK GROPUS, of rmf_spool_volume.track_groups, is on no sample"),
        (PARSER, '"VOLUME_ROW"', '"VOLUME_LINE"', rf"{PARSER}:12: no line of the grammar is called VOLUME_LINE"),
        (LARK, "VOLUME_ROW.5:", "VOLUME_LINE.5:", rf"{LARK}:9: .*VOLUME_ROW"),
        (LARK, "start:", "start: (", rf"{LARK}:6: "),
        (LARK, "", None, rf"report {NAME} has no grammar"),
        (PAGE, "", None, rf"{PARSER}:1: the report has no sample page"),
        (PAGE, "8100", "8101", rf"{NAME}/draining_volume.expected.jsonl:1: other rows .*\n.*\n.*8100.*\n.*8101"),
        (PAGE, "8100", "****", rf"{PAGE}: 1 rejects; line 10: track_groups_used: the value did not fit its field"),
        ("views/spool_hour.sql", "avg(track_groups_used)", "avg(gropus)", r'views/spool_hour.sql:5: .*"gropus" not found'),
        ("views/spool_hour.sql", "  groups_used: mean", "  other: mean", "views/spool_hour.sql:1: nothing says what groups_used means"),
        ("queries/fullest.sql", "FROM spool_hour", "FROM spool_huor", r"queries/fullest.sql:2: .*spool_huor"),
        ("limits.toml", "cf_changed_pct", "cf_chnaged_pct", r"limits.toml:1: cf_chnaged_pct = 15 sets no limit; expected NAME = NUMBER"),
        ("limits.toml", "lock = 3", "lock = true", r"limits.toml:2: cf_delayed_pct = .* sets no limit; expected .*, lock, list, cache, "),
        ("limits.toml", "= 15", "15", r"limits.toml: .*line 1"),
    ],
)  # fmt: skip
def test_what_is_wrong_has_its_place(ironlake: Ran, tmp_path: Path, file: str, old: str, new: str | None, said: str):
    path = tmp_path / "ours" / file
    path.unlink() if new is None else path.write_text(path.read_text().replace(old, new))
    code, printed = ironlake("test", "ours")
    assert code in (1, 2)
    assert re.search(said, printed), printed
    assert "Traceback" not in printed


def test_rows_and_answers_are_of_the_folder_as_it_is(ironlake: Ran, tmp_path: Path):
    """Whatever changes how a page is read, its files are read again; whatever changes an answer, no kept one is given."""
    ours, page, ask = (
        "--plugins=ours",
        f"ours/{PAGE}",
        ("sql", "SELECT volume, track_groups FROM rmf_spool_volume ORDER BY ALL", "--format", "csv"),
    )
    assert "ingested (1 page, 2 rows" in ironlake(ours, "ingest", page)[1]
    assert ironlake(ours, *ask) == (0, "volume,track_groups\nSPOOL1,12500\nSPOOL2,5000\n")
    code, said = ironlake(*ask)
    assert code == 1
    assert "'rmf_spool_volume'" in said
    assert "--plugins DIR" in said
    parser = tmp_path / "ours" / PARSER
    swapped = parser.read_text().replace('"track_groups"', '"x"').replace('"track_groups_used"', '"track_groups"')
    parser.write_text(swapped.replace('"x"', '"track_groups_used"'))
    assert "with other plugins" in ironlake(ours, "status")[1] + ironlake(*ask, ours)[1]
    assert "ingested (1 page, 2 rows" in ironlake(ours, "ingest", page)[1]
    assert ironlake(ours, *ask) == (0, "volume,track_groups\nSPOOL1,8100\nSPOOL2,\n")
    # A view, and a limit.
    assert (
        ironlake(ours, "sql", "--saved", "fullest", "--format", "csv")[1].splitlines()[1]
        == "SPOOL1,2025-11-03T09:00:00,12500.0"
    )
    view = tmp_path / "ours" / "views" / "spool_hour.sql"
    view.write_text(view.read_text().replace("avg(track_groups_used)", "2 * avg(track_groups_used)"))
    assert (
        ironlake(ours, "sql", "--saved", "fullest", "--format", "csv")[1].splitlines()[1]
        == "SPOOL1,2025-11-03T09:00:00,25000.0"
    )
    limits = (
        "sql",
        "SELECT limit_value, lock_limit_value FROM finding_rule WHERE rule LIKE 'cf_%ed_pct' ORDER BY rule",
        "--format",
        "csv",
    )
    assert ironlake(ours, *limits)[1].splitlines()[1:] == ["15.0,5.0", "5.0,3.0"]
    (tmp_path / "ours" / "limits.toml").unlink()
    assert ironlake(ours, *limits)[1].splitlines()[1:] == ["10.0,5.0", "10.0,5.0"]


def test_nothing_but_the_user_names_the_folder(ironlake: Ran, tmp_path: Path):
    """A folder among the reports, in the lake or in the working directory is no code."""
    ironlake("ingest", f"ours/{PAGE}")
    for place in ("lake", "."):
        for name in ("parsers", "grammars"):
            (tmp_path / place / name).mkdir()
            (tmp_path / place / name / f"{NAME}.py").write_text("open('run', 'w')")
    assert ironlake("sql", "SELECT banner FROM unknown_report", "--format", "csv") == (0, "banner\nSPOOL USAGE\n")
    assert "'rmf_spool_volume'" not in ironlake("describe")[1]
    assert not (tmp_path / "run").exists()
    code, said = ironlake("--plugins", "nowhere", "describe")
    assert (code, "the folder of plugins nowhere is not there" in said) == (2, True)
    code, said = ironlake("test", "lake/_ledger")
    assert (code, "there is nothing to test in lake/_ledger; expected a folder with parsers, " in said) == (2, True)
