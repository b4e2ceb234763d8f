from argparse import ArgumentParser
from typing import Any

from django.utils import timezone

from annotation.domain.publishing.withdraw_items import items_by_key, restore_items, withdraw_items
from projects.command import Command as BaseCommand
from projects.command import project_named

ACTOR = "command line"


class Command(BaseCommand):
    help = (
        "Withdraw items or whole sentences: their HITs end, work in progress is paid, and they are "
        "not exported."
    )
    example = 'manage.py withdraw wikinews s17 --sentences --reason "Private data."'

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project")
        parser.add_argument("keys", nargs="+", metavar="KEY", help="items, as in the list of items")
        parser.add_argument(
            "--sentences", action="store_true", help="the keys are ids of sentences"
        )
        action = parser.add_mutually_exclusive_group(required=True)
        action.add_argument("--reason", default="", help="kept in the log")
        action.add_argument("--restore", action="store_true", help="undo a withdrawal")
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        project = project_named(options["project"])
        items = items_by_key(project=project, keys=options["keys"], sentences=options["sentences"])
        now = timezone.now()
        if options["restore"]:
            count = restore_items(items=items, actor=ACTOR, now=now)
        else:
            count = withdraw_items(items=items, reason=options["reason"], actor=ACTOR, now=now)
        done = "restored" if options["restore"] else "withdrawn"
        self.write_result({done: count}, f"{done.capitalize()}: {count}.", as_json=options["json"])
