"""The result table that JMH prints at the end of a run, in UTF-8.

Source: JMH 1.x, class TextResultFormat; a table printed in an article (2016).
"""

from collections.abc import Sequence

from ..contents.common import Row


def print_jmh(results: Sequence[Row], total_s: int) -> bytes:
    """The table: the benchmark to the left, all else to the right of its column, two blanks between. Results by declared column.

    >>> result = {"benchmark": "Orders.read", "parameters": {"size": "10"}, "count": 100, "score": 0.8857, "error": 0.0104}
    >>> print(print_jmh([result], 1652).decode(), end="")
    # Run complete. Total time: 00:27:32
    <BLANKLINE>
    Benchmark    (size)  Mode  Cnt  Score   Error  Units
    Orders.read      10  avgt  100  0.886 ± 0.010  ms/op
    """
    names = list(dict.fromkeys(name for result in results for name in result["parameters"]))
    table = [["Benchmark", *(f"({name})" for name in names), "Mode", "Cnt", "Score", "Error", "Units"]]
    for one in results:
        given = [one["parameters"].get(name, "N/A") for name in names]
        scores = [str(one["count"]), f"{one['score']:.3f}", f"{one['error']:.3f}"]
        table.append([one["benchmark"], *given, "avgt", *scores, "ms/op"])
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    error = len(names) + 4
    lines = [f"# Run complete. Total time: {total_s // 3600:02}:{total_s // 60 % 60:02}:{total_s % 60:02}", ""]
    for number, row in enumerate(table):
        line = row[0].ljust(widths[0])
        for column in range(1, len(row)):
            gap = (" ± " if number else "   ") if column == error else "  "
            line += gap + row[column].rjust(widths[column])
        lines.append(line)
    return ("\n".join(lines) + "\n").encode()
