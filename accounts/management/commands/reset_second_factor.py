from argparse import ArgumentParser
from typing import Any

from django.contrib.auth import get_user_model
from django.utils import timezone

from accounts.domain.second_factor import turn_off
from annotation.management.command import Command as BaseCommand
from annotation.management.command import Refused


class Command(BaseCommand):
    help = "Forget the second factor of somebody who has lost phone and recovery codes."
    example = "manage.py reset_second_factor ada"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("username")
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        name = options["username"]
        user = get_user_model().objects.filter(username=name).first()
        if user is None:
            raise Refused(f"no user {name!r}.")
        had = turn_off(user=user, actor="reset_second_factor", now=timezone.now(), by_operator=True)
        sentence = f"{name} signs in with the password alone until they set it up anew."
        self.tell({"user": name, "had_one": had}, sentence, as_json=options["json"])
