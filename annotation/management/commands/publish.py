from argparse import ArgumentParser
from typing import Any

from django.utils import timezone

from annotation.domain.publishing.arms import ArmPlan, ArmsError
from annotation.domain.publishing.choose_workers import Who, choose_workers
from annotation.domain.publishing.publish import publish_batch
from crowd.domain.workers.qualifications import system_requirements
from projects.command import Command as BaseCommand
from projects.command import project_named
from projects.domain.pay_warnings import pay_warnings
from touchstone.program import as_called


class Command(BaseCommand):
    help = "Publish a project's unpublished items to generators."
    example = "manage.py publish wikinews-dev --limit 100"
    refusals = (ValueError,)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project")
        parser.add_argument("--limit", type=int, help="at most this many items")
        parser.add_argument(
            "--who",
            choices=list(Who),
            help="the trained pool or anyone (default: the pool, if the project has one)",
        )
        parser.add_argument(
            "--pool", help="admit only holders of this qualification of the project"
        )
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
        parser.add_argument(
            "--arm",
            nargs=2,
            action="append",
            default=[],
            dest="arms",
            metavar=("WHAT", "PERCENT"),
            help="give this share of the items, drawn at random, this help: project, "
            "suggestions:off, pre-annotation:NAME, source:NAME, shown-source:NAME or annotator:NAME, "
            "where NAME is a model or imported predictions",
        )
        parser.add_argument(
            "--assist-test-items", action="store_true", help="assign test items to arms too"
        )
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        project = project_named(options["project"])
        workers = choose_workers(
            project=project,
            who=options["who"] or "",
            code=options["pool"] or "",
            groups=options["groups"] or (),
        )
        if workers.pool is None and project.rounds.exists():
            self.stderr.write(
                "Any worker can do this work, although the project has training rounds."
            )
        for warning in pay_warnings(project=project):
            self.stderr.write(f"{warning} Set limits on the page Pay.")
        batch = publish_batch(
            project=project,
            limit=options["limit"],
            pool=workers.pool,
            groups=workers.groups,
            requirements=system_requirements(
                approval_rate=options["approval_rate"], locales=options["locales"]
            ),
            keep_open=options["keep_open"],
            cap_cents=options["cap_cents"],
            auto_approval_seconds=options["auto_approval_hours"] * 3600,
            republish_limit=options["republications"],
            arms=[_arm(code, percent) for code, percent in options["arms"]],
            assists_test_items=options["assist_test_items"],
            actor="command line",
            now=timezone.now(),
        )
        count = batch.to_publish or batch.tasks.count()
        are = "is" if count == 1 else "are"
        sentence = f"{project.hits_noun.count(count)} {are} being created."
        if batch.to_publish:
            show = as_called(f"manage.py batch {batch.pk} show")
            sentence += f" `{show}` prints how many have been published."
        facts = {"batch": batch.pk, "state": batch.state, "hits": count}
        self.write_result(facts, sentence, as_json=options["json"])


def _arm(code: str, percent: str) -> ArmPlan:
    if not percent.isdecimal():
        raise ArmsError(f"{percent!r} is not a share in percent.")
    return ArmPlan.of_code(code, int(percent))
