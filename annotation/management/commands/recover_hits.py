from argparse import ArgumentParser
from typing import Any

from django.utils import timezone

from annotation.domain.adopt_found_hits import adopt_found_hits
from annotation.management.command import Command as BaseCommand
from annotation.management.command import Refused
from annotation.models import Project
from crowd.domain.hold_publishing import lift_hold
from crowd.domain.ledger import BudgetExceeded
from crowd.domain.marketplace import NO_ANSWER
from crowd.domain.recover_hits import list_all_hits
from crowd.models import FoundHit


class Command(BaseCommand):
    help = "Find our live HITs again after the database was restored from a backup."
    example = "manage.py recover_hits"

    def add_arguments(self, parser: ArgumentParser) -> None:
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        now = timezone.now()
        providers = Project.objects.order_by().values_list("provider", flat=True).distinct()
        adopted = 0
        try:
            for provider in list(providers):
                adopted += list_all_hits(provider=provider, now=now).adopted
            for project in Project.objects.select_related("budget").order_by("pk"):
                adopted += adopt_found_hits(project=project, now=now)
        except (*NO_ANSWER, BudgetExceeded) as error:
            raise Refused(error) from error
        lifted = lift_hold(actor="recover_hits", now=now)
        unknown = [
            {
                "hit": one.external_id,
                "title": one.title,
                "undecided_assignments": one.undecided_assignments,
            }
            for one in FoundHit.objects.filter(hit=None).order_by("pk")
        ]
        sentence = f"{adopted} HITs are ours again; {len(unknown)} are nobody's we know."
        if lifted:
            sentence += " Publishing goes on."
        facts = {"adopted": adopted, "unknown": unknown, "hold_lifted": lifted}
        self.tell(facts, sentence, as_json=options["json"])
