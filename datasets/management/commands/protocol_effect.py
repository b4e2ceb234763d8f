from argparse import ArgumentParser
from collections.abc import Sequence
from functools import partial
from itertools import starmap, zip_longest
from typing import Any

from datasets.domain.quality.coverage import CoverageReport, coverage_report
from datasets.domain.quality.protocol_effect import ProtocolEffect, effect_rows, protocol_effect
from datasets.domain.quality.quality import NothingToCompareError
from metrics.intervals import Interval
from projects.command import Command as BaseCommand
from projects.command import project_named
from projects.domain.schemes import scheme_of
from projects.models import Project
from schemes.reports import text_table


class Command(BaseCommand):
    help = (
        "Compare one annotator, all annotators together and the gold with experts, and estimate "
        "how much the annotators missed."
    )
    example = "manage.py protocol_effect wikinews-dev --json"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project")
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        project = project_named(options["project"])
        effect = protocol_effect(project=project)
        coverage = coverage_report(project=project)
        if effect is None and coverage is None:
            raise NothingToCompareError(
                f"No item of {project.slug} has gold of the project that can be compared."
            )
        facts = {
            "against_expert": effect and effect.as_json(),
            "coverage": coverage and coverage.as_json(),
        }
        parts = [
            _effect_text(project, effect) if effect else "No item has an expert's gold.",
            _coverage_text(coverage) if coverage else "No gold was made of two annotations.",
        ]
        self.write_result(facts, "\n\n".join(parts), as_json=options["json"])


def _effect_text(project: Project, effect: ProtocolEffect) -> str:
    scheme = scheme_of(project)
    header = ["", *(stage.label for stage in effect.stages)]
    rows = [
        [row.label, *starmap(partial(_cell, row.unit), zip_longest(row.values, row.intervals))]
        for row in effect_rows(scheme, effect)
    ]
    items = scheme.vocabulary.item.count(effect.items)
    return f"{text_table(header, rows)}\n{items} with an expert's gold."


def _cell(unit: str, value: float | None, interval: Interval | None) -> str:
    if value is None:
        return ""
    scale = 100 if unit == "%" else 1
    bounds = interval and _range([interval.low, interval.high], scale=scale)
    return f"{scale * value:.2f}{f' ({bounds})' if bounds else ''}"


def _coverage_text(coverage: CoverageReport) -> str:
    header = ["", "Items", "Both", "One", "Missed", "95 % interval", "Coverage", "95 % interval"]
    rows: list[list[Any]] = [
        [
            group.label,
            group.estimate.items,
            group.estimate.captures.both,
            group.estimate.captures.only_one,
            _number(group.estimate.captures.missed),
            _range([group.estimate.missed.low, group.estimate.missed.high]),
            group.estimate.captures.coverage,
            _range([group.estimate.coverage.low, group.estimate.coverage.high], scale=100),
        ]
        for group in (coverage.total, *coverage.types)
    ]
    workers = [
        [worker.worker, worker.items, worker.recall, worker.actual] for worker in coverage.workers
    ]
    by_worker = text_table(["Worker", "Items", "Coverage", "Of the expert"], workers)
    return f"{text_table(header, rows)}\n\n{by_worker}"


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def _range(bounds: Sequence[float | None], *, scale: float = 1) -> str:
    low, high = bounds
    return "" if low is None or high is None else f"{scale * low:.1f} to {scale * high:.1f}"
