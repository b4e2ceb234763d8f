from typing import Any

from django.conf import settings
from django.utils import timezone

from operations.domain.upgrade import upgrade
from projects.command import Command as BaseCommand
from projects.command import InputError
from rehearsal.domain.site import answering_address, call_in_child


class Command(BaseCommand):
    help = (
        "Prepare the data of a stopped site for the installed version. The database is copied first, and "
        "put back if a migration fails."
    )
    example = "manage.py upgrade && manage.py serve"
    # Some checks query tables that migrations change.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: Any) -> None:
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        if address := answering_address():
            raise InputError(f"A server answers on {address}. Stop the site, and run this again.")
        done = upgrade(
            migrate=lambda: call_in_child("migrate", interactive=False), now=timezone.now()
        )
        call_in_child("collect_static")
        facts = {
            "version": settings.VERSION,
            "migrations": done.migrations,
            "copy": str(done.copy) if done.copy else None,
        }
        sentence = f"The data are those of version {settings.VERSION}."
        if done.copy:
            sentence += f" The database before it is {done.copy}."
        self.write_result(facts, sentence, as_json=options["json"])
