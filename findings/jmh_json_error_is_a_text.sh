#!/bin/sh
# JMH 1.37 and DuckDB 2.0.0: the error of a benchmark that was measured twice is the text "NaN" in the JSON, and no column of errors is a number then.
#
# One would guess: an error that cannot be told is null, or missing, in JSON; and DuckDB has one column of DOUBLE for the errors of a file.
# What happens: JMH writes the text "NaN" beside the numbers of other benchmarks. DuckDB makes the column JSON: its values are texts with quotes, sum() is
# refused, and the same query over a file without such a benchmark answers.
#
# Matters for dashboards of benchmarks: one with few iterations, added to a suite, ends the queries on all.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/python" -m pip install --quiet --disable-pip-version-check duckdb==2.0.0
cd "$folder"
for artifact in org.openjdk.jmh:jmh-core:1.37 org.openjdk.jmh:jmh-generator-annprocess:1.37 net.sf.jopt-simple:jopt-simple:5.0.4 org.apache.commons:commons-math3:3.6.1; do
    mvn --quiet --batch-mode -Dstyle.color=never dependency:copy "-Dartifact=$artifact" -DoutputDirectory=lib
done
cat > Run.java <<'JAVA'
package finding;

import org.openjdk.jmh.annotations.*;

@BenchmarkMode(Mode.AverageTime)
public class Run {
    @Benchmark
    @Measurement(iterations = 2, time = 1)
    public double twice() {
        return Math.log(System.nanoTime());
    }

    @Benchmark
    @Measurement(iterations = 4, time = 1)
    public double often() {
        return Math.log(System.nanoTime());
    }
}
JAVA
mkdir classes
javac -cp 'lib/*' -d classes Run.java
java -cp 'classes:lib/*' org.openjdk.jmh.Main -f 0 -wi 0 -rf json -rff all.json > log.txt 2>&1
java -cp 'classes:lib/*' org.openjdk.jmh.Main -f 0 -wi 0 -rf json -rff often.json often > log.txt 2>&1
grep scoreError all.json
venv/bin/python - <<'PY'
import duckdb

query = "SELECT sum(primaryMetric.scoreError) FROM '{}.json'"
types = {name: str(duckdb.sql(f"SELECT primaryMetric.scoreError FROM '{name}.json'").types[0]) for name in ("often", "all")}
print(types, duckdb.sql(query.format("often")).fetchall())
assert types == {"often": "DOUBLE", "all": "JSON"}
try:
    duckdb.sql(query.format("all")).fetchall()
except duckdb.BinderException as error:
    print(str(error).splitlines()[0])
    assert "sum(JSON)" in str(error)
else:
    raise SystemExit("it is added up")
values = {value for (value,) in duckdb.sql("SELECT primaryMetric.scoreError::VARCHAR FROM 'all.json'").fetchall()}
assert '"NaN"' in values and len(values) == 2, values
PY
