import signal
import threading
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management import call_command
from django.db import connection

from audit.domain.data_version import check_data, has_tables
from projects.command import Command as BaseCommand
from rehearsal.domain.site import Site, add_port, call_in_child, check_ports


class Command(BaseCommand):
    help = "Start the site on this machine, with all its processes and its data in VAR_DIR."
    example = "manage.py serve --port 8010"
    # Skipped to start faster.
    requires_system_checks = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_port(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        check_ports()
        if has_tables():
            check_data()
            connection.close()  # the processes of the site must not share it
        else:
            self._say("Preparing the database ...")
            call_in_child("migrate", interactive=False)
        stopped = threading.Event()
        for signal_number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(signal_number, lambda *_: stopped.set())
        self._say("Starting the web server and the background worker ...")
        with Site():
            self._say(f"Touchstone is ready: {settings.SITE_URL}/")
            call_command("first_account_link", stdout=self.stdout)
            self._say(f"Its data and logs are in {settings.VAR_DIR}. Press Ctrl-C to stop.")
            stopped.wait()
        self._say("Stopped.")

    def _say(self, text: str) -> None:
        self.stdout.write(text)
        self.stdout.flush()
