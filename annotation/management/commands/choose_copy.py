from argparse import ArgumentParser
from typing import Any

from django.utils import timezone

from annotation.domain.choose_copy import CanNotChoose, Copy, choose_copy
from annotation.domain.record_generations import parse_generation
from annotation.enums import Role
from annotation.management.command import Command as BaseCommand
from annotation.management.command import Refused
from annotation.models import Submission


class Command(BaseCommand):
    help = "Decide which copy of a generation stands, ours or the marketplace's, where they differ."
    example = "manage.py choose_copy 812 theirs"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("submission", type=int)
        parser.add_argument("copy", choices=[one.value for one in Copy])
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        generations = Submission.objects.filter(role=Role.GENERATOR)
        submission = generations.filter(pk=options["submission"]).first()
        if submission is None:
            raise Refused(f"no generation {options['submission']}.")
        try:
            accepted = choose_copy(
                submission=submission,
                copy=Copy(options["copy"]),
                parse=parse_generation,
                actor="command line",
                now=timezone.now(),
            )
        except CanNotChoose as error:
            raise Refused(error) from error
        sentence = "Accepted." if accepted else "Chosen; something else still waits for a person."
        facts = {"submission": submission.pk, "accepted": accepted}
        self.tell(facts, sentence, as_json=options["json"])
