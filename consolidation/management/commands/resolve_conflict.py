from argparse import ArgumentParser
from typing import Any

from django.utils import timezone

from annotation.models import Submission
from consolidation.domain.reviews.resolve_conflict import Version, resolve_conflict
from projects.command import Command as BaseCommand
from projects.command import InputError


class Command(BaseCommand):
    help = "Choose between our copy and the marketplace's copy of a submission if they differ."
    example = 'manage.py resolve_conflict 812 theirs --reason "Ours was cut short."'

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("submission", type=int)
        parser.add_argument("copy", choices=[version.value for version in Version])
        parser.add_argument("--reason", required=True, help="stored with the submission")
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        submissions = Submission.objects.filter(assignment__isnull=False)
        submission = submissions.filter(pk=options["submission"]).first()
        if submission is None:
            raise InputError(f"no submission {options['submission']} by a worker.")
        accepted = resolve_conflict(
            submission=submission,
            copy=Version(options["copy"]),
            reason=options["reason"],
            actor="command line",
            now=timezone.now(),
        )
        sentence = "Accepted." if accepted else "Chosen. Another problem still needs a decision."
        facts = {"submission": submission.pk, "accepted": accepted}
        self.write_result(facts, sentence, as_json=options["json"])
