"""The rows of study files, by table."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa

from ..declaration.finding_rules import RULE_KEYS
from ..declaration.study_tables import CLASS, CONFIGURATION, LIMIT, MONITORING, STEP, TABLES
from ..sql.schema import plain_schema
from .monitoring import read_monitoring
from .study_file import Study


def study_rows(studies: Iterable[Study], source_id: str) -> dict[str, pa.Table]:
    """The rows of studies by table; `line` is that of the study file, or of its file of figures. Raises UsageError if that file cannot be
    read."""
    rows: dict[str, list[dict[str, Any]]] = {table.name: [] for table in TABLES}
    for study in studies:
        origin = {"study": study.name, "source_id": source_id, "source_file": study.file, "page": 1}
        for configuration in study.configurations:
            place = origin | {"configuration": configuration.name}
            measured, compared = configuration.engine_mips or (None, None)
            role = {study.uncoupled: "uncoupled", study.coupled: "coupled"}.get(configuration.name)
            rows[CONFIGURATION.name].append(
                place
                | {"line": configuration.line, "coupling_role": role}
                | {"is_baseline": configuration.name == study.baseline, "engine_mips_measured": measured}
                | {"engine_mips_compared": compared, "lpar_overhead_pct": configuration.lpar_overhead_pct}
            )
            for step in configuration.steps:
                rows[STEP.name].append(
                    place
                    | {"line": step.line, "run": step.run, "window_start": step.start, "window_end": step.end}
                    | {
                        "rule": step.rule,
                        "listed_starts": list(step.listed) or None,
                        "report_kind": step.report_kind or study.report_kind,
                    }
                    | {"sysplex": step.sysplex, "systems": ",".join(step.systems) or None}
                    | {"remote_systems": ",".join(step.remote_systems) or None}
                    | {"request_source": study.requests.source, "request_count": study.requests.count}
                    | {"simulator_file": step.simulator, "jmh_file": step.jmh, "volume": step.volume}
                    | {"engines_cp": study.engines.get("cp"), "engines_ziip": study.engines.get("ziip")}
                )
                if step.monitoring:
                    file = Path(study.file).parent / step.monitoring
                    from_file = place | {"run": step.run, "source_file": str(file)}
                    rows[MONITORING.name] += [from_file | figures for figures in read_monitoring(file)]
        for number_, subsystem in enumerate(study.subsystems, 1):
            charged = {"role": "cpu", "subsystem": subsystem.name, "location": subsystem.location}
            for c in subsystem.classes:
                named = {"class_kind": c.kind, "class_name": c.name, "class_number": number_, "line": c.line}
                rows[CLASS.name].append(origin | charged | named)
        if c := study.requests.of_class:
            named = {"role": "requests", "class_kind": c.kind, "class_name": c.name, "line": c.line}
            rows[CLASS.name].append(origin | named)
        for limit in study.limits:
            values = {RULE_KEYS[key]: value for key, value in limit.values.items()}
            rows[LIMIT.name].append(origin | {"rule": limit.rule, "line": limit.line} | values)
    return {t.name: pa.Table.from_pylist(rows[t.name], schema=plain_schema(t)) for t in TABLES}
