from argparse import ArgumentParser
from typing import Any

from django.utils import timezone

from crowd.domain.workers.block_worker import block_worker, lift_block
from projects.command import Command as BaseCommand
from projects.command import InputError, worker_named


class Command(BaseCommand):
    help = "Block a worker from all HITs, or lift the block."
    example = 'manage.py block_worker WBCDFGHJKL --reason "Copied answers, warned twice."'

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("worker", help="pseudonym, or id at the marketplace")
        parser.add_argument("--reason", required=True)
        parser.add_argument("--lift", action="store_true", help="lift the block")
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        worker = worker_named(options["worker"])
        terms = {"worker": worker, "reason": options["reason"], "actor": "command line"}
        if not options["lift"]:
            block_worker(**terms, now=timezone.now())
        elif not lift_block(**terms, now=timezone.now()):
            raise InputError(f"{worker} is not blocked.")
        state = "unblocked" if options["lift"] else "blocked"
        facts = {"worker": worker.pseudonym, "blocked": not options["lift"]}
        sentence = f"{worker} will be {state} by the next sweep."
        self.write_result(facts, sentence, as_json=options["json"])
