"""What is printed of runs: the workload simulator's log (messages as in IBM REDP-5208), CICS monitoring figures as the CSV file that a study
names, and the result table of JMH (1.x, class TextResultFormat; a table printed in an article, 2016).
"""

import csv
import io
from collections.abc import Sequence

from ..contents.common import Row


def print_run(run: Row, time_limit_s: int) -> bytes:
    """The log of one run, by declared column. Rates divide by the run time, as the simulator's do; a MB is 10**6 bytes."""
    seconds, clients, response_s = run["run_time_s"], run["clients_total"], run["page_element_response_s"]
    elements = run["page_elements"]
    rate = elements / seconds
    read, written = run["http_read_bytes"] / 1e6, run["http_written_bytes"] / 1e6
    lines = [
        "IWL0001I Workload simulator engine started.",
        "IWL0012I Script: workload.jxs",
        f"IWL0015I Number of clients = {clients}",
        f"# clients {clients}/{clients} | rd {read / seconds:.4f} MB/s"
        f" | wr {written / seconds:.4f} MB/s | pg {elements} | web err 0"
        f" | resp avg = {response_s:.3f} | pg elem/s = {rate:.3f}",
        f"IWL0058I Time limit of {time_limit_s} seconds has been reached. Shutting down.",
        f"IWL0038I Run time = {seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}",
        f"IWL0007I Clients completed = 0/{clients}",
        f"IWL0059I Page elements = {elements}",
        f"IWL0060I Page element throughput = {rate:.3f} /s",
        f"IWL0059I Transactions = {elements}",
        f"IWL0060I Transaction throughput = {rate:.3f} /s",
        "IWL0059I Network I/O errors = 0",
        "IWL0059I Web server errors = 0",
        f"IWL0059I Num of pages retrieved = {elements}",
        f"IWL0060I Page throughput = {rate:.3f} /s",
        f"IWL0060I HTTP data read = {read:.3f} MB",
        f"IWL0060I HTTP data written = {written:.3f} MB",
        f"IWL0060I HTTP avg. page element response time = {response_s:.3f}",
    ]
    return ("\n".join(lines) + "\n").encode("ascii")


_TIMES = ("response_ms", "dispatch_ms", "suspend_ms", "cpu_ms")


def print_monitoring(figures: Sequence[Row]) -> bytes:
    """A line a transaction, times in milliseconds: response = dispatch (with processor time, and waiting for a processor) + suspend."""
    lines = io.StringIO()
    table = csv.DictWriter(lines, ["transaction", "tasks", "span_s", *_TIMES], lineterminator="\n")
    table.writeheader()
    for one in figures:
        table.writerow(one | {"span_s": f"{one['span_s']:.3f}"} | {name: f"{one[name]:.4f}" for name in _TIMES})
    return lines.getvalue().encode()


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
