from argparse import ArgumentParser
from typing import Any

from django.utils import timezone

from annotation.domain.publishing.queries import workers_of
from crowd.domain.workers.write_messages import write_messages
from projects.command import Command as BaseCommand
from projects.command import project_named, worker_named


class Command(BaseCommand):
    help = "Send a message to workers of a project."
    example = 'manage.py message_workers news --subject "Guidelines" --text "Version 2 is out."'
    refusals = (ValueError,)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project")
        parser.add_argument("--subject", required=True)
        parser.add_argument("--text", required=True)
        parser.add_argument("--to", nargs="+", help="pseudonyms or ids (default: everyone)")
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        project = project_named(options["project"])
        everyone = workers_of(project=project)
        to = [worker_named(name) for name in options["to"]] if options["to"] else list(everyone)
        written = write_messages(
            budget=project.budget,
            workers=to,
            subject=options["subject"],
            text=options["text"],
            now=timezone.now(),
        )
        sentence = f"{len(written)} messages will be sent by the next sweep."
        self.write_result({"messages": len(written)}, sentence, as_json=options["json"])
