"""Workload simulator log (IBM WebSphere Studio Workload Simulator). Grain: one row per run, from the summary at its end.

Layout: the messages IWL0038I, IWL0007I, IWL0059I and IWL0060I as printed in IBM REDP-5208 and in IBM's documentation of Linux on
Z tests; the label names a value, not the message number. The log names no date, so a study says which interval a run belongs
to. Data is printed in MB, read as 10^6 bytes: no source says which MB is meant. Not parsed: progress lines, other messages.
"""

from ..pipeline.declaration.places import Field, Place
from ..pipeline.declaration.report import Column, Report, Table, count, hours_minutes_seconds, per_second, seconds
from ..pipeline.declaration.rules import Ratio


def _value(line: str, pattern: str = r"= *([0-9.,]+)") -> Place:
    return Field(line, pattern, follows=True)


# fmt: off
RUNS = Table(
    "workload_simulator_run",
    role="simulator",
    grain="one row per run",
    rows=("RUN_TIME",),
    # The run time is printed in whole seconds.
    rules=tuple(
        Ratio(
            name=f"{what}_rate_of_the_run",
            found=f"{what}_per_s",
            of=(what,),
            per="run_time_s",
            within=0.01,
            within_share=0.02,
            severity="warn",
            source="IBM REDP-5208",
        )
        for what in ("page_elements", "transactions", "pages")
    ),
    columns=(
        Column("run_time_s", hours_minutes_seconds(), Field("RUN_TIME", r"= *(.*?) *$"), "Run time, ramps included."),
        Column("clients_completed", count(), _value("CLIENTS", r"= *([0-9,]+)"), "Clients that ended by themselves."),
        Column("clients_total", count(), _value("CLIENTS", r"/ *([0-9,]+)"), "Simulated clients."),
        Column("page_elements", count(), _value("PAGE_ELEMENTS"), "Page elements: HTTP requests answered."),
        Column("page_elements_per_s", per_second(), _value("PAGE_ELEMENT_RATE"), "Page element throughput.", decimals=3),
        Column("transactions", count(), _value("TRANSACTIONS"), "Transactions counted by the simulator's script."),
        Column("transactions_per_s", per_second(), _value("TRANSACTION_RATE"), "Transaction throughput.", decimals=3),
        Column("network_errors", count(), _value("NETWORK_ERRORS"), "Network I/O errors."),
        Column("server_errors", count(), _value("SERVER_ERRORS"), "Web server errors."),
        Column("pages", count(), _value("PAGES"), "Pages retrieved."),
        Column("pages_per_s", per_second(), _value("PAGE_RATE"), "Page throughput.", decimals=3),
        Column("http_read_bytes", count("bytes"), _value("DATA_READ", r"= *(.* M)B"), "HTTP data read; MB is 10^6."),
        Column("http_written_bytes", count("bytes"), _value("DATA_WRITTEN", r"= *(.* M)B"), "HTTP data written; MB is 10^6."),
        Column("page_element_response_s", seconds(), _value("RESPONSE_TIME"), "Average page element response time.", decimals=3),
        Column(
            "page_element_response_all_clients_s",
            seconds(),
            _value("RESPONSE_TIME_ALL_CLIENTS"),
            "The same while all clients were running, as printed; 0 if they never were.",
        ),
    ),
)
# fmt: on

REPORT = Report(
    "workload_simulator",
    summary="Workload simulator log (IWL messages): the summary of each run",
    doc=__doc__ or "",
    tables=(RUNS,),
    title=r"IWL[0-9]{4}[A-Z] +(?:Clients +completed|Page +elements?(?: +throughput)?|Transactions?(?: +throughput)?) *=",
    interval=(),
    unread={"messages and progress": ("MESSAGE", "PROGRESS")},
)
