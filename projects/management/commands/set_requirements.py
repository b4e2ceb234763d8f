from argparse import ArgumentParser
from typing import Any

from crowd.domain.workers.qualifications import system_requirements
from projects.command import Command as BaseCommand
from projects.command import project_named


class Command(BaseCommand):
    help = "Set the worker requirements of a project's future batches."
    example = "manage.py set_requirements news --approval-rate 95 --locales US GB CA AU"
    refusals = (ValueError,)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project")
        parser.add_argument("--approval-rate", type=int, help="minimum, in percent")
        parser.add_argument("--hits-approved", type=int, help="minimum number")
        parser.add_argument("--locales", nargs="+", default=[], help="countries, two letters each")
        parser.add_argument("--adult", action="store_true")
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        project = project_named(options["project"])
        names = ("approval_rate", "hits_approved", "locales", "adult")
        requirements = system_requirements(**{name: options[name] for name in names})
        project.worker_requirements = requirements
        project.save(update_fields=["worker_requirements"])
        sentence = f"Future batches of {project} have {len(requirements)} worker requirements."
        self.write_result({"requirements": requirements}, sentence, as_json=options["json"])
