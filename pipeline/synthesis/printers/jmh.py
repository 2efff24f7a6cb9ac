"""The result table that JMH prints at the end of a run, in UTF-8.

Source: JMH 1.x, class TextResultFormat; a table printed in an article (2016).
"""

from ..contents.jmh import JmhRun


def print_jmh(run: JmhRun) -> bytes:
    """The table: the benchmark to the left, all else to the right of its column, two blanks between.

    >>> from ..contents.jmh import JmhResult
    >>> print(print_jmh(JmhRun((JmhResult("Orders.read", {"size": "10"}, 100, 0.8857, 0.0104),), 1652)).decode(), end="")
    # Run complete. Total time: 00:27:32
    <BLANKLINE>
    Benchmark    (size)  Mode  Cnt  Score   Error  Units
    Orders.read      10  avgt  100  0.886 ± 0.010  ms/op
    """
    names = list(dict.fromkeys(name for result in run.results for name in result.parameters))
    table = [["Benchmark", *(f"({name})" for name in names), "Mode", "Cnt", "Score", "Error", "Units"]]
    for result in run.results:
        given = [result.parameters.get(name, "N/A") for name in names]
        scores = [str(result.count), f"{result.score_ms:.3f}", f"{result.error_ms:.3f}"]
        table.append([result.benchmark, *given, "avgt", *scores, "ms/op"])
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    error = len(names) + 4
    hours, rest = divmod(run.total_s, 3600)
    lines = [f"# Run complete. Total time: {hours:02}:{rest // 60:02}:{rest % 60:02}", ""]
    for number, row in enumerate(table):
        line = row[0].ljust(widths[0])
        for column in range(1, len(row)):
            gap = (" ± " if number else "   ") if column == error else "  "
            line += gap + row[column].rjust(widths[column])
        lines.append(line)
    return ("\n".join(lines) + "\n").encode()
