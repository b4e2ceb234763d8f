from argparse import ArgumentParser, ArgumentTypeError
from collections import Counter
from typing import Any

from django.utils import timezone

from annotation.management.command import Command as BaseCommand
from annotation.management.command import Refused, project_named
from annotation.models import Project
from consolidation.domain.partitions import (
    DOCUMENT_PATTERN,
    Draw,
    PartitionError,
    draw_partitions,
    freeze_partitions,
    sizes_of,
)
from consolidation.enums import PartitionUnit
from consolidation.models import Partitioning


def shares(text: str) -> dict[str, int]:
    """`dev=50,test=50` as a table."""
    found: dict[str, int] = {}
    for part in text.split(","):
        name, _, percent = part.partition("=")
        if not percent.isdigit() or name in found:
            raise ArgumentTypeError(f"{text!r} is not like dev=50,test=50")
        found[name.strip()] = int(percent)
    return found


class Command(BaseCommand):
    help = "Divide a project's sentences into train, dev and test; freeze the division."
    example = "manage.py partition wikinews --shares train=80,dev=10,test=10 --unit document"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project")
        parser.add_argument("--shares", type=shares, help="percentages, as in dev=50,test=50")
        parser.add_argument("--seed", type=int, help="the project's own unless given")
        parser.add_argument(
            "--unit",
            default=PartitionUnit.SENTENCE,
            choices=[PartitionUnit.SENTENCE, PartitionUnit.DOCUMENT],
            help="what is never split",
        )
        parser.add_argument(
            "--document",
            default=DOCUMENT_PATTERN,
            metavar="PATTERN",
            help="a regular expression whose group finds the document in a sentence's id",
        )
        parser.add_argument("--redraw", action="store_true", help="replace partitions there are")
        parser.add_argument("--freeze", action="store_true", help="they are published: no change")
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        project = project_named(options["project"])
        try:
            if options["shares"]:
                draw_partitions(project=project, draw=_draw(project, options), now=timezone.now())
            if options["freeze"]:
                freeze_partitions(project=project, now=timezone.now())
        except PartitionError as error:
            raise Refused(error) from error
        sizes = sizes_of(project=project)
        self.tell(_facts(project, sizes), _sentence(sizes), as_json=options["json"])


def _draw(project: Project, options: dict[str, Any]) -> Draw:
    return Draw(
        shares=options["shares"],
        seed=project.seed if options["seed"] is None else options["seed"],
        unit=options["unit"],
        document_pattern=options["document"],
        redraw=options["redraw"],
    )


def _facts(project: Project, sizes: Counter[tuple[str, str]]) -> dict[str, Any]:
    known = Partitioning.objects.filter(project=project).first()
    return {
        "unit": known and known.unit,
        "seed": known and known.seed,
        "frozen": bool(known and known.frozen_at),
        "sentences": [
            {"domain": domain, "partition": partition, "count": sizes[domain, partition]}
            for domain, partition in sorted(sizes)
        ],
    }


def _sentence(sizes: Counter[tuple[str, str]]) -> str:
    lines = [
        f"{domain or '(no domain)'} {partition or '(none)'}: {sizes[domain, partition]} sentences"
        for domain, partition in sorted(sizes)
    ]
    return "\n".join(lines) or "There are no sentences yet."
