from argparse import ArgumentParser
from typing import Any

from django.utils import timezone

from annotation.domain.choose_copy import CanNotChoose, Copy
from annotation.management.command import Command as BaseCommand
from annotation.management.command import Refused
from annotation.models import Submission
from consolidation.domain.choose_copy import choose_copy_of


class Command(BaseCommand):
    help = (
        "Decide which copy of someone's work stands, ours or the marketplace's, where they differ."
    )
    example = 'manage.py choose_copy 812 theirs --reason "Ours was cut short."'

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("submission", type=int)
        parser.add_argument("copy", choices=[one.value for one in Copy])
        parser.add_argument("--reason", required=True, help="kept with the work")
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        handed_in = Submission.objects.filter(assignment__isnull=False)
        submission = handed_in.filter(pk=options["submission"]).first()
        if submission is None:
            raise Refused(f"no submission {options['submission']} by a worker.")
        try:
            accepted = choose_copy_of(
                submission=submission,
                copy=Copy(options["copy"]),
                reason=options["reason"],
                actor="command line",
                now=timezone.now(),
            )
        except CanNotChoose as error:
            raise Refused(error) from error
        sentence = "Accepted." if accepted else "Chosen; something else still waits for a person."
        facts = {"submission": submission.pk, "accepted": accepted}
        self.tell(facts, sentence, as_json=options["json"])
