from argparse import ArgumentParser
from typing import Any

from annotation.management.command import Command as BaseCommand
from annotation.management.command import Refused, project_named
from crowd.domain.qualifications import system_requirements


class Command(BaseCommand):
    help = "Say what every HIT of a project asks of its workers (batches published from now on)."
    example = "manage.py set_requirements news --approval-rate 95 --locales US GB CA AU"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project")
        parser.add_argument("--approval-rate", type=int, help="at least so many percent")
        parser.add_argument("--hits-approved", type=int, help="at least so many")
        parser.add_argument("--locales", nargs="+", default=[], help="countries, two letters each")
        parser.add_argument("--adult", action="store_true")
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        project = project_named(options["project"])
        names = ("approval_rate", "hits_approved", "locales", "adult")
        try:
            asked = system_requirements(**{name: options[name] for name in names})
        except ValueError as error:
            raise Refused(error) from error
        project.worker_requirements = asked
        project.save(update_fields=["worker_requirements"])
        sentence = f"{project} asks {len(asked)} things of its workers from now on."
        self.tell({"requirements": asked}, sentence, as_json=options["json"])
