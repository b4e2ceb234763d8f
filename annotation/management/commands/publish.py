from argparse import ArgumentParser
from typing import Any

from django.utils import timezone

from annotation.domain.publish import publish_batch
from crowd.domain.qualifications import system_requirements
from crowd.models import QualificationType
from projects.command import Command as BaseCommand
from projects.command import InputError, project_named


class Command(BaseCommand):
    help = "Publish a project's unpublished items to generators."
    example = "manage.py publish wikinews-dev --limit 100 --pool wikinews-dev-generator"
    refusals = (ValueError,)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project")
        parser.add_argument("--limit", type=int, help="at most this many items")
        parser.add_argument("--pool", help="admit only holders of this qualification")
        parser.add_argument("--keep-open", type=int, help="number of HITs to keep open")
        parser.add_argument(
            "--groups", type=int, nargs="+", help="admit only holders of the pool with these values"
        )
        parser.add_argument(
            "--approval-rate", type=int, help="minimum approval rate of the workers, in percent"
        )
        parser.add_argument(
            "--locales", nargs="+", default=[], help="countries of the workers, two letters each"
        )
        parser.add_argument("--cap-cents", type=int, help="maximum cost of the batch")
        parser.add_argument(
            "--auto-approval-hours",
            type=int,
            default=72,
            help="hours until pending submissions are approved automatically",
        )
        parser.add_argument(
            "--republications",
            type=int,
            default=3,
            help="maximum automatic republications per item",
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
                raise InputError(f"no qualification {options['pool']!r}.")
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
            republish_limit=options["republications"],
            actor="command line",
            now=timezone.now(),
        )
        count = batch.tasks.count()
        sentence = f"{count} HITs are being created."
        self.write_result({"batch": batch.pk, "hits": count}, sentence, as_json=options["json"])
