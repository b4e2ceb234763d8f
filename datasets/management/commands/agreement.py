from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.utils import timezone

from consolidation.domain.cases.experiment import begin_experiment
from consolidation.domain.cases.second_consolidation import open_second_cases
from datasets.domain.agreement.agreement import (
    AgreementReport,
    consolidation_agreement,
    worker_agreement,
)
from datasets.domain.agreement.agreement_chart import draw_agreement
from datasets.domain.agreement.agreement_table import (
    agreement_columns,
    agreement_json,
    agreement_rows,
)
from datasets.domain.agreement.scores import table_cell
from datasets.domain.quality.validator_figures import ValidatorFigures, validator_figures
from projects.command import Command as BaseCommand
from projects.command import InputError, project_named, worker_named
from projects.domain.schemes import scheme_of
from projects.models import Project
from schemes.contract.scheme import Scheme
from schemes.reports import text_table, write_csv


class Command(BaseCommand):
    help = (
        "Show the agreement of a project's annotators and of its first and second consolidations."
    )
    example = "manage.py agreement wikinews-dev --plot agreement.svg --csv agreement.csv"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project")
        parser.add_argument(
            "--items", type=int, metavar="N", help="maximum number of items, by seed"
        )
        parser.add_argument(
            "--second", type=int, metavar="N", help="first open second consolidations of N items"
        )
        parser.add_argument(
            "--again", type=int, metavar="N", help="first publish N items to other workers"
        )
        parser.add_argument(
            "--generators",
            type=int,
            metavar="K",
            help="with --again: K annotations per item and no second consolidation",
        )
        parser.add_argument(
            "--workers", metavar="W1,W2", help="with --again: only these, by pseudonym"
        )
        parser.add_argument("--plot", type=Path, metavar="FILE.svg", help="a heat map of the pairs")
        parser.add_argument("--csv", type=Path, metavar="FILE.csv", help="a row for each pair")
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        project = project_named(options["project"])
        if options["second"]:
            open_second_cases(project=project, count=options["second"], now=timezone.now())
        if options["again"]:
            _begin(project, options)
        workers = worker_agreement(project=project, limit=options["items"])
        reports = {
            "workers": workers,
            "consolidations": consolidation_agreement(project=project, disjoint=False),
            "disjoint_teams": consolidation_agreement(project=project, disjoint=True),
        }
        scheme = scheme_of(project)
        try:
            if options["plot"]:
                options["plot"].write_bytes(draw_agreement(workers, scheme.comparison.figures[0]))
            if options["csv"]:
                write_csv(
                    options["csv"], agreement_columns(scheme), agreement_rows(scheme, workers)
                )
        except OSError as error:
            raise InputError(f"{error.filename}: {error.strerror}.") from error
        validators = validator_figures(project=project, limit=options["items"])
        facts: dict[str, Any] = {
            name: agreement_json(scheme, report) for name, report in reports.items()
        }
        facts["validators"] = [validator.as_json(scheme) for validator in validators]
        parts = [_text(scheme, reports), _validators_text(scheme, validators)]
        text = "\n\n".join(filter(None, parts))
        self.write_result(facts, text, as_json=options["json"])


def _begin(project: Project, options: dict[str, Any]) -> None:
    names = [name for name in (options["workers"] or "").split(",") if name.strip()]
    begin_experiment(
        project=project,
        count=options["again"],
        generators=options["generators"],
        workers=[worker_named(name.strip()) for name in names],
        by="command agreement",
        now=timezone.now(),
    )


def _text(scheme: Scheme, reports: dict[str, AgreementReport]) -> str:
    header, rows = ["", "Items", "Pairs"], []
    for figure in scheme.comparison.figures:
        header += [f"{figure.label} {figure.unit}", "Low", "High"]
    for name, report in reports.items():
        row: list[object] = [name.replace("_", " "), report.items, len(report.pairs)]
        for figure in scheme.comparison.figures:
            agreement = report.figures[figure.key]
            values = (agreement.value, agreement.interval.low, agreement.interval.high)
            row += [table_cell(figure, value) for value in values]
        rows.append(row)
    return text_table(header, rows)


def _validators_text(scheme: Scheme, validators: Sequence[ValidatorFigures]) -> str:
    if not validators:
        return ""
    figure, unit = scheme.comparison.figures[0], scheme.vocabulary.unit
    header = (
        "Validator",
        "Items",
        unit.plural.capitalize(),
        "Valid %",
        "Same verdict %",
        f"{figure.label} {figure.unit}",
    )
    rows = []
    for validator in validators:
        *values, agreement = validator.as_json(scheme).values()
        rows.append((*values, table_cell(figure, agreement)))
    return text_table(header, rows)
