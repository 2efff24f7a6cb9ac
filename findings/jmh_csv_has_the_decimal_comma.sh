#!/bin/sh
# JMH 1.37: results as CSV (-rf csv) have the decimal comma of the machine that ran the benchmark; results as JSON do not.
#
# One would guess: CSV is for programs, as JSON is, and has a decimal point wherever it is written; only the table for people follows the language.
# What happens: on a German JVM a score is the text "0,130975", the title of its error is "Score Error (99,9%)", and NaN alone has no quotes. DuckDB reads
# a column of texts, and whoever takes the comma for one of thousands reads a number that is a million times as large.
#
# Matters for comparisons of runs from two machines: by the title of the error their files have different columns.
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

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.*;

@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class Run {
    @Benchmark
    public double logarithm() {
        return Math.log(System.nanoTime());
    }
}
JAVA
mkdir classes
javac -cp 'lib/*' -d classes Run.java
for country in en-US de-DE; do
    for format in csv json; do
        java "-Duser.language=${country%-*}" "-Duser.country=${country#*-}" -cp 'classes:lib/*' org.openjdk.jmh.Main \
            -f 0 -wi 0 -i 3 -r 100ms -rf "$format" -rff "$country.$format" > log.txt 2>&1
    done
done
cat en-US.csv de-DE.csv
venv/bin/python - <<'PY'
import json
import re

import duckdb

types = {c: dict(zip((r := duckdb.sql(f"FROM '{c}.csv'")).columns, map(str, r.types))) for c in ("en-US", "de-DE")}
print(types)
assert types["en-US"]["Score"] == types["en-US"]["Score Error (99.9%)"] == "DOUBLE"
assert types["de-DE"]["Score"] == types["de-DE"]["Score Error (99,9%)"] == "VARCHAR"
score = duckdb.sql("SELECT Score FROM 'de-DE.csv'").fetchall()[0][0]
assert re.fullmatch(r"\d+,\d{6}", score), score
assert all(isinstance(json.load(open(f"{c}.json"))[0]["primaryMetric"]["score"], float) for c in types)
PY
