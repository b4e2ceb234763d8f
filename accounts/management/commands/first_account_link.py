from typing import Any

from django.utils import timezone

from accounts.domain.first_account import first_account_link
from projects.command import Command as BaseCommand


class Command(BaseCommand):
    help = "Print the link that creates the first account, or nothing if the site has an account."
    example = "manage.py first_account_link"

    def handle(self, *args: Any, **options: Any) -> None:
        if link := first_account_link(now=timezone.now()):
            self.stdout.write(
                f"\nCreate the first account within 24 hours. Open this link:\n\n  {link}\n\n"
            )
