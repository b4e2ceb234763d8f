import os
from argparse import ArgumentParser
from typing import Any

from django.conf import settings

from projects.command import Command as BaseCommand
from projects.command import InputError
from rehearsal.domain.site import worker_command


class Command(BaseCommand):
    help = (
        "Start a worker for background tasks. By default it serves all queues and sends the schedule, as "
        "that of `serve` does. Sites with several workers need Redis, and exactly one sends the schedule."
    )
    example = "manage.py worker --queue jobs --queue backups --no-schedule --concurrency 4"
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        names = [queue.name for queue in settings.CELERY_TASK_QUEUES]
        parser.add_argument(
            "--queue", action="append", choices=names, help="serve this queue only; can be repeated"
        )
        parser.add_argument("--concurrency", type=int, default=2, help="tasks at the same time")
        parser.add_argument(
            "--no-schedule",
            dest="schedule",
            action="store_false",
            help="leave the schedule to another worker",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["concurrency"] < 1:
            raise InputError(f"--concurrency {options['concurrency']} is not positive.")
        if not settings.REDIS_URL and (options["queue"] or not options["schedule"]):
            raise InputError(
                "A site without REDIS_URL has one worker, which serves all queues and sends the schedule."
            )
        chosen = ["--beat-thread"] if options["schedule"] else []
        chosen += ["-Q", ",".join(options["queue"])] if options["queue"] else []
        level = ["--loglevel", "INFO" if options["verbosity"] > 0 else "WARNING"]
        command = worker_command(*chosen, *level, concurrency=options["concurrency"])
        # Celery imports `config` from the current folder, and gets the signals of this process.
        os.chdir(settings.BASE_DIR)
        os.execv(command[0], command)  # noqa: S606 - our own program
