from argparse import ArgumentParser
from typing import Any

from django.utils import timezone

from annotation.domain.publishing.adopt_orphan_hits import adopt_orphan_hits
from crowd.domain.provider.hold_publishing import lift_hold
from crowd.domain.provider.providers import NO_ANSWER
from crowd.domain.provider.recover_hits import list_all_hits
from crowd.models import OrphanHit
from projects.command import Command as BaseCommand
from projects.models import Project


class Command(BaseCommand):
    help = "Recover live HITs after the database was restored from a backup."
    example = "manage.py recover_hits"
    refusals = NO_ANSWER

    def add_arguments(self, parser: ArgumentParser) -> None:
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        now = timezone.now()
        providers = Project.objects.order_by().values_list("provider", flat=True).distinct()
        projects = Project.objects.select_related("budget").order_by("pk")
        adopted = sum(list_all_hits(provider=provider, now=now) for provider in list(providers))
        adopted += sum(adopt_orphan_hits(project=project, now=now) for project in projects)
        lifted = lift_hold(actor="recover_hits", now=now)
        unknown = [
            {
                "hit": orphan.external_id,
                "title": orphan.title,
                "undecided_assignments": orphan.undecided_assignments,
            }
            for orphan in OrphanHit.objects.filter(hit=None).order_by("pk")
        ]
        sentence = f"{adopted} HITs recovered, {len(unknown)} unknown."
        if lifted:
            sentence += " Publishing has resumed."
        facts = {"adopted": adopted, "unknown": unknown, "hold_lifted": lifted}
        self.write_result(facts, sentence, as_json=options["json"])
