import os
import signal
import subprocess
import sys
import threading
import time
from argparse import ArgumentParser
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import django
from django.conf import settings
from django.core.management import call_command
from django.db import DatabaseError
from django.db.migrations.exceptions import InconsistentMigrationHistory
from django.utils import timezone

from annotation.domain.publish import NothingToPublishError, publish_batch
from audit.errors import TouchstoneError
from consolidation.protocols import protocol_of
from datasets.domain.export_gold import formats_of
from datasets.domain.queue_export import queue_export
from projects.command import Command as BaseCommand
from projects.command import InputError
from projects.enums import Role
from projects.models import Project
from qualification.domain.decide import pool_of
from qualification.domain.set_up_rounds import RoundSetupError
from qualification.models import Enrolment
from rehearsal.domain.browser import SiteUnreachableError
from rehearsal.domain.demo import OPEN, OPEN_ITEMS, STAFF, WORKER, prepare_demo
from rehearsal.domain.scenario import Scenario
from rehearsal.domain.site import Site, SiteError
from rehearsal.domain.train import prepare_rounds
from rehearsal.domain.worker import RehearsalFailedError, SimulatedWorker
from rehearsal.domain.workers_setup import make_account, train
from schemes.base import FileError

TRAINEES = "6"
# A different seed, so that production has other workers than the training
PRODUCTION_SEED = "2"
# Errors that data of another version or of an interrupted demo can cause
OF_OTHER_DATA = (DatabaseError, InconsistentMigrationHistory, FileError, TouchstoneError)
ELSEWHERE = (
    "The data may be from an older demo. Move {var} away to start the next demo with new data."
)


class Command(BaseCommand):
    help = "Start the platform with a rehearsed campaign and its own data."
    example = "manage.py demo --once"
    # Skipped to start faster.
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--once", action="store_true", help="stop after the campaign")

    def handle(self, *args: Any, **options: Any) -> None:
        if not settings.DEMO:
            _start_again_as_demo()
        try:
            self._run(once=options["once"])
        except (SiteError, SiteUnreachableError) as error:
            raise InputError(error) from error
        except OF_OTHER_DATA as error:
            raise InputError(f"{error} {ELSEWHERE.format(var=settings.VAR_DIR)}") from error
        self._say("Stopped. The demo's data stay where they are; `make demo` continues with them.")

    def _run(self, *, once: bool) -> None:
        self._say("Preparing the database ...")
        call_command("migrate", verbosity=0)
        self._say("Starting the web server and the background worker, reading the corpus ...")
        # In a process of its own, which returns the memory that the corpora need
        with ProcessPoolExecutor(1, get_context("spawn"), initializer=django.setup) as process:
            preparing = process.submit(prepare_demo, now=timezone.now())
            with Site(SWEEP_SECONDS="1") as site:
                projects = preparing.result()
                process.shutdown()
                self._say(f"\n{_guide(projects)}\n")
                for project in projects:
                    self._show(project)
                _open_for_trying()
                self._say(f"\n{_guide(projects)}")
                if not once:
                    site.restart_worker({})  # with the usual interval of sweeps, to idle quietly
                    self._say("\nPress Ctrl-C to stop.")
                    _wait_for_the_end()

    def _show(self, project: Project) -> None:
        if not Enrolment.objects.filter(round__project=project).exists():
            self._train(project)
        self._say(f"{project.title}: rehearsing production with trained workers ...")
        _rehearse(project, "--workers", "6", "--skill", "0.92", "--seed", PRODUCTION_SEED)
        self._say(f"The exported gold is in {self._export(project)}")

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
        _rehearse(project, "--train", TRAINEES)

    def _say(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()


def _start_again_as_demo() -> None:
    """Run the command again with demo settings and data, because its passwords are public."""
    environment = {**os.environ, "DEMO": "true", "VAR_DIR": str(Path(settings.VAR_DIR) / "demo")}
    for name in ("DATABASE_URL", "REDIS_URL", "MTURK_ENDPOINT_URL", "SECRET_KEY"):
        environment.pop(name, None)
    sys.stdout.flush()
    os.execve(sys.executable, [sys.executable, *sys.argv], environment)  # noqa: S606


def _rehearse(project: Project, *options: str) -> None:
    """Rehearse in a process of its own, because the demo's process stays and memory is not freed."""
    command = [sys.executable, "manage.py", "rehearse", project.slug, "--url", settings.SITE_URL]
    ended = subprocess.run([*command, *options], cwd=settings.BASE_DIR, check=False)  # noqa: S603
    if ended.returncode:
        raise RehearsalFailedError("The rehearsal failed.")


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
        publish_batch(project=project, limit=OPEN_ITEMS, pool=pool, now=timezone.now())


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


def _wait_for_the_end() -> None:
    stopped = threading.Event()
    for signal_number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(signal_number, lambda *_: stopped.set())
    stopped.wait()
