from argparse import ArgumentParser
from typing import Any

from django.utils import timezone

from annotation.domain.compensate import publish_compensation
from crowd.domain.ledger import BudgetExceededError
from projects.command import Command as BaseCommand
from projects.command import (
    InputError,
    project_named,
    worker_named,
)


class Command(BaseCommand):
    help = "Pay a worker for work that no HIT can pay, with a HIT only for them."
    example = 'manage.py compensate news WBCDFGHJKL 54 --for 3T3IWE1XG6 --reason "The HIT ran out."'

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project")
        parser.add_argument("worker", help="pseudonym, or id at the marketplace")
        parser.add_argument("cents", type=int, help="amount for the worker, without the fee")
        parser.add_argument(
            "--for",
            dest="key",
            required=True,
            help="the work, such as an assignment id; each is paid once",
        )
        parser.add_argument("--reason", required=True, help="shown to the worker")
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        worker = worker_named(options["worker"])
        try:
            offer = publish_compensation(
                project=project_named(options["project"]),
                worker=worker,
                amount_cents=options["cents"],
                reason=options["reason"],
                key=options["key"],
                actor="command line",
                now=timezone.now(),
            )
        except (BudgetExceededError, ValueError) as error:
            raise InputError(error) from error
        facts = {"compensation": offer.pk, "worker": worker.pseudonym, "hit": offer.hit.token}
        self.write_result(
            facts, f"{worker} will find the HIT in their list soon.", as_json=options["json"]
        )
