"""The workload simulator's log of a run on paper: progress, and the summary at its end.

Source: messages as printed in IBM REDP-5208.
"""

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
