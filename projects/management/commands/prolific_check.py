from argparse import ArgumentParser
from typing import Any

from crowd.domain.provider.check_account import differences_of
from crowd.domain.provider.providers import NO_ANSWER, available_providers, providers_with_sessions
from projects.command import Command as BaseCommand
from projects.command import InputError


class Command(BaseCommand):
    help = (
        "Compare the workspace of the crowd provider with what this site expects of the provider's API. "
        "Only reads."
    )
    example = f"manage.py {__name__.rpartition('.')[2]}"
    refusals = NO_ANSWER

    def add_arguments(self, parser: ArgumentParser) -> None:
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        names = set(providers_with_sessions(True)) & set(available_providers())
        if not names:
            raise InputError("No provider with studies is configured. Set its token first.")
        found = [sentence for name in sorted(names) for sentence in differences_of(name)]
        count = f"{len(found)} difference{'' if len(found) == 1 else 's'}."
        lines = [*found, count] if found else ["No differences."]
        facts = {"differences": found}
        self.write_result(facts, "\n".join(lines), as_json=options["json"])
