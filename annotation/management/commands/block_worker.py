from argparse import ArgumentParser
from typing import Any

from django.utils import timezone

from annotation.management.command import Command as BaseCommand
from annotation.management.command import Refused, worker_named
from crowd.domain.block_worker import block_worker, lift_block


class Command(BaseCommand):
    help = "Keep a worker out of our HITs, or let them in again."
    example = 'manage.py block_worker WBCDFGHJKL --reason "Copied answers, warned twice."'

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("worker", help="pseudonym, or id at the marketplace")
        parser.add_argument("--reason", required=True)
        parser.add_argument("--lift", action="store_true", help="let them in again")
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        worker = worker_named(options["worker"])
        terms = {"worker": worker, "reason": options["reason"], "actor": "command line"}
        if options["lift"]:
            if not lift_block(**terms, now=timezone.now()):
                raise Refused(f"{worker} is not blocked.")
        else:
            block_worker(**terms, now=timezone.now())
        done = "let in again" if options["lift"] else "kept out"
        facts = {"worker": worker.pseudonym, "blocked": not options["lift"]}
        self.tell(facts, f"{worker} is {done} by the next sweep.", as_json=options["json"])
