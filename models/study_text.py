"""The study files of a model: which windows of the generated reports belong to which configuration."""

from __future__ import annotations

import json

from .model import PAGE_ELEMENTS, Model, StudyOf
from .schedule import StepTime, slug

_MOMENT = "%Y-%m-%dT%H:%M:%S"


def study_text(model: Model, windows: dict[str, list[StepTime]]) -> str:
    """The studies of a model as a study file, with --- between them; empty without studies."""
    return "---\n".join(_study(model, study, windows) for study in model.studies)


def _study(model: Model, study: StudyOf, windows: dict[str, list[StepTime]]) -> str:
    """One study. Texts are quoted as JSON has them, which YAML reads."""
    lines = [
        f"study: {json.dumps(study.name)}",
        f"baseline: {json.dumps(study.baseline)}",
        f"interval: {study.interval}",
    ]
    lines.append("subsystems:")
    subsystems: dict[str, list[str]] = {}
    for name, one in model.classes.items():
        subsystems.setdefault(one.subsystem, []).append(name)
    for subsystem, classes in subsystems.items():
        remote = any(model.classes[name].system for name in classes)
        lines.append(
            f"  {json.dumps(subsystem)}: {{report_class: {json.dumps(classes)}{', location: remote' if remote else ''}}}"
        )
    simulated = "{source: workload_simulator, count: page_elements}"
    lines.append(f"requests: {simulated if study.requests == PAGE_ELEMENTS else f'{{report_class: {study.requests}}}'}")
    lines.append("configurations:")
    for name in study.configurations:
        systems = json.dumps(list(model.configurations[name].systems))
        lines += [f"  {json.dumps(name)}:", f"    systems: {systems}", "    steps:"]
        for window in windows[name]:
            more = f", simulator: {slug(name)}_{window.simulator_name}" if study.requests == PAGE_ELEMENTS else ""
            if "monitoring" in model.reports:
                more += f", monitoring: {slug(name)}_{window.monitoring_name}"
            lines.append(f"      - {{window: {window.start:{_MOMENT}}/{window.end:{_MOMENT}}{more}}}")
    if study.uncoupled and study.coupled:
        lines.append(f"coupling: {{uncoupled: {json.dumps(study.uncoupled)}, coupled: {json.dumps(study.coupled)}}}")
    return "\n".join(lines) + "\n"
