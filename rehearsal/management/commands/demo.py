import os
import signal
import subprocess
import threading
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

from django.conf import settings
from django.core.management import CommandError
from django.db import DatabaseError
from django.db.migrations.exceptions import InconsistentMigrationHistory

from jobs.domain.end_with_parent import end_with_parent
from projects.command import Command as BaseCommand
from projects.command import InputError
from rehearsal.domain.site import Site, SiteError, add_port, call_in_child, check_ports
from touchstone.program import as_called, command_line

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
        add_items(parser)
        add_port(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        if not settings.DEMO:
            raise InputError(f"DEMO is not set. Start the demo with {as_called('manage.py demo')}.")
        try:
            self._run(once=options["once"], items=options["items"])
        except KeyboardInterrupt:
            pass
        except SiteError as error:
            raise InputError(error) from error
        except (DatabaseError, InconsistentMigrationHistory) as error:
            raise InputError(f"{error} {ELSEWHERE.format(var=settings.VAR_DIR)}") from error
        self._say(
            "Stopped. The demo's data stay where they are. The next demo continues with them."
        )

    def _run(self, *, once: bool, items: int | None) -> None:
        check_ports()
        self._say("Preparing the database ...")
        call_in_child("migrate", interactive=False)
        self._say("Starting the web server ...")
        with Site(SWEEP_SECONDS="1") as site, _campaign(items) as campaign:
            self._say(
                f"Touchstone answers at {settings.SITE_URL}/ and reads its sample corpora ..."
            )
            if campaign.wait():
                raise CommandError("The campaign failed.", returncode=campaign.returncode)
            if not once:
                site.restart({})  # with the usual interval of sweeps, to idle quietly
                self._say("\nPress Ctrl-C to stop.")
                stopped = threading.Event()
                for signal_number in (signal.SIGINT, signal.SIGTERM):
                    signal.signal(signal_number, lambda *_: stopped.set())
                stopped.wait()

    def _say(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()


def add_items(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--items",
        type=int,
        metavar="N",
        help="rehearse the production of N items of each project only, which takes less time",
    )


@contextmanager
def _campaign(items: int | None) -> Iterator[subprocess.Popen[bytes]]:
    """Prepare and rehearse the projects in a process that ends with the block."""
    options = [] if items is None else ["--items", str(items)]
    process = subprocess.Popen(  # noqa: S603
        command_line("rehearse_demo", *options),
        cwd=settings.BASE_DIR,
        start_new_session=True,  # Ctrl-C is for this process, which ends the group
        preexec_fn=partial(end_with_parent, os.getpid()),  # noqa: PLW1509 - system calls, no Python lock
    )
    try:
        yield process
    finally:
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGTERM)
        process.wait()
