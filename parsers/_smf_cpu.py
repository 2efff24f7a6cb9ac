"""SMF 70.1: processors, partitions, capacity groups, multithreading, address spaces and work units, as RMF derives them.

Sources: the names and forms of fields are SMF2JSON's; meaning and units of fields are IBM's, z/OS MVS SMF, record type 70 subtype 1; the
derivations are those of RMF Report Analysis (CPU Activity, Partition Data, Group Capacity). Sums are made before quotients.
Worked: a processor that was dispatched 630 s of 900 s is 70 % busy; 1,570 s of effective time on general processors in 900 s, at 400/16 µs per
service unit, are 1570 × 3600 × 16 / (400 × 900) = 251.2 MSU.

A partition owns the sections from its first on (smf70bds, counted from 0; smf70bdn many); their type is smf70cis by number, counted from 1.
The system's own partition has the number of the product section. Its processors are those of z/OS with the same address; where addresses do
not match one to one, the order counts if both are as many, and with other numbers nothing is joined.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..pipeline.declaration.records import Fields, Record, RecordForm, RecordRows, is_on, kinds, total
from ._smf import fields, header

_DEDICATED = 0xFFFF
_PHYSICAL = "PHYSICAL"
_TYPES = {0.0: "CP", 1.0: "AAP", 2.0: "IIP"}
_TYPE_NAMES = {"CP": "CP", "IIP": "IIP", "SUP": "IIP", "AAP": "AAP", "IFA": "AAP", "IFL": "IFL", "ICF": "ICF"}
_POLARIZATION = {"01": "LOW", "10": "MED", "11": "HIGH"}
_SPACES = {
    "in": "i",
    "in_ready": "r",
    "out_ready": "o",
    "out_wait": "w",
    "logical_out_ready": "l",
    "logical_out_wait": "a",
    "batch": "b",
    "stc": "s",
    "tso": "t",
    "asch": "p",
    "omvs": "x",
}
_WORK = {"CP": "c", "AAP": "d", "IIP": "e"}
# Bucket → how it is printed: the relation to N + that many.
_BUCKETS = (
    ("<=", 0),
    *(("=", n) for n in (1, 2, 3)),
    *(("<=", n) for n in (5, 10, 15, 20, 30, 40, 60, 80, 100, 120, 150)),
    (">", 150),
)

FORM = RecordForm(
    "70.1",
    single=("header", "smf70pro", "smf70ctl", "smf70aid"),
    several=("smf70cpu", "smf70bct", "smf70bpd", "smf70cis", "smf70lcs"),
    fields={
        **fields(
            "smf70",
            number="dsa wla cpa cpa_actual cpa_scaling_factor gau bnp mcr cai ccr mcf mcfs cf cfs atd atds pmi pmu pmw pmp pml srm cid typ slh tpi"
            " lpn bdn bds msu gmu cix acs nsw nca hw_cap_limit hwgr_cap_limit ctn _core_id _cpu_skip _cpu_num _prod"
            + "".join(f" {c}{s}" for c in (*_SPACES.values(), *_WORK.values()) for s in ("mn", "mm", "tt"))
            + "".join(f" u{k:02}" for k in range(len(_BUCKETS))),
            duration="gts pmt wat pat pdt edt ont _lpar_busy",
            hex="mod bps vpa",
            flags="hhf pfg pfl vpf pof _core_flg",
            text="mdl hwm csc lpm stn gnm cin",
        ),
        # Names of rows.
        **kinds(
            text="partition processor_type processor_id polarization status capping boost_type boost_class cpc_type relation change_reason"
            " capacity_group member_system mvs_partition dispatch_interval",
            yes="is_total hiperdispatch wait_completion own_initial own_limit own_group_limit own_wait_changed own_initial_changed dedicated"
            " weight_changed initial_cap hard_limit group_limit capped",
        ),
    },
)

_MACHINE = {
    "cpc_type": "cpc_type",
    "cpc_model": "smf70mdl",
    "hardware_model": "smf70hwm",
    "cpc_capacity": "smf70mcr",
    "sequence_code": "smf70csc",
    "hiperdispatch": "CASE WHEN hiperdispatch THEN 'YES' WHEN NOT hiperdispatch THEN 'NO' END",
    "change_reason": "change_reason",
    "boost_type": "boost_type",
    "boost_class": "boost_class",
}
# online: seconds online; busy: seconds dispatched; running: seconds neither waiting nor parked; unparked: seconds not parked.
CPU: Mapping[str, str] = {
    "is_total": "is_total",
    "processor_type": "processor_type",
    "processor_id": "processor_id",
    "thread": "thread",
    "online_pct": "100 * online / smf70int",
    "lpar_busy_pct": "100 * busy / NULLIF(busy_of, 0)",
    "mvs_busy_pct": "100 * running / NULLIF(unparked, 0)",
    "parked_pct": "100 * parked / NULLIF(online, 0)",
    "mt_productivity_pct": "100 * productivity",
    "mt_utilization_pct": "100 * productivity * busy / NULLIF(busy_of, 0)",
    "logical_share_pct": "logical_share_pct",
    "polarization": "polarization",
    "io_interrupts_per_s": "(smf70slh + smf70tpi) / smf70int",
    "io_interrupts_tpi_pct": "100 * smf70tpi / NULLIF(smf70slh + smf70tpi, 0)",
    **_MACHINE,
}
MULTITHREADING: Mapping[str, str] = {
    "processor_type": "processor_type",
    "threads_per_core": "threads_per_core",
    "capacity_factor_max": "most / 1024",
    "capacity_factor": "factor / 1024",
    "thread_density_avg": "density / 1024",
}
ADDRESS_SPACES: Mapping[str, str] = {
    "samples": "smf70sam",
    **{f"{name}_min": f"smf70{c}mn" for name, c in _SPACES.items()},
    **{f"{name}_max": f"smf70{c}mm" for name, c in _SPACES.items()},
    **{f"{name}_avg": f"smf70{c}tt / NULLIF(smf70sam, 0)" for name, c in _SPACES.items()},
}
QUEUE: Mapping[str, str] = {
    "relation": "relation",
    "above_n": "above_n",
    "samples_pct": "100 * samples / NULLIF(smf70srm, 0)",
}
WORK_UNITS: Mapping[str, str] = {
    "processor_type": "processor_type",
    "work_units_min": "lowest",
    "work_units_max": "highest",
    "work_units_avg": "added / NULLIF(smf70srm, 0)",
}
# The limit is in thousandths, written as milliseconds.
BLOCKED: Mapping[str, str] = {
    "promote_limit_pct": "100 * smf70pmt",
    "promote_after_s": "smf70pml",
    "promotes_defined_per_s": "smf70pmi / NULLIF(smf70sam, 0)",
    "promotes_used_pct": "100 * smf70pmu / NULLIF(smf70pmi / smf70sam * smf70int, 0)",
    "waiters_avg": "smf70pmw / NULLIF(smf70sam, 0)",
    "waiters_peak": "smf70pmp",
}
_OF_MACHINE: Mapping[str, str] = {
    "image_capacity": "smf70wla",
    "configured_partitions": "configured_partitions",
    "physical_processors": "physical_processors",
    **{f"physical_processors_{name}": f"physical_{name}" for name in ("cp", "aap", "ifl", "icf", "iip")},
    "wait_completion": "CASE WHEN wait_completion THEN 'YES' WHEN NOT wait_completion THEN 'NO' END",
    "dispatch_interval": "dispatch_interval",
    "capacity_group": "capacity_group",
    "capacity_group_limit": "capacity_group_limit",
    "mvs_partition": "mvs_partition",
}
HEADS: Mapping[str, str] = {
    **_OF_MACHINE,
    "capacity_group_available": "CASE WHEN capacity_group IS NOT NULL THEN smf70gau END",
    "initial_capping": "own_initial",
    "lpar_hardware_capping": "own_limit",
    "hardware_group_capping": "own_group_limit",
    "absolute_msu_capping": "SUBSTR(smf70hhf, 5, 1) = '1'",
    "wait_completion_changed": "own_wait_changed",
    "initial_capping_changed": "own_initial_changed",
}
PARTITIONS: Mapping[str, str] = {
    "is_total": "is_total",
    "partition": "partition",
    "processor_type": "processor_type",
    "status": "status",
    "weight": "weight",
    "dedicated": "dedicated",
    "weight_changed": "weight_changed",
    "msu_defined": "msu_defined",
    "msu_used": "3600 * 16 * effective_cp * scale / NULLIF(per_unit * smf70int, 0)",
    "capping_definition": "capping",
    "capped": "initial_cap OR hard_limit OR group_limit",
    "initial_capping": "initial_cap",
    "lpar_hardware_capping": "hard_limit",
    "hardware_group_capping": "group_limit",
    "capping_wlm_pct": "100 * wlm_samples / NULLIF(smf70dsa, 0)",
    "logical_processors": "online / smf70int",
    "effective_dispatch": "effective",
    "total_dispatch": "dispatched",
    "logical_effective_pct": "100 * effective / NULLIF(online, 0)",
    "logical_total_pct": "100 * dispatched / NULLIF(online, 0)",
    "lpar_management_pct": "100 * (dispatched - managed_effective) / NULLIF(physical * smf70int, 0)",
    "physical_effective_pct": "100 * effective / NULLIF(physical * smf70int, 0)",
    "physical_total_pct": "100 * dispatched / NULLIF(physical * smf70int, 0)",
    **_OF_MACHINE,
}
GROUPS: Mapping[str, str] = {
    "is_total": "is_total",
    "capacity_group": "capacity_group",
    "capacity_group_limit": "smf70gmu",
    "capacity_group_available": "available",
    "partition": "partition",
    "member_system": "member_system",
    "msu_defined": "msu_defined",
    "msu_used": "3600 * 16 * effective_cp * scale / NULLIF(per_unit * smf70int, 0)",
    "weight": "weight",
    "capped": "capped",
    "capping_wlm_pct": "100 * wlm_samples / NULLIF(smf70dsa, 0)",
    "capping_actual_pct": "100 * held_samples / NULLIF(smf70dsa, 0)",
    "msu_entitled_min": "entitled_min",
    "msu_entitled_max": "entitled_max",
}


def _physical(record: Record) -> dict[str, float | None]:
    """Physical processors by type. A type that is unknown keeps its name."""
    return {_type_name(c["smf70cin"]): c["smf70ctn"] for c in record.many["smf70cis"] if c["smf70cin"]}


def _type_name(name: str) -> str:
    return _TYPE_NAMES.get(name, name)


def _type_of(record: Record, processor: Fields) -> str | None:
    names, number = record.many["smf70cis"], processor["smf70cix"]
    if number is None or not 1 <= number <= len(names):
        return None
    return names[int(number) - 1]["smf70cin"] and _type_name(names[int(number) - 1]["smf70cin"])


def _own(record: Record) -> Fields | None:
    """The partition of the system; the first where the product section names none."""
    partitions, number = record.many["smf70bct"], record.one["smf70ptn"]
    if number is None:
        return next(iter(partitions), None)
    return next((p for p in partitions if p["smf70lpn"] == number and p["smf70lpm"] != _PHYSICAL), None)


def _processors(record: Record, partition: Fields) -> list[Fields]:
    """The logical processors of a partition, each with the seconds that it was online."""
    first, many = partition["smf70bds"], partition["smf70bdn"]
    every = record.many["smf70bpd"]
    if first is None or many is None or first < 0 or many < 0 or first + many > len(every):
        return []
    return [Fields(p, online=_online(record, p)) for p in every[int(first) : int(first + many)]]


def _online(record: Record, processor: Fields) -> float | None:
    """Older machines tell no time online of a processor that was there all the time."""
    online, dispatched = processor["smf70ont"], processor["smf70pdt"]
    return record.one["smf70int"] if online == 0 and dispatched else online


def _by_type(record: Record, partition: Fields) -> dict[str | None, list[Fields]]:
    out: dict[str | None, list[Fields]] = {}
    for processor in _processors(record, partition):
        out.setdefault(_type_of(record, processor), []).append(processor)
    return out


def _any(processors: Sequence[Fields], *bits: int) -> bool | None:
    """Whether any processor has one of these flags."""
    found = [is_on(p["smf70vpf"], *bits) for p in processors]
    return True if True in found else None if None in found or not found else False


def _is_over(processors: Sequence[Fields], name: str) -> bool | None:
    found = [p[name] for p in processors]
    return True if any(v for v in found if v is not None) else None if None in found or not found else False


def _weight(processors: Sequence[Fields]) -> tuple[float | None, bool | None]:
    """The weight, and whether all are dedicated; no answer where some are."""
    weights = {p["smf70bps"] for p in processors if p["online"]} or {p["smf70bps"] for p in processors}
    if None in weights or not weights:
        return None, None
    shared = weights - {_DEDICATED}
    return max(shared, default=None), not shared if len(shared) in (0, len(weights)) else None


def _most(processors: Sequence[Fields], name: str) -> float | None:
    """Samples count for all processors of a type together."""
    return max((p[name] for p in processors if p[name] is not None), default=None)


def _capacity(record: Record, effective: float | None) -> dict[str, Any]:
    """What MSU are made of: per_unit in 1/16 µs for a service unit."""
    one = record.one
    has_actual = one["smf70cpa_actual"] not in (None, 0)
    scale = one["smf70cpa_scaling_factor"] if has_actual else 1.0
    return {
        "effective_cp": effective,
        "per_unit": one["smf70cpa_actual"] if has_actual else one["smf70cpa"],
        "scale": scale,
    }


def _machine(record: Record) -> dict[str, Any]:
    """What stands above the processors and the partitions."""
    one, own, physical = record.one, _own(record), _physical(record)
    mine = _processors(record, own) if own else []
    general = [p for p in mine if _type_of(record, p) == "CP"] or mine
    flags, is_reduced = one["smf70fla"], one["smf70ccr"]
    speed, ziip = is_on(flags, 10), is_on(flags, 9)
    boost = None if speed is None or (speed and ziip) else "Speed" if speed else "zIIP" if ziip else "None"
    classes = {"000": "None", "001": "IPL", "010": "Shutdown", "011": "Recovery"}
    reason = (
        None
        if is_reduced is None or not one["smf70cai"]
        else ("None", "Power Save")[int(is_reduced)]
        if is_reduced in (0, 1)
        else "Machine"
    )
    group = own["smf70gnm"] if own else None
    interval = one["smf70gts"]
    return {
        **header(record, "smf70"),
        "cpc_type": None if one["smf70mod"] is None else f"{int(one['smf70mod']):04X}",
        "hiperdispatch": is_on(one["smf70hhf"], 1),
        "change_reason": reason,
        "boost_type": boost,
        "boost_class": classes.get(flags[13:16]) if flags else None,
        "mvs_partition": own["smf70lpm"] if own else None,
        "configured_partitions": float(sum(p["smf70lpm"] != _PHYSICAL for p in record.many["smf70bct"])),
        "physical_processors": total([{"many": many} for many in physical.values()], "many"),
        **{f"physical_{name.lower()}": physical.get(name) for name in ("CP", "AAP", "IFL", "ICF", "IIP")},
        "wait_completion": _any(general, 0),
        "dispatch_interval": None if interval is None else f"{1000 * interval:.0f}" if interval else "DYNAMIC",
        "capacity_group": group,
        "capacity_group_limit": own["smf70gmu"] if own and group else None,
        "own_initial": _any(general, 3),
        "own_limit": _is_over(mine, "smf70hw_cap_limit"),
        "own_group_limit": _is_over(mine, "smf70hwgr_cap_limit"),
        "own_wait_changed": _any(mine, 1),
        "own_initial_changed": _any(mine, 4),
    }


def _shares(record: Record) -> dict[str | None, float | None]:
    """Of each type, the physical processors that the own weight stands for."""
    out: dict[str | None, float | None] = {}
    own = _own(record)
    for kind in _by_type(record, own) if own else ():
        weights = []
        for partition in record.many["smf70bct"]:
            some = _by_type(record, partition).get(kind)
            if some and partition["smf70lpm"] != _PHYSICAL:
                weight, dedicated = _weight(some)
                weights.append((partition is own, 0.0 if dedicated else weight, len(some) if dedicated else 0))
        mine = next((w for is_own, w, _ in weights if is_own), None)
        many = _physical(record).get(kind or "")
        known = many is not None and mine is not None and all(w is not None for _, w, _ in weights)
        every = sum(w or 0 for _, w, _ in weights)
        out[kind] = mine / every * (many - sum(d for *_, d in weights)) if known and every else None  # type: ignore[operator]
    return out


def _joined(record: Record) -> list[tuple[Fields, Fields, Fields]]:
    """Each processor of z/OS, with its logical processor and its core (empty if there is none)."""
    cpus, cores = record.many["smf70cpu"], record.many["smf70lcs"]
    own = _own(record)
    logical = _processors(record, own) if own else []
    core_of: dict[int, Fields] = {}
    for core in cores:
        first, many = core["smf70_cpu_skip"], core["smf70_cpu_num"]
        if first is not None and many is not None and 0 <= first <= first + many <= len(cpus):
            core_of |= dict.fromkeys(range(int(first), int(first + many)), core)
    addresses = [core_of[k]["smf70_core_id"] if k in core_of else c["smf70cid"] for k, c in enumerate(cpus)]
    by_address = {p["smf70vpa"]: p for p in logical}
    is_by_address = len(by_address) == len(logical) and set(addresses) <= by_address.keys()
    if not is_by_address:
        by_order = len(set(addresses)) == len(logical)
        by_address = dict(zip(dict.fromkeys(addresses), logical, strict=True)) if by_order else {}
    none = Fields()
    return [
        (c, by_address.get(a, none), core_of.get(k, none)) for k, (c, a) in enumerate(zip(cpus, addresses, strict=True))
    ]


def cpu_rows(record: Record) -> Iterator[dict[str, Any]]:
    """Processors and threads, and a total for each type."""
    machine, shares, joined = _machine(record), _shares(record), _joined(record)
    length, is_waiting = record.one["smf70int"], machine["wait_completion"]
    high = Counter(_type_of(record, p) for _, p, _ in joined if _bits(p) == "HIGH")
    medium = Counter(_type_of(record, p) for _, p, _ in joined if _bits(p) == "MED")
    by_type: dict[str | None, list[dict[str, Any]]] = {}
    seen: set[float | None] = set()
    for cpu, logical, core in joined:
        kind = _TYPES.get(cpu["smf70typ"])
        if kind is None:
            continue
        number = core["smf70_core_id"] if core else cpu["smf70cid"]
        is_second = bool(core) and number in seen
        seen.add(number)
        online, parked, wait = logical["online"], cpu["smf70pat"], cpu["smf70wat"]
        known = None not in (online, parked, wait)
        unparked = online - parked if known else None
        running = unparked - wait if known else None
        if known and parked > 0.999 * online:
            running = None
        busy, busy_of = logical["smf70pdt"], online
        if core and is_on(core["smf70_core_flg"], 0):
            busy = core["smf70_lpar_busy"]
        elif logical["smf70bps"] == _DEDICATED:
            busy = None if wait is None or length is None else length - wait
            busy_of = length
        elif is_waiting and not machine["hiperdispatch"]:
            busy = None if busy is None or wait is None else busy - wait
        share, word = shares.get(kind), _bits(logical) if machine["hiperdispatch"] else None
        of_type = sum(1 for _, p, _ in joined if _type_of(record, p) == kind and p["online"])
        if share is None or logical["smf70bps"] == _DEDICATED:
            percent = 100.0 if logical["smf70bps"] == _DEDICATED else None
        elif word == "MED":
            percent = 100 * (share - high[kind]) / medium[kind] if medium[kind] else None
        else:
            percent = {"HIGH": 100.0, "LOW": 0.0}.get(
                word or "", min(100 * share / of_type, 100.0) if of_type else None
            )
        row = {
            **machine,
            "is_total": False,
            "processor_type": kind,
            "processor_id": None if number is None else f"{int(number):X}",
            "thread": 1.0 if is_second else 0.0,
            "online": online,
            "parked": parked,
            "unparked": unparked,
            "running": running,
            "busy": busy,
            "busy_of": busy_of,
            "productivity": None if core["smf70_prod"] is None else core["smf70_prod"] / 1024,
            "logical_share_pct": percent,
            "polarization": word,
            "smf70slh": cpu["smf70slh"] if kind == "CP" else None,
            "smf70tpi": cpu["smf70tpi"] if kind == "CP" else None,
        }
        if is_second:
            row |= dict.fromkeys(("online", "busy", "busy_of", "productivity", "logical_share_pct", "polarization"))
        else:
            by_type.setdefault(kind, []).append(row)
        yield row
    for kind, rows in by_type.items():
        names = ("busy", "busy_of", "logical_share_pct", "smf70slh", "smf70tpi")
        running = [row for row in rows if row["running"] is not None]
        yield {
            **machine,
            **{name: total(rows, name) for name in names},
            **{name: total(running, name) for name in ("running", "unparked")},
            "is_total": True,
            "processor_type": kind,
            **dict.fromkeys(("processor_id", "thread", "online", "parked", "productivity", "polarization")),
        }


def _bits(processor: Fields) -> str | None:
    return _POLARIZATION.get((processor["smf70pof"] or "")[:2])


def multithreading_rows(record: Record) -> Iterator[dict[str, Any]]:
    """Types with cores of several threads in use, and others beside them."""
    cores = record.many["smf70lcs"]
    for kind, suffix in (("CP", ""), ("IIP", "s")) if cores else ():
        of_type = [c for cpu, _, c in _joined(record) if _TYPES.get(cpu["smf70typ"]) == kind]
        if of_type:
            one = record.one
            yield {
                **header(record, "smf70"),
                "processor_type": kind,
                "threads_per_core": _most(of_type, "smf70_cpu_num"),
                "most": one[f"smf70mcf{suffix}"],
                "factor": one[f"smf70cf{suffix}"],
                "density": one[f"smf70atd{suffix}"],
            }


def one_row(record: Record) -> Iterator[dict[str, Any]]:
    """One row of the address spaces and of blocked workload."""
    if record.one["smf70sam"] is not None and record.one["smf70imn"] is not None:
        yield header(record, "smf70")


def blocked_rows(record: Record) -> Iterator[dict[str, Any]]:
    if record.one["smf70pmt"] is not None:
        yield header(record, "smf70")


def queue_rows(record: Record) -> Iterator[dict[str, Any]]:
    for k, (relation, above) in enumerate(_BUCKETS):
        samples = record.one[f"smf70u{k:02}"]
        if samples is not None:
            yield {**header(record, "smf70"), "relation": relation, "above_n": float(above), "samples": samples}


def work_unit_rows(record: Record) -> Iterator[dict[str, Any]]:
    """Types that the system has."""
    there = {_TYPES.get(cpu["smf70typ"]) for cpu in record.many["smf70cpu"]}
    for kind, c in _WORK.items():
        if kind in there:
            names = {"lowest": f"smf70{c}mn", "highest": f"smf70{c}mm", "added": f"smf70{c}tt"}
            yield {**header(record, "smf70"), "processor_type": kind, **{n: record.one[f] for n, f in names.items()}}


def head_rows(record: Record) -> Iterator[dict[str, Any]]:
    if record.many["smf70bct"]:
        yield _machine(record)


def partition_rows(record: Record) -> Iterator[dict[str, Any]]:
    """Partitions by type, the time of no partition, and a total of each type."""
    machine, physical = _machine(record), _physical(record)
    none = dict.fromkeys(
        (
            *(
                "weight",
                "dedicated",
                "weight_changed",
                "msu_defined",
                "capping",
                "initial_cap",
                "hard_limit",
                "group_limit",
                "wlm_samples",
            ),
            *(
                "online",
                "effective",
                "managed_effective",
                "dispatched",
                "physical",
                "effective_cp",
                "status",
                "processor_type",
            ),
        )
    )
    by_type: dict[str | None, list[dict[str, Any]]] = {}
    for partition in record.many["smf70bct"]:
        name = partition["smf70lpm"]
        row = {**machine, **none, **_capacity(record, None), "is_total": False, "partition": name}
        if partition["smf70bdn"] == 0 and name != _PHYSICAL:
            yield {**row, "status": "D"}
        for kind, some in _by_type(record, partition).items():
            dispatched, effective = total(some, "smf70pdt"), total(some, "smf70edt")
            of_type = {**row, "processor_type": kind, "dispatched": dispatched, "physical": physical.get(kind or "")}
            if name == _PHYSICAL:
                of_type |= {"partition": "*PHYSICAL*", "managed_effective": effective}
            else:
                weight, dedicated = _weight(some)
                caps = _any(some, 3), _is_over(some, "smf70hw_cap_limit"), _is_over(some, "smf70hwgr_cap_limit")
                of_type |= {
                    **dict(zip(("initial_cap", "hard_limit", "group_limit"), caps, strict=True)),
                    "capping": None if None in caps else " ".join("Y" if cap else "N" for cap in caps),
                    "status": "A",
                    "weight": weight,
                    "dedicated": dedicated,
                    "weight_changed": _any(some, 2),
                    "online": total(some, "online"),
                    "effective": effective,
                    "managed_effective": effective,
                    "msu_defined": partition["smf70msu"] if kind == "CP" else None,
                    "effective_cp": effective if kind == "CP" else None,
                    "wlm_samples": _most(some, "smf70nsw") if kind == "CP" else None,
                }
            by_type.setdefault(kind, []).append(of_type)
            yield of_type
    for kind, rows in by_type.items():
        of_partitions = [row for row in rows if row["partition"] != "*PHYSICAL*"]
        shared = [row for row in of_partitions if row["weight"] is not None]
        yield {
            **rows[0],
            **none,
            **_capacity(record, None),
            "is_total": True,
            "partition": None,
            "processor_type": kind,
            "weight": total(shared, "weight")
            if shared
            else 0.0
            if all(r["dedicated"] for r in of_partitions)
            else None,
            "effective": total(of_partitions, "effective"),
            "managed_effective": total(rows, "managed_effective"),
            "dispatched": total(rows, "dispatched"),
            "physical": physical.get(kind or ""),
        }


def group_rows(record: Record) -> Iterator[dict[str, Any]]:
    """Members of capacity groups, and a total of each group."""
    machine = _machine(record)
    groups: dict[str, list[tuple[Fields, list[Fields]]]] = {}
    for partition in record.many["smf70bct"]:
        if partition["smf70gnm"] and is_on(partition["smf70pfl"], 1):
            groups.setdefault(partition["smf70gnm"], []).append((partition, _by_type(record, partition).get("CP", [])))
    for name, members in groups.items():
        rows = []
        for partition, some in members:
            by_weight = is_on(partition["smf70pfl"], 3)
            weight, _ = _weight(some)
            share = weight if by_weight else _most(some, "smf70acs")
            rows.append(
                {
                    **machine,
                    **_capacity(record, total(some, "smf70edt")),
                    "is_total": False,
                    "capacity_group": name,
                    "smf70gmu": partition["smf70gmu"],
                    "available": record.one["smf70gau"] if name == machine["capacity_group"] else None,
                    "partition": partition["smf70lpm"],
                    "member_system": partition["smf70stn"],
                    "msu_defined": partition["smf70msu"],
                    "weight": weight,
                    "capped": _any(some, 3),
                    "wlm_samples": _most(some, "smf70nsw"),
                    "held_samples": _most(some, "smf70nca"),
                    "share": share,
                }
            )
        every = total(rows, "share")
        for row in rows:
            limit, defined, share = row["smf70gmu"], row["msu_defined"], row["share"]
            by_share = limit * share / every if every and None not in (limit, share) else None
            row["entitled_min"] = None if by_share is None else min(by_share, defined) if defined else by_share
            row["entitled_max"] = None if limit is None else min(limit, defined) if defined else limit
        yield from rows
        blank = (
            "partition",
            "member_system",
            "msu_defined",
            "capped",
            "wlm_samples",
            "held_samples",
            "entitled_min",
            "entitled_max",
        )
        sums = {key: total(rows, key) for key in ("weight", "effective_cp")}
        yield {**rows[0], **dict.fromkeys(blank), **sums, "is_total": True}


ROWS_OF_CPU = (
    RecordRows(FORM, "rmf_cpu_activity", cpu_rows),
    RecordRows(FORM, "rmf_multithreading", multithreading_rows),
    RecordRows(FORM, "rmf_address_space_count", one_row),
    RecordRows(FORM, "rmf_work_unit_queue", queue_rows),
    RecordRows(FORM, "rmf_work_unit", work_unit_rows),
    RecordRows(FORM, "rmf_blocked_workload", blocked_rows),
)
ROWS_OF_PARTITIONS = (
    RecordRows(FORM, "rmf_partition_data", partition_rows),
    RecordRows(FORM, "rmf_partition_head", head_rows),
)
ROWS_OF_GROUPS = (RecordRows(FORM, "rmf_group_capacity", group_rows),)
