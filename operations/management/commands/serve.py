import signal
import threading
from typing import Any

from django.conf import settings
from django.core.management import call_command

from projects.command import Command as BaseCommand
from rehearsal.domain.site import Site, call_in_child


class Command(BaseCommand):
    help = "Start the site on this machine, with all its processes and its data in VAR_DIR."
    example = "SITE_URL=http://127.0.0.1:8010 manage.py serve"
    # Skipped to start faster.
    requires_system_checks = []

    def handle(self, *args: Any, **options: Any) -> None:
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
