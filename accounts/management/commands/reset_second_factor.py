from argparse import ArgumentParser
from typing import Any

from django.contrib.auth import get_user_model
from django.utils import timezone

from accounts.domain.second_factor import reset_second_factor
from projects.command import Command as BaseCommand
from projects.command import InputError


class Command(BaseCommand):
    help = "Turn off two-factor authentication for a user who lost their phone and recovery codes."
    example = "manage.py reset_second_factor ada"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("username")
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        name = options["username"]
        user = get_user_model().objects.filter(username=name).first()
        if user is None:
            raise InputError(f"no user {name!r}.")
        had = reset_second_factor(user=user, actor="reset_second_factor", now=timezone.now())
        sentence = (
            f"{name} signs in with only a password until they set up two-factor authentication."
        )
        self.write_result({"user": name, "had_one": had}, sentence, as_json=options["json"])
