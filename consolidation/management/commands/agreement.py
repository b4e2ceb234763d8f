from argparse import ArgumentParser
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.utils import timezone

from annotation.management.command import Command as BaseCommand
from annotation.management.command import Refused, project_named, worker_named
from annotation.models import Project
from consolidation.domain.agreement import (
    AgreementReport,
    consolidation_agreement,
    worker_agreement,
)
from consolidation.domain.agreement_chart import draw_agreement
from consolidation.domain.agreement_table import COLUMNS, agreement_json, agreement_rows
from consolidation.domain.experiment import ExperimentRefused, begin_experiment
from consolidation.domain.second_consolidation import open_second_cases
from consolidation.domain.validator_figures import ValidatorFigures, validator_figures
from consolidation.management.evaluation_report import text_table, write_csv
from crowd.domain.ledger import BudgetExceeded


class Command(BaseCommand):
    help = "Agreement of a project's annotators, and of its first and second consolidations."
    example = "manage.py agreement wikinews-dev --plot agreement.svg --csv agreement.csv"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project")
        parser.add_argument("--items", type=int, metavar="N", help="at most so many items, by seed")
        parser.add_argument(
            "--second", type=int, metavar="N", help="first have N more items consolidated twice"
        )
        parser.add_argument(
            "--again", type=int, metavar="N", help="first have N more items annotated by others"
        )
        parser.add_argument(
            "--generators",
            type=int,
            metavar="K",
            help="with --again: K annotations each and no second consolidation",
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
            raise Refused(f"{error.filename}: {error.strerror}.") from error
        validators = validator_figures(project=project, limit=options["items"])
        facts: dict[str, Any] = {name: agreement_json(report) for name, report in reports.items()}
        facts["validators"] = [one.as_json() for one in validators]
        text = "\n\n".join(filter(None, [_text(reports), _validators_text(validators)]))
        self.tell(facts, text, as_json=options["json"])


def _begin(project: Project, options: dict[str, Any]) -> None:
    names = [one for one in (options["workers"] or "").split(",") if one.strip()]
    try:
        begin_experiment(
            project=project,
            count=options["again"],
            generators=options["generators"],
            workers=[worker_named(one.strip()) for one in names],
            by="command agreement",
            now=timezone.now(),
        )
    except (ExperimentRefused, BudgetExceeded) as error:
        raise Refused(error) from error


def _write_files(workers: AgreementReport, options: dict[str, Any]) -> None:
    if options["plot"]:
        options["plot"].write_bytes(draw_agreement(workers))
    if options["csv"]:
        write_csv(options["csv"], COLUMNS, agreement_rows(workers))


def _text(reports: dict[str, AgreementReport]) -> str:
    header = ("", "Items", "Pairs", "UA F1 %", "Low", "High", "LA F1 %", "Low", "High")
    rows = [
        (
            name.replace("_", " "),
            one.items,
            len(one.agreement.pairs),
            one.agreement.ua.f1,
            one.ua_interval.low,
            one.ua_interval.high,
            one.agreement.la.f1,
            one.la_interval.low,
            one.la_interval.high,
        )
        for name, one in reports.items()
    ]
    return text_table(header, rows)


def _validators_text(validators: Sequence[ValidatorFigures]) -> str:
    if not validators:
        return ""
    header = ("Validator", "Items", "Questions", "Valid %", "Same verdict %", "UA F1 %")
    rows = [
        (one.validator, one.items, one.questions, one.valid_share, one.same_verdicts, one.ua.f1)
        for one in validators
    ]
    return text_table(header, rows)
