from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.utils import timezone

from consolidation.domain.experiment import begin_experiment
from consolidation.domain.second_consolidation import open_second_cases
from datasets.domain.agreement import AgreementReport, consolidation_agreement, worker_agreement
from datasets.domain.agreement_chart import draw_agreement
from datasets.domain.agreement_table import COLUMNS, agreement_json, agreement_rows
from datasets.domain.validator_figures import ValidatorFigures, validator_figures
from datasets.management.evaluation_report import text_table, write_csv
from projects.command import Command as BaseCommand
from projects.command import InputError, project_named, worker_named
from projects.models import Project


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
        try:
            _write_files(workers, options)
        except OSError as error:
            raise InputError(f"{error.filename}: {error.strerror}.") from error
        validators = validator_figures(project=project, limit=options["items"])
        facts: dict[str, Any] = {name: agreement_json(report) for name, report in reports.items()}
        facts["validators"] = [validator.as_json() for validator in validators]
        text = "\n\n".join(filter(None, [_text(reports), _validators_text(validators)]))
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


def _write_files(workers: AgreementReport, options: dict[str, Any]) -> None:
    if options["plot"]:
        options["plot"].write_bytes(draw_agreement(workers))
    if options["csv"]:
        write_csv(options["csv"], COLUMNS, agreement_rows(workers))


def _text(reports: dict[str, AgreementReport]) -> str:
    header = ("", "Items", "Pairs", "UA F1 %", "Low", "High", "LA F1 %", "Low", "High")
    rows = [
        (
            *(name.replace("_", " "), report.items, len(report.agreement.pairs)),
            *(report.agreement.ua.f1, report.ua_interval.low, report.ua_interval.high),
            *(report.agreement.la.f1, report.la_interval.low, report.la_interval.high),
        )
        for name, report in reports.items()
    ]
    return text_table(header, rows)


def _validators_text(validators: Sequence[ValidatorFigures]) -> str:
    if not validators:
        return ""
    header = ("Validator", "Items", "Questions", "Valid %", "Same verdict %", "UA F1 %")
    return text_table(header, [tuple(figures.as_json().values()) for figures in validators])
