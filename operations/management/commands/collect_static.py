from typing import Any

from django.core.management import call_command

from projects.command import Command as BaseCommand
from web.collected_static import are_collected, copy_prepared, record_collection


class Command(BaseCommand):
    help = (
        "Collect static files unless those of this version are collected. Files of earlier versions "
        "stay, because open pages load them."
    )
    example = "manage.py collect_static"
    requires_system_checks: list[str] = []

    def handle(self, *args: Any, **options: Any) -> None:
        if are_collected():
            return
        if copy_prepared():
            return
        call_command("collectstatic", interactive=False, verbosity=0)
        record_collection()
