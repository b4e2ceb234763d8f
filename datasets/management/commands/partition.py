from argparse import ArgumentParser, ArgumentTypeError
from collections import Counter
from typing import Any

from django.utils import timezone

from consolidation.enums import PartitionUnit
from datasets.domain.exports.partitions import Draw, draw_partitions, freeze_partitions, sizes_of
from datasets.models import Partitioning
from projects.command import Command as BaseCommand
from projects.command import project_named
from projects.models import Project


def shares(text: str) -> dict[str, int]:
    """Parse shares such as `dev=50,test=50`."""
    parsed: dict[str, int] = {}
    for part in text.split(","):
        name, _, percent = part.partition("=")
        if not percent.isdigit() or name in parsed:
            raise ArgumentTypeError(f"{text!r} is not like dev=50,test=50")
        parsed[name.strip()] = int(percent)
    return parsed


class Command(BaseCommand):
    help = "Divide a project's sentences into train, dev and test, or freeze the partitions."
    example = "manage.py partition wikinews --shares train=80,dev=10,test=10 --unit document"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project")
        parser.add_argument("--shares", type=shares, help="percentages, as in dev=50,test=50")
        parser.add_argument("--seed", type=int, help="defaults to the project's seed")
        parser.add_argument(
            "--unit",
            default=PartitionUnit.SENTENCE,
            choices=[PartitionUnit.SENTENCE, PartitionUnit.DOCUMENT],
            help="the unit that is never split",
        )
        parser.add_argument(
            "--document",
            default="",
            metavar="PATTERN",
            help="a regular expression whose group is the document in a sentence's id "
            "(default: the ids of the scheme's corpora)",
        )
        parser.add_argument("--redraw", action="store_true", help="replace existing partitions")
        parser.add_argument(
            "--freeze", action="store_true", help="freeze the partitions for publication"
        )
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        project = project_named(options["project"])
        if options["shares"]:
            draw_partitions(
                project=project,
                draw=Draw(
                    shares=options["shares"],
                    seed=project.seed if options["seed"] is None else options["seed"],
                    unit=options["unit"],
                    document_pattern=options["document"],
                    redraw=options["redraw"],
                ),
                now=timezone.now(),
            )
        if options["freeze"]:
            freeze_partitions(project=project, now=timezone.now())
        sizes = sizes_of(project=project)
        lines = [
            f"{domain or '(no domain)'} {partition or '(none)'}: {sizes[domain, partition]} sentences"
            for domain, partition in sorted(sizes)
        ]
        self.write_result(
            _facts(project, sizes),
            "\n".join(lines) or "There are no sentences yet.",
            as_json=options["json"],
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
