from argparse import ArgumentParser
from typing import Any

from django.utils import timezone

from annotation.domain.compensate import offer_compensation
from annotation.management.command import Command as BaseCommand
from annotation.management.command import Refused, project_named, worker_named
from crowd.domain.ledger import BudgetExceeded


class Command(BaseCommand):
    help = "Pay a worker for work that no HIT can pay any more, by a HIT for them alone."
    example = 'manage.py compensate news WBCDFGHJKL 54 --for 3T3IWE1XG6 --reason "The HIT ran out."'

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project")
        parser.add_argument("worker", help="pseudonym, or id at the marketplace")
        parser.add_argument("cents", type=int, help="what they get; the fee comes on top")
        parser.add_argument(
            "--for", dest="key", required=True, help="the work, such as an assignment: paid once"
        )
        parser.add_argument("--reason", required=True, help="read by the worker")
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        worker = worker_named(options["worker"])
        try:
            offer = offer_compensation(
                project=project_named(options["project"]),
                worker=worker,
                amount_cents=options["cents"],
                reason=options["reason"],
                key=options["key"],
                actor="command line",
                now=timezone.now(),
            )
        except (BudgetExceeded, ValueError) as error:
            raise Refused(error) from error
        facts = {"compensation": offer.pk, "worker": worker.pseudonym, "hit": offer.hit.token}
        self.tell(facts, f"{worker} finds it among their HITs soon.", as_json=options["json"])
