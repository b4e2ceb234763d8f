from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.utils import timezone

from consolidation.enums import GoldSource
from consolidation.protocols import protocol_of
from datasets.domain.agreement.scores import table_cell
from datasets.domain.quality.quality import (
    CORRECTION_COLUMNS,
    QualityReport,
    compare_with_external,
    correction_rows,
    quality_json,
    quality_report,
)
from projects.command import Command as BaseCommand
from projects.command import InputError, project_named
from projects.domain.schemes import scheme_of
from projects.models import Project
from schemes.contract.errors import refuse
from schemes.contract.scheme import Scheme
from schemes.registry import SCHEMES
from schemes.reports import text_table, write_csv

# The comparisons with other resources that any scheme declares.
EXTERNALS = {
    external.key: external for scheme in SCHEMES.values() for external in scheme.external.values()
}


class Command(BaseCommand):
    help = "Compare a project's gold with a reference, both ways, automatic and corrected."
    example = "manage.py quality wikinews-dev --source consolidated --against expert"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project")
        parser.add_argument(
            "--source",
            default="",
            choices=GoldSource.values,
            help="defaults to the gold that the project produces",
        )
        parser.add_argument("--against", default=GoldSource.EXPERT, choices=GoldSource.values)
        parser.add_argument(
            "--external",
            nargs=2,
            metavar=("KIND", "FILE"),
            help=f"a file of another resource as the reference ({', '.join(EXTERNALS) or 'none'})",
        )
        for key, external in EXTERNALS.items():
            parser.add_argument(
                f"--{key}", dest=_option(key), type=Path, metavar="FILE", help=external.help
            )
        parser.add_argument(
            "--corrections",
            type=Path,
            metavar="OUT.csv",
            help="write people's decisions on matches, as evaluate reads them",
        )
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        project = project_named(options["project"])
        options["source"] = options["source"] or protocol_of(project).gold_source
        if requested := _requested_external(options):
            self._compare_with_external(project, *requested, options)
            return
        report = quality_report(
            project=project, source=options["source"], against=options["against"]
        )
        if options["corrections"]:
            path = options["corrections"]
            rows = correction_rows(
                project=project, source=options["source"], against=options["against"]
            )
            try:
                write_csv(path, CORRECTION_COLUMNS, rows)
            except OSError as error:
                raise InputError(f"{path}: {error.strerror}.") from error
        text = _text(scheme_of(project), report)
        self.write_result(quality_json(report), text, as_json=options["json"])

    def _compare_with_external(
        self, project: Project, kind: str, path: Path, options: dict[str, Any]
    ) -> None:
        external = scheme_of(project).external.get(kind)
        if external is None:
            raise InputError(f"{project.slug} can't be compared with {kind!r}.")
        figures = compare_with_external(
            project=project,
            source=options["source"],
            external=external,
            path=path,
            on_error=refuse,
            now=timezone.now(),
        )
        self.write_result(figures, external.text(figures), as_json=options["json"])


def _option(key: str) -> str:
    return f"external_{key}"


def _requested_external(options: dict[str, Any]) -> tuple[str, Path] | None:
    if options["external"]:
        kind, path = options["external"]
        return kind, Path(path)
    for key in EXTERNALS:
        if path := options[_option(key)]:
            return key, path
    return None


def _text(scheme: Scheme, report: QualityReport) -> str:
    figures, totals = scheme.comparison.figures, scheme.content.totals
    headings = [f"{heading} {f.unit}" for f in figures for heading in f.headings.values()]
    rows = [
        (
            reference,
            how,
            *(
                table_cell(figure, scores.totals[figure.key][column])
                for figure in figures
                for column in figure.headings
            ),
        )
        for reference, how, scores in report.rows()
    ]
    sizes = []
    for name, gold in report.yields.items():
        means = [
            f"{gold.per_item(total.key) or 0:.2f} {total.noun.plural} an item" for total in totals
        ]
        sizes.append(f"{', '.join([f'{name}: {gold.items} items', *means])}.")
    return "\n".join([text_table(("Reference", "Matching", *headings), rows), "", *sizes])
