from argparse import ArgumentParser
from typing import Any

from consolidation.domain.gold.index_gold import rebuild_index
from projects.command import Command as BaseCommand
from projects.command import project_named


class Command(BaseCommand):
    help = "Rebuild the search index of the page Gold, for example after an upgrade or a scheme change."
    example = "manage.py index_gold wikinews-dev"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project")
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        indexed = rebuild_index(project=project_named(options["project"]))
        self.write_result(
            {"indexed": indexed}, f"{indexed} gold annotations.", as_json=options["json"]
        )
