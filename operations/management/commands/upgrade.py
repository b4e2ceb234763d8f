from typing import Any

from django.conf import settings
from django.utils import timezone

from audit.domain.data_version import recorded_version
from operations.domain.upgrade import upgrade
from projects.command import Command as BaseCommand
from projects.command import InputError
from rehearsal.domain.site import answering_address, call_in_child, is_running_here


class Command(BaseCommand):
    help = (
        "Back up a stopped site, migrate its data to the installed version and check them. If anything "
        "fails, the data are as before."
    )
    example = "manage.py upgrade && manage.py serve"
    # Some checks query tables that migrations change.
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: Any) -> None:
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        # The address of a site on PostgreSQL may be that of a proxy.
        if settings.USES_SQLITE and (address := answering_address()):
            raise InputError(f"A server answers on {address}. Stop the site, and run this again.")
        if is_running_here():
            raise InputError(
                f"A site runs with the data in {settings.VAR_DIR}. Stop it, and run this again."
            )
        done = upgrade(now=timezone.now(), log=self.stderr.write)
        try:
            call_in_child("collect_static")
        except OSError as error:  # the next start collects them
            self.stderr.write(f"Static files were not collected: {error.strerror}.")
        facts = {
            "version": recorded_version(),
            "migrations": done.migrations,
            "copy": str(done.copy) if done.copy else None,
            "backup": done.backup,
        }
        sentence = f"The data are those of version {facts['version']}."
        if done.copy:
            sentence += f" The database before it is {done.copy}."
        if done.backup:
            sentence += f" A backup of the data before it is stored as {done.backup}."
        self.write_result(facts, sentence, as_json=options["json"])
