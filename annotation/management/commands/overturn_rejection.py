from argparse import ArgumentParser
from typing import Any

from django.utils import timezone

from annotation.domain.decide_submission import CanNotOverturn, overturn_rejection
from annotation.management.command import Command as BaseCommand
from annotation.management.command import Refused
from audit.domain.change_state import MoveRefused
from crowd.models import Assignment


class Command(BaseCommand):
    help = "Pay work that was rejected, after an appeal or a second look."
    example = 'manage.py overturn_rejection 3T3IWE1XG6NPU --reason "The question was sound."'

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("assignment", help="its id at the marketplace")
        parser.add_argument("--reason", required=True)
        parser.add_argument(
            "--pay-only", action="store_true", help="leave the work out all the same"
        )
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        wanted = options["assignment"]
        assignment = Assignment.objects.filter(external_id=wanted).order_by("-pk").first()
        if assignment is None:
            raise Refused(f"no assignment {wanted!r} has come in.")
        try:
            overturn_rejection(
                assignment=assignment,
                use=not options["pay_only"],
                reason=options["reason"],
                actor="command line",
                now=timezone.now(),
            )
        except (CanNotOverturn, MoveRefused) as error:
            raise Refused(error) from error
        facts = {"assignment": wanted, "used": not options["pay_only"]}
        self.tell(facts, f"Assignment {wanted} is paid by the next sweep.", as_json=options["json"])
