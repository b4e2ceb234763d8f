from argparse import ArgumentParser
from typing import Any

from django.utils import timezone

from annotation.domain.work.compensate import publish_compensation
from projects.command import Command as BaseCommand
from projects.command import project_named, worker_named


class Command(BaseCommand):
    help = "Pay a worker for lost or expired work, with a HIT that only they can see."
    example = 'manage.py compensate news WBCDFGHJKL 54 --for 3T3IWE1XG6 --reason "The HIT ran out."'
    refusals = (ValueError,)

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
        compensation = publish_compensation(
            project=project_named(options["project"]),
            worker=worker,
            amount_cents=options["cents"],
            reason=options["reason"],
            key=options["key"],
            actor="command line",
            now=timezone.now(),
        )
        facts = {
            "compensation": compensation.pk,
            "worker": worker.pseudonym,
            "hit": compensation.hit.token,
        }
        sentence = f"{worker} will find the HIT in their list soon."
        self.write_result(facts, sentence, as_json=options["json"])
