from argparse import ArgumentParser
from typing import Any

from django.utils import timezone

from annotation.domain.publish import NothingToPublish, publish_batch
from annotation.management.command import Command as BaseCommand
from annotation.management.command import Refused, project_named
from crowd.domain.ledger import BudgetExceeded
from crowd.domain.qualifications import system_requirements
from crowd.models import QualificationType


class Command(BaseCommand):
    help = "Offer a project's unoffered items to generators."
    example = "manage.py publish wikinews-dev --limit 100 --pool wikinews-dev-generator"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project")
        parser.add_argument("--limit", type=int, help="at most this many items")
        parser.add_argument("--pool", help="only holders of this qualification may work")
        parser.add_argument("--keep-open", type=int, help="have so many HITs open at a time")
        parser.add_argument(
            "--groups", type=int, nargs="+", help="only holders of the pool with these values"
        )
        parser.add_argument(
            "--approval-rate", type=int, help="of the workers, at least, in percent"
        )
        parser.add_argument("--locales", nargs="+", default=[], help="their countries, two letters")
        parser.add_argument("--cap-cents", type=int, help="the batch may cost at most so much")
        parser.add_argument(
            "--auto-approval-hours", type=int, default=72, help="undecided work is approved then"
        )
        parser.add_argument(
            "--reoffers",
            type=int,
            default=3,
            help="so often an item that comes back short; 0: never",
        )
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        project = project_named(options["project"])
        pool = None
        if options["pool"]:
            pool = QualificationType.objects.filter(
                provider=project.provider, code=options["pool"]
            ).first()
            if pool is None:
                raise Refused(f"no qualification {options['pool']!r}.")
        try:
            batch = publish_batch(
                project=project,
                limit=options["limit"],
                pool=pool,
                groups=options["groups"] or (),
                requirements=system_requirements(
                    approval_rate=options["approval_rate"], locales=options["locales"]
                ),
                keep_open=options["keep_open"],
                cap_cents=options["cap_cents"],
                auto_approval_seconds=options["auto_approval_hours"] * 3600,
                reoffer_limit=options["reoffers"],
                now=timezone.now(),
            )
        except (NothingToPublish, BudgetExceeded, ValueError) as error:
            raise Refused(error) from error
        count = batch.tasks.count()
        sentence = f"{count} HITs are on their way to the marketplace."
        self.tell({"batch": batch.pk, "hits": count}, sentence, as_json=options["json"])
