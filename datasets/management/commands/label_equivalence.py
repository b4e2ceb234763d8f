import csv
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.utils import timezone

from consolidation.enums import GoldSource
from consolidation.protocols import protocol_of
from datasets.domain.agreement.scores import table_cell
from datasets.domain.quality.equivalence import (
    Equivalences,
    equivalence_rows,
    learned_total,
    train_equivalence,
)
from projects.command import Command as BaseCommand
from projects.command import InputError, project_named
from projects.domain.schemes import scheme_of
from schemes.reports import text_table


class Command(BaseCommand):
    help = "Compare rules for the equivalence of labels with people's decisions, and learn one from them."
    example = "manage.py label_equivalence wikinews-dev --train"

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
            "--train", action="store_true", help="learn from the decisions, as a new version"
        )
        parser.add_argument(
            "--equivalences",
            type=Path,
            metavar="FILE.csv",
            help="pairs of labels that mean the same, in the columns first and second",
        )
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        project = project_named(options["project"])
        scheme = scheme_of(project)
        part = scheme.equivalence
        if part is None:
            raise InputError(f"The scheme {scheme.title} compares no labels that can be learned.")
        source = options["source"] or protocol_of(project).gold_source
        listed = _read(options["equivalences"]) if options["equivalences"] else frozenset()
        rows = equivalence_rows(
            project=project, source=source, against=options["against"], equivalences=listed
        )
        facts: dict[str, Any] = {
            "rows": [{"rule": row.key, "items": row.items, "total": row.total} for row in rows]
        }
        shown = [(row.label, row.items, row.total) for row in rows]
        if options["train"]:
            model = train_equivalence(
                project=project,
                source=source,
                against=options["against"],
                by="command line",
                now=timezone.now(),
            )
            [learned] = [row for row in model.figures if row["key"] == "learned"]
            shown.insert(len(shown) - 1, (learned["label"], learned["items"], learned["total"]))
            items, total = learned_total(model=model)
            shown.append((f"Version {model.version} on all items", items, total))
            facts |= {
                "version": model.version,
                "learned": learned["total"],
                "all_items": {"items": items, "total": total},
            }
        figure = next(figure for figure in scheme.comparison.figures if figure.key == part.figure)
        headings = [f"{heading} {figure.unit}" for heading in figure.headings.values()]
        table = [
            (label, items, *(table_cell(figure, total[column]) for column in figure.headings))
            for label, items, total in shown
        ]
        text = text_table(("Rule", "Items", *headings), table)
        self.write_result(facts, text, as_json=options["json"])


def _read(path: Path) -> Equivalences:
    """Return the pairs of a CSV file with the columns first and second."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as file:
            reader = csv.DictReader(file)
            if not {"first", "second"} <= set(reader.fieldnames or ()):
                raise InputError(f"{path}, line 1: the columns first and second are missing.")
            pairs = set()
            for row in reader:
                if not row["first"] or not row["second"]:
                    raise InputError(f"{path}, line {reader.line_num}: two labels are needed.")
                pairs.add(frozenset((row["first"].casefold(), row["second"].casefold())))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path}: {error}.") from error
    return frozenset(pairs)
