import os
import signal
import sys
import threading
from argparse import ArgumentParser
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.db import DatabaseError, connection
from django.db.migrations.exceptions import InconsistentMigrationHistory
from django.utils import timezone
from tqdm import tqdm

from annotation.domain.publish import NothingToPublish, publish_batch
from annotation.enums import Role
from annotation.management.command import Command as BaseCommand
from annotation.management.command import Refused
from annotation.models import Project
from consolidation.domain.export_gold import ExportOptions, export_gold
from crowd.domain.ledger import BudgetExceeded
from qualification.domain.publish_round import RoundNotPublished
from qualification.domain.set_up_rounds import RoundsRefused
from qualification.models import Enrolment
from rehearsal.domain.browser import SiteGone
from rehearsal.domain.crew import make_account, pool_of, train
from rehearsal.domain.demo import OPEN, OPEN_ITEMS, REHEARSED, STAFF, WORKER, prepare_demo
from rehearsal.domain.rehearse import Options, rehearse
from rehearsal.domain.script import NoReference, Script
from rehearsal.domain.site import Site, SiteError, static_files_collected
from rehearsal.domain.train import TrainingOptions, prepare_rounds, rehearse_training
from rehearsal.domain.worker import RehearsalFailed, SimulatedWorker
from rehearsal.management.commands.rehearse import summary, training_summary
from schemes.base import FileError

TRAINEES = 6
# Another crew than the trainees: some of those were turned down.
PRODUCTION_SEED = 2
# What the data of another version, or of a demo that was stopped half-way, may lead to.
OF_OTHER_DATA = (
    *(DatabaseError, InconsistentMigrationHistory, FileError, NoReference, NothingToPublish),
    *(BudgetExceeded, RoundsRefused, RoundNotPublished, RehearsalFailed),
)
ELSEWHERE = (
    "These may be the data of an older demo; with {var} out of the way, the next one begins anew."
)


class Command(BaseCommand):
    help = "Start the whole platform with a rehearsed campaign, in a place of its own."
    example = "manage.py demo --once"
    # They load every route, and what runs here is started anew in a moment.
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--once", action="store_true", help="stop when all is shown")

    def handle(self, *args: Any, **options: Any) -> None:
        if not settings.DEMO:
            _start_again_as_demo()
        try:
            self._run(once=options["once"])
        except (SiteError, SiteGone) as error:
            raise Refused(error) from error
        except OF_OTHER_DATA as error:
            raise Refused(f"{error} {ELSEWHERE.format(var=settings.VAR_DIR)}") from error
        self._say("Stopped. The demo's data stay where they are; `make demo` goes on with them.")

    def _run(self, *, once: bool) -> None:
        self._say("Preparing the database and the static files ...")
        with static_files_collected():
            call_command("migrate", verbosity=0)
        self._say("Starting the web server and the background worker, reading the corpus ...")
        with ThreadPoolExecutor(1) as thread:
            preparing = thread.submit(_prepare)
            with Site(environment={"SWEEP_SECONDS": "1"}):
                project = preparing.result()
                self._say(f"\n{_guide()}\n")
                self._show(project)
                if not once:
                    self._say("\nIt runs until you press Ctrl-C.")
                    _wait_for_the_end()

    def _show(self, project: Project) -> None:
        if not Enrolment.objects.filter(round__project=project).exists():
            self._train(project)
        self._say("Rehearsing production: trained workers annotate, consolidate and are paid ...")
        with tqdm(unit=" items", disable=None) as bar:

            def progress(done: int, total: int) -> None:
                bar.total = total
                bar.update(done - bar.n)

            facts = rehearse(
                project=project,
                site=settings.SITE_URL,
                options=Options(workers=6, skill=0.92, seed=PRODUCTION_SEED),
                progress=progress,
            )
        folder = Path(settings.EXPORT_DIR) / project.slug
        export_gold(project=project, options=ExportOptions(fmt="qasrl-csv"), folder=folder)
        _open_for_trying()
        self._say(f"\n{summary(facts)}\n\nThe exported gold lies in {folder}\n{_guide()}")

    def _train(self, project: Project) -> None:
        try:
            prepare_rounds(project, None)
        except RoundsRefused as refused:
            # Data of a demo from before there were rounds: its verbs are annotated already.
            told = ELSEWHERE.format(var=settings.VAR_DIR)
            self._say(f"No training is shown: {refused} {told}\n")
            return
        self._say("Rehearsing the training: simulated trainees, feedback, decisions ...")
        training = rehearse_training(
            project=project,
            site=settings.SITE_URL,
            options=TrainingOptions(workers=TRAINEES),
            tell=lambda line: self._say(f"  {line}"),
        )
        self._say(f"\n{training_summary(training)}\n")

    def _say(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()


def _prepare() -> Project:
    try:
        return prepare_demo(now=timezone.now())
    finally:
        connection.close()


def _start_again_as_demo() -> None:
    """The demo has known passwords: it runs on data of its own, never on yours."""
    environment = {**os.environ, "DEMO": "true", "VAR_DIR": str(Path(settings.VAR_DIR) / "demo")}
    for name in ("DATABASE_URL", "REDIS_URL", "MTURK_ENDPOINT_URL", "SECRET_KEY"):
        environment.pop(name, None)
    sys.stdout.flush()
    os.execve(sys.executable, [sys.executable, *sys.argv], environment)  # noqa: S606


def _open_for_trying() -> None:
    """Work for the visitor: a worker's account, and HITs that nobody else may take."""
    project = Project.objects.get(slug=OPEN)
    account = make_account(name=WORKER.name, password=WORKER.password)
    visitor = SimulatedWorker(
        site=settings.SITE_URL, account=account, script=Script(project, {}, None, 0)
    )
    train(project=project, worker_ids=[visitor.sign_in()], now=timezone.now())
    with suppress(NothingToPublish):
        publish_batch(
            project=project,
            limit=OPEN_ITEMS,
            pool=pool_of(project, Role.GENERATOR),
            now=timezone.now(),
        )


def _guide() -> str:
    site = settings.SITE_URL
    logins = [f"  {one.role:<9}{one.name:<10}{one.password}" for one in STAFF]
    return "\n".join(
        [
            f"Touchstone runs at        {site}/",
            f"Watch the campaign at     {site}/projects/{REHEARSED}/",
            f"The workers' site is at   {site}/hits/",
            "",
            "Demo logins (for this demo alone; never use them elsewhere):",
            *logins,
            f"  {WORKER.role:<9}{WORKER.name:<10}{WORKER.password}  (at {site}/hits/)",
        ]
    )


def _wait_for_the_end() -> None:
    ended = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: ended.set())
    ended.wait()
