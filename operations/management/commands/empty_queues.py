from argparse import ArgumentParser
from typing import Any

from redis.exceptions import RedisError

from operations.domain import queues
from projects.command import Command as BaseCommand
from projects.command import InputError


class Command(BaseCommand):
    help = (
        "Delete the waiting messages of background tasks. No work is lost, because the database "
        "holds it and beat requests all tasks again."
    )
    example = "manage.py empty_queues --yes"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "queue", nargs="*", metavar="QUEUE", help=f"default: {', '.join(queues.QUEUES)}"
        )
        parser.add_argument("--yes", action="store_true", help="don't ask for confirmation")
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        names = options["queue"] or list(queues.QUEUES)
        if unknown := set(names) - set(queues.QUEUES):
            raise InputError(
                f"There is no queue {min(unknown)}. The queues are {', '.join(queues.QUEUES)}."
            )
        try:
            lengths = {name: queues.length_of(name) for name in names}
            if not options["yes"] and not self._is_confirmed(lengths):
                raise InputError("Nothing was deleted.")
            deleted = {name: queues.empty(name) for name in names}
        except RedisError as error:
            raise InputError(f"Redis is out of reach: {error}.") from error
        sentence = f"{_listed(deleted)} messages were deleted. Beat requests the tasks again."
        self.write_result({"deleted": deleted}, sentence, as_json=options["json"])

    def _is_confirmed(self, lengths: dict[str, int]) -> bool:
        try:
            answer = input(f"Delete {_listed(lengths)} messages? Type yes to confirm: ")
        except EOFError:
            raise InputError("There is no terminal to confirm on. Add --yes.") from None
        return answer.strip().lower() == "yes"


def _listed(lengths: dict[str, int]) -> str:
    return ", ".join(f"{length} {name}" for name, length in lengths.items())
