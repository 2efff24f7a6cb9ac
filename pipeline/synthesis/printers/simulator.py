"""The workload simulator's log of a run on paper: progress, and the summary at its end.

Source: messages as printed in IBM REDP-5208.
"""

from ..contents.simulator import SimulatorRun


def print_run(run: SimulatorRun) -> bytes:
    """The log of one run. Rates divide by the run time, as the simulator's do."""
    seconds = run.run_time_s
    rates = {what: getattr(run, what) / seconds for what in ("page_elements", "transactions", "pages")}
    megabytes = run.read_bytes / 1e6, run.written_bytes / 1e6
    lines = [
        "IWL0001I Workload simulator engine started.",
        "IWL0012I Script: workload.jxs",
        f"IWL0015I Number of clients = {run.clients_total}",
        f"# clients {run.clients_total}/{run.clients_total} | rd {megabytes[0] / seconds:.4f} MB/s"
        f" | wr {megabytes[1] / seconds:.4f} MB/s | pg {run.pages} | web err 0"
        f" | resp avg = {run.response_s:.3f} | pg elem/s = {rates['page_elements']:.3f}",
        f"IWL0058I Time limit of {run.time_limit_s} seconds has been reached. Shutting down.",
        f"IWL0038I Run time = {seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}",
        f"IWL0007I Clients completed = 0/{run.clients_total}",
        f"IWL0059I Page elements = {run.page_elements}",
        f"IWL0060I Page element throughput = {rates['page_elements']:.3f} /s",
        f"IWL0059I Transactions = {run.transactions}",
        f"IWL0060I Transaction throughput = {rates['transactions']:.3f} /s",
        "IWL0059I Network I/O errors = 0",
        "IWL0059I Web server errors = 0",
        f"IWL0059I Num of pages retrieved = {run.pages}",
        f"IWL0060I Page throughput = {rates['pages']:.3f} /s",
        f"IWL0060I HTTP data read = {megabytes[0]:.3f} MB",
        f"IWL0060I HTTP data written = {megabytes[1]:.3f} MB",
        f"IWL0060I HTTP avg. page element response time = {run.response_s:.3f}",
    ]
    return ("\n".join(lines) + "\n").encode("ascii")
