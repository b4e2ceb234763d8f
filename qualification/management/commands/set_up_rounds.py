from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.utils import timezone

from annotation.domain.corpus.source_files import ReadOptions
from annotation.reading_options import add_reading_options, reading_given
from projects.command import Command as BaseCommand
from projects.command import project_named
from projects.domain.schemes import scheme_of
from qualification.domain.rounds.set_up_rounds import (
    PRESETS,
    plans_of_preset,
    read_given_annotations,
    read_round_items,
    set_up_rounds,
)
from schemes.contract.errors import MissingPartError


class Command(BaseCommand):
    help = "Set up a project's qualification rounds over items that have an expert's reference."
    example = "manage.py set_up_rounds wikinews-dev rounds.csv"
    refusals = (MissingPartError,)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project")
        parser.add_argument(
            "file", type=Path, nargs="?", help="table with the columns item and round"
        )
        parser.add_argument(
            "--annotations",
            type=Path,
            help="gold file with two people's annotations of each item, for consolidators to merge",
        )
        parser.add_argument("--preset", choices=list(PRESETS), default=next(iter(PRESETS)))
        add_reading_options(parser)
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        project = project_named(options["project"])
        scheme = scheme_of(project)
        reading, merge = reading_given(options), options["annotations"]
        items = options["file"]
        keys = read_round_items(project, items, options=reading) if items else {}
        # The columns are those of the items.
        encoded = ReadOptions(encoding=reading.encoding)
        given = read_given_annotations(project, merge, options=encoded) if merge else {}
        plans = plans_of_preset(scheme=scheme, preset=options["preset"], keys=keys, given=given)
        made = set_up_rounds(
            project=project, plans=plans, actor="set_up_rounds", now=timezone.now()
        )
        rounds = [{"title": round.title, "items": round.round_items.count()} for round in made]
        report = "\n".join(f"{round['title']}: {round['items']} items" for round in rounds)
        self.write_result(
            {"project": project.slug, "rounds": rounds}, report, as_json=options["json"]
        )
