from argparse import ArgumentParser
from typing import Any

from django.contrib.auth import get_user_model
from django.utils import timezone

from accounts.domain.second_factor import reset_second_factor
from projects.command import Command as BaseCommand
from projects.command import InputError


class Command(BaseCommand):
    help = "Delete the second factor of a user who has lost the phone and the recovery codes."
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
        sentence = f"{name} signs in with the password alone until they set up a new one."
        self.write_result({"user": name, "had_one": had}, sentence, as_json=options["json"])
