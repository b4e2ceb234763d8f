"""The demo's campaign, in a process that ends with it and returns its memory."""

import time
from argparse import ArgumentParser
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.db import DatabaseError
from django.utils import timezone

from annotation.domain.publishing.publish import NothingToPublishError, publish_batch
from annotation.domain.publishing.withdraw_items import withdraw_items
from audit.errors import TouchstoneError
from consolidation.protocols import protocol_of
from crowd.enums import HitState
from crowd.models import Hit
from datasets.domain.exports.export_gold import formats_of
from datasets.domain.exports.queue_export import queue_export
from projects.command import Command as BaseCommand
from projects.command import InputError
from projects.enums import Role
from projects.models import Project
from qualification.domain.pool.admit import pool_of
from qualification.domain.rounds.set_up_rounds import RoundSetupError
from qualification.models import Enrolment
from rehearsal.domain.browser import SiteUnreachableError
from rehearsal.domain.demo import OPEN, OPEN_ITEMS, STAFF, WORKER, prepare_demo
from rehearsal.domain.scenario import Scenario
from rehearsal.domain.site import START_SECONDS, SiteError, wait_until_up
from rehearsal.domain.train import prepare_rounds
from rehearsal.domain.worker import RehearsalFailedError, SimulatedWorker
from rehearsal.domain.workers_setup import make_account, train
from rehearsal.management.commands.demo import ELSEWHERE, add_items
from schemes.contract.errors import FileError

TRAINEES = 6
# Enough for some trainees to pass in every scheme, and for some to fail
MIN_SKILL = 0.75
# Errors that data of another version or of an interrupted demo can cause
OF_OTHER_DATA = (DatabaseError, FileError, TouchstoneError)


class Command(BaseCommand):
    help = "Prepare the demo's projects and rehearse them on its site. `demo` runs this."
    example = "manage.py demo --once"
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_items(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            self._run(options["items"])
        except (SiteError, SiteUnreachableError) as error:
            raise InputError(error) from error
        except OF_OTHER_DATA as error:
            raise InputError(f"{error} {ELSEWHERE.format(var=settings.VAR_DIR)}") from error

    def _run(self, items: int | None) -> None:
        projects = prepare_demo(now=timezone.now())
        wait_until_up(settings.SITE_URL, seconds=START_SECONDS)
        self._say(f"\n{_guide(projects)}\n")
        for project in projects:
            if not Enrolment.objects.filter(round__project=project).exists():
                self._train(project)
            if items is not None:
                _withdraw_others(project, items)
            self._say(f"{project.title}: rehearsing production with trained workers ...")
            # The trainees who passed, so that a visitor can follow a worker from training to gold
            self._rehearse(project, workers=TRAINEES, skill=0.92, trained=True)
            self._say(f"The exported gold is in {self._export(project)}")
        _open_for_trying()
        self._say(f"\n{_guide(projects)}")

    def _export(self, project: Project) -> Path:
        """Export the gold as a job of the site, and return its folder."""
        now, source = timezone.now(), protocol_of(project).gold_source
        fmt = formats_of(project)[0]
        job = queue_export(project=project, fmt=fmt, source=source, actor="demo", now=now)
        while job.is_unfinished:
            time.sleep(0.5)
            job.refresh_from_db()
        if job.problem:
            raise RehearsalFailedError(job.problem)
        return Path(settings.EXPORT_DIR) / job.scope / str(job.pk)

    def _train(self, project: Project) -> None:
        try:
            prepare_rounds(project, None)
        except RoundSetupError as error:
            # An older demo without rounds, whose items are already annotated
            advice = ELSEWHERE.format(var=settings.VAR_DIR)
            self._say(f"The training is skipped. {error} {advice}\n")
            return
        self._say(f"{project.title}: rehearsing the training with simulated trainees ...")
        self._rehearse(project, train=TRAINEES, min_skill=MIN_SKILL)

    def _rehearse(self, project: Project, **options: Any) -> None:
        call_command("rehearse", project.slug, url=settings.SITE_URL, stdout=self.stdout, **options)

    def _say(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()


def _withdraw_others(project: Project, count: int) -> None:
    """Withdraw all items but the first ones."""
    items = project.items.filter(in_production=True)
    first = items.order_by("position", "pk").values_list("pk", flat=True)[:count]
    others = items.exclude(pk__in=list(first))
    withdraw_items(items=others, reason="A short demo.", actor="demo", now=timezone.now())


def _open_for_trying() -> None:
    """Create a worker's account, and publish HITs that only this worker can accept."""
    project = Project.objects.get(slug=OPEN)
    account = make_account(name=WORKER.name, password=WORKER.password)
    visitor = SimulatedWorker(
        site=settings.SITE_URL, account=account, script=Scenario(project, {}, None, 0)
    )
    train(project=project, worker_ids=[visitor.sign_in()], now=timezone.now())
    pool = pool_of(project, Role.GENERATOR)
    with suppress(NothingToPublishError):
        batch = publish_batch(project=project, limit=OPEN_ITEMS, pool=pool, now=timezone.now())
        while Hit.objects.filter(task__batch=batch, state=HitState.PENDING).exists():
            time.sleep(0.5)


def _guide(projects: Sequence[Project]) -> str:
    site = settings.SITE_URL
    logins = [f"  {login.role:<9}{login.name:<10}{login.password}" for login in STAFF]
    return "\n".join(
        [
            f"Touchstone runs at        {site}/",
            *(f"Watch a campaign at       {site}/projects/{p.slug}/" for p in projects),
            f"The workers' site is at   {site}/hits/",
            "",
            "Demo logins (never use these passwords elsewhere):",
            *logins,
            f"  {WORKER.role:<9}{WORKER.name:<10}{WORKER.password}  (at {site}/hits/)",
        ]
    )
