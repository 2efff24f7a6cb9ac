"""The analysis parts of RMF CPU Activity: address spaces, the queue of in-ready work units, work units by type of processor, and blocked
workload. They tell whether two intervals had a like load.

Print: SYSTEM ADDRESS SPACE ANALYSIS with a line each for MIN, MAX and AVG, and BLOCKED WORKLOAD ANALYSIS are on published pages. From
field knowledge, no page seen: SYSTEM ADDRESS SPACE AND WORK UNIT ANALYSIS (since z/OS V1R12) with a line per queue, the distribution
beside it, and NUMBER OF WORK UNITS. XML: published documents of z/OS V2R4 and V2R5.
"""

from collections.abc import Iterable

from ..pipeline.declaration.layouts import Columns, SideBySide, TableLayout, XmlRows, XmlVariables
from ..pipeline.declaration.once import Once
from ..pipeline.declaration.places import Col, Constant, Field, Parsed, Under, Var
from ..pipeline.declaration.report import Column, Table, count, number, per_second, percent, text, time_percent
from ..pipeline.declaration.rules import AddsUp, AtMost
from . import _smf_cpu as smf
from ._rmf import ANY_HEADER, header_columns
from ._smf import in_records

_KEY = ("system", "report_kind", "interval_start", "interval_end")
_SCOPE = Parsed(ANY_HEADER, "system")
_SPACES = "NUMBER OF ADDRESS SPACES"
_QUEUES, _TYPES = "QUEUE TYPES", "ADDRESS SPACE TYPES"
_BUCKETS = "DISTRIBUTION OF IN-READY WORK UNIT QUEUE"
_N = "Avg Number of Processors Online and Unparked (N)"

# Column, title where a line has one statistic, its group, label where a line has one queue, name in XML, what it counts. A label that
# another begins with is behind it.
_COUNTS = (
    ("in_ready", "IN READY", _QUEUES, "IN READY", "IN READY Queue", "in storage and ready"),
    ("in", "IN", _QUEUES, "IN", "IN Queue", "in storage"),
    ("out_ready", "OUT READY", _QUEUES, "OUT READY", "OUT READY Queue", "out of storage and ready"),
    ("out_wait", "OUT WAIT", _QUEUES, "OUT WAIT", "OUT WAIT Queue", "out of storage and waiting"),
    ("logical_out_ready", "LOGICAL OUT RDY", _QUEUES, "LOGICAL OUT RDY", "LOGICAL OUT READY Queue", "logically out and ready"),
    ("logical_out_wait", "LOGICAL OUT WAIT", _QUEUES, "LOGICAL OUT WAIT", "LOGICAL OUT WAIT Queue", "logically out and waiting"),
    ("batch", "BATCH", _TYPES, "BATCH", "BATCH Address Spaces", "of batch jobs"),
    ("stc", "STC", _TYPES, "STC", "STC Address Spaces", "of started tasks"),
    ("tso", "TSO", _TYPES, "TSO", "TSO Address Spaces", "of TSO users"),
    ("asch", "ASCH", _TYPES, "ASCH", "ASCH Address Spaces", "of APPC transactions"),
    ("omvs", "OMVS", _TYPES, "OMVS", "OMVS Address Spaces", "of z/OS UNIX"),
)  # fmt: skip
# Statistics, in the order of the cells of a row of XML, and their words.
_STATISTICS = (("min", "Least"), ("max", "Greatest"), ("avg", "Average"))


_RMF = "RMF Report Analysis, CPU Activity, System Address Space and Work Unit Analysis"


def _in_order(names: Iterable[str]) -> tuple[AtMost, ...]:
    """The average is between the least and the greatest number. Warnings: a published page has a least number above the greatest."""
    return tuple(
        AtMost(
            name=f"{name}_{low}_is_at_most_{high}",
            parts=(f"{name}_{low}",),
            most=(f"{name}_{high}",),
            digit=0.1,
            digits="rounded",
            severity="warn",
            source=_RMF,
        )
        for name in names
        for low, high in (("min", "avg"), ("avg", "max"))
    )


def _count(queue: tuple[str, ...], statistic: int) -> Column:
    column, title, group, label, name, what = queue
    end, word = _STATISTICS[statistic]
    at = (
        Under(title, group, label=end.upper(), whole=True),
        Under(end.upper(), _SPACES, label=label),
        Var("System Address Space Analysis", name, cell=statistic, of=len(_STATISTICS)),
    )
    return Column(f"{column}_{end}", number(), at, f"{word} number of address spaces {what}.")


ADDRESS_SPACES = Table(
    "rmf_address_space_count",
    grain="one row per interval and system: how many address spaces there were, by queue and type",
    rows=("ADDRESS_MIN_ROW", "QUEUE_IN_ROW", "XML_SPACES_HEAD"),
    key=_KEY,
    rules=_in_order(name for name, *_ in _COUNTS),
    columns=in_records(
        smf.ADDRESS_SPACES,
        (
            *header_columns(scope=_SCOPE, xml_rows=("XML_SPACES_HEAD",), in_smf=True),
            Column(
                "samples",
                count(),
                Field("SAMPLES_LINE", r"SAMPLES *= *(\S+)"),
                "Samples of the interval; NULL where the title does not say it.",
            ),
            *(_count(queue, statistic) for queue in _COUNTS for statistic in range(len(_STATISTICS))),
        ),
    ),
    once=Once("in_ready_avg in_ready_max in_avg batch_avg stc_avg tso_avg omvs_avg", or_null=True),
)

# Print has blanks in front of the numbers, XML none.
_RELATION = r"^(<=|=|>) *N(?: *\+ *\d+)?$"
_ABOVE_N = r"^(?:<=|=|>) *N *\+ *(\d+)$"
_QUEUE_ROWS = ("QUEUE_IN_ROW", "QUEUE_ROW", "BUCKET_ROW", "XML_QUEUE_ROW")


def _of_bucket(pattern: str) -> tuple[Under, Col]:
    return Under("NUMBER OF WORK UNITS", _BUCKETS, pattern), Col("Number of Work Units", pattern)


QUEUE = Table(
    "rmf_work_unit_queue",
    grain="one row per interval, system and bucket of the distribution of in-ready work units",
    rows=_QUEUE_ROWS,
    key=(*_KEY, "relation", "above_n"),
    covers=False,
    # Lines of a queue alone stand beside those of buckets.
    hollow=("relation", "samples_pct"),
    rules=(AddsUp(name="buckets_add_up", of="samples_pct", to=100, over=_KEY, digit=0.1, digits="rounded", source=_RMF),),
    columns=in_records(smf.QUEUE, (
        *header_columns(scope=_SCOPE, xml_rows=("XML_QUEUE_ROW",), in_smf=True),
        Column(
            "relation",
            text(),
            _of_bucket(_RELATION),
            "The bucket holds samples with N + above_n work units (=), with up to so many (<=) or with more (>). N: processors "
            "online and not parked. A bucket begins behind the one above it.",
            nullable=False,
            allowed=("<=", "=", ">"),
        ),
        Column("above_n", count(), (*_of_bucket(_ABOVE_N), Constant(0, _QUEUE_ROWS)), "Work units above N."),
        Column("samples_pct", percent(), (Under("(%)", _BUCKETS), Col("% of Samples")), "Share of the samples in the bucket."),
    )),
    once=Once("samples_pct", or_null=True),
)  # fmt: skip

# Other words are rejected.
_TYPES = r"^(CP|IIP|AAP)$"
WORK_UNITS = Table(
    "rmf_work_unit",
    grain="one row per interval, system and type of processor: work units running or ready to run",
    rows=("WORK_UNIT_ROW", "XML_WORK_UNIT_ROW"),
    key=(*_KEY, "processor_type"),
    rules=_in_order(("work_units",)),
    covers=False,
    columns=in_records(smf.WORK_UNITS, (
        *header_columns(scope=_SCOPE, xml_rows=("XML_WORK_UNIT_ROW",), in_smf=True),
        Column(
            "processor_type",
            text(),
            (Under("CPU TYPES", pattern=_TYPES), Col("CPU Type", _TYPES)),
            "CP, IIP (zIIP) or AAP (zAAP).",
            nullable=False,
        ),
        *(
            Column(
                f"work_units_{end}",
                number(),
                (Under(end.upper()), Col(f"Number of Work Units: {end.upper()}")),
                f"{word} number of work units running or ready to run.",
                suffixed=True,
            )
            for end, word in _STATISTICS
        ),
        Column(
            "processors_unparked_avg",
            number(),
            (
                Field("WORK_UNIT_N_HEAD", r"N = NUMBER OF PROCESSORS ONLINE UNPARKED \( *(\S+) ON AVG\)"),
                Var("Distribution of In-ready Work Unit Queue", _N),
            ),
            "N: processors online and not parked, on average.",
        ),
    )),
    once=Once("work_units_avg", known="processors_unparked_avg", or_null=True),
)  # fmt: skip


def _blocked(name: str, pattern: str, line: str = "BLOCKED_ROW") -> tuple[Field, Var]:
    return Field(line, pattern, follows=line != "BLOCKED_ROW"), Var("Blocked Workload Analysis", name)


def _behind(label: str, next_label: str = "") -> str:
    """All that is printed between a label and the next one: what is no number is a reject."""
    return rf"{label} *(?:{next_label}|(\S.*?) +{next_label})" if next_label else rf"{label} *(\S.*?) *$"


BLOCKED = Table(
    "rmf_blocked_workload",
    grain="one row per interval and system: what was done for blocked work",
    rows=("BLOCKED_ROW", "XML_BLOCKED_TITLE"),
    key=_KEY,
    covers=False,
    columns=in_records(
        smf.BLOCKED,
        (
            *header_columns(scope=_SCOPE, xml_rows=("XML_BLOCKED_TITLE",), in_smf=True),
            Column(
                "promote_limit_pct",
                percent(),
                _blocked("OPT Parameter: BLWLTRPCT (%)", _behind(r"BLWLTRPCT \(%\)", "PROMOTE RATE:")),
                "BLWLTRPCT: share of the capacity that blocked work may be promoted with.",
            ),
            Column(
                "promote_after_s",
                number("s"),
                _blocked("OPT Parameter: BLWLINTHD", _behind("BLWLINTHD", r"USED \(%\)"), "BLOCKED_MORE_ROW"),
                "BLWLINTHD: work that got no processor for so long is blocked.",
            ),
            Column(
                "promotes_defined_per_s",
                per_second(),
                _blocked("Promote Rate Defined", _behind("DEFINED", "WAITERS FOR PROMOTE:")),
                "Promotions that the limit allows.",
            ),
            Column(
                "promotes_used_pct",
                time_percent(),
                _blocked("Promote Rate Used(%)", _behind(r"USED \(%\)", "PEAK"), "BLOCKED_MORE_ROW"),
                "Of these, used on average.",
            ),
            Column(
                "waiters_avg",
                number(),
                _blocked("Avg Waiters for Promote", _behind("AVG")),
                "Address spaces and enclaves that waited for a promotion, on average.",
                decimals=3,
            ),
            Column(
                "waiters_peak",
                number(),
                _blocked("Peak Waiters for Promote", _behind("PEAK"), "BLOCKED_MORE_ROW"),
                "The same, at its peak.",
            ),
        ),
    ),
    once=Once("waiters_avg waiters_peak promotes_used_pct", or_null=True),
)

_QUEUE_ART = """\
---------NUMBER OF ADDRESS SPACES---------      ---------------------DISTRIBUTION OF IN-READY WORK UNIT QUEUE-----------------------

QUEUE TYPES         MIN     MAX     AVG          NUMBER OF              0    10   20   30   40   50   60   70   80   90   100
                                                 WORK UNITS     (%)     |....|....|....|....|....|....|....|....|....|....|

xxxxxxxxxxxxxxxx dddddd  dddddd fffff.f
xxxxxxxxxxxxxxxx dddddd  dddddd fffff.f          sssssssssss   fff.f
                                                 sssssssssss   fff.f"""
_WORK_UNIT_ART = """\
CPU TYPES           MIN     MAX     AVG

sss              dddddd  dddddd fffff.f"""

TABLES = (ADDRESS_SPACES, QUEUE, WORK_UNITS, BLOCKED)
LAYOUTS: tuple[TableLayout, ...] = (
    Columns(
        ("ADDRESS_HEAD",),
        ("ADDRESS_MIN_ROW", "ADDRESS_ROW"),
        depth=3,
        together=("OUT RDY",),
        aligned=True,
        sides=SideBySide((("IN READY", _QUEUES),)),
    ),
    Columns(
        ("QUEUE_HEAD",),
        ("QUEUE_IN_ROW", "QUEUE_ROW", "BUCKET_ROW"),
        depth=3,
        ignored=(r"^QUEUE TYPES$", r"[!|]\.\.\.\."),
        digits=True,
        together=("WORK UNITS",),
        sides=SideBySide((("MIN", _SPACES),), (r"ADDRESS SPACE TYPES", r">{2,} *$")),
        art=(_QUEUE_ART,),
    ),
    Columns(("WORK_UNIT_HEAD", "WORK_UNIT_N_HEAD"), ("WORK_UNIT_ROW",), open=True, art=(_WORK_UNIT_ART,)),
    XmlVariables(("XML_SPACES_TITLE",), ("XML_SPACES_ROW",)),
    XmlRows(("XML_QUEUE_HEAD",), ("XML_QUEUE_ROW",)),
    XmlRows(("XML_WORK_UNIT_HEAD",), ("XML_WORK_UNIT_ROW",)),
)
