from argparse import ArgumentParser
from typing import Any

from django.utils import timezone

from annotation.domain.decisions.decide_submission import overturn_rejection
from crowd.models import Assignment
from projects.command import Command as BaseCommand
from projects.command import InputError


class Command(BaseCommand):
    help = "Pay for a rejected assignment, for example after an appeal."
    example = 'manage.py overturn_rejection 3T3IWE1XG6NPU --reason "The work was sound."'

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("assignment", help="its id at the marketplace")
        parser.add_argument("--reason", required=True)
        parser.add_argument("--pay-only", action="store_true", help="do not use the work")
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        external_id = options["assignment"]
        assignment = Assignment.objects.filter(external_id=external_id).order_by("-pk").first()
        if assignment is None:
            raise InputError(f"no assignment {external_id!r} was received.")
        overturn_rejection(
            assignment=assignment,
            use=not options["pay_only"],
            reason=options["reason"],
            actor="command line",
            now=timezone.now(),
        )
        facts = {"assignment": external_id, "used": not options["pay_only"]}
        sentence = f"Assignment {external_id} will be paid shortly."
        self.write_result(facts, sentence, as_json=options["json"])
