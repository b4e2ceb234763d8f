from argparse import ArgumentParser
from typing import Any

from annotation.management.command import Command as BaseCommand
from annotation.management.command import project_named
from consolidation.domain.index_gold import rebuild_index


class Command(BaseCommand):
    help = (
        "Builds anew what the page Gold is searched by: after an upgrade, or a change of a scheme."
    )
    example = "manage.py index_gold wikinews-dev"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project")
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        indexed = rebuild_index(project=project_named(options["project"]))
        self.tell({"indexed": indexed}, f"{indexed} gold annotations.", as_json=options["json"])
