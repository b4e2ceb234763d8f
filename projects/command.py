"""The base class of management commands. Invalid input exits with code 2 and a one-line message."""

import json
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from functools import partial
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, connection
from django.db.models import Q
from tqdm import tqdm

from audit.domain.data_version import check_data
from audit.errors import TouchstoneError
from crowd.models import Worker
from projects.models import Project
from schemes.contract.errors import FileError
from schemes.import_settings import with_options
from schemes.reports import FileProgram, UsageError
from touchstone.program import as_called

MIGRATIONS = "django_migrations"


class InputError(CommandError):
    """Invalid input, described in one line that names the options of settings."""

    def __init__(self, message: object) -> None:
        super().__init__(" ".join(with_options(str(message)).split()), returncode=2)


class Command(BaseCommand):
    """A management command with an `example` that --help shows.

    The project's own exceptions, and those in `refusals`, are invalid input.
    """

    example = ""
    refusals: tuple[type[Exception], ...] = ()

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> Any:
        kwargs["formatter_class"] = RawDescriptionHelpFormatter
        kwargs["epilog"] = as_called(f"example:\n  {self.example}") if self.example else None
        return super().create_parser(prog_name, subcommand, **kwargs)

    def check(self, *args: Any, **options: Any) -> None:
        """Check the settings, and that this version can use the data.

        Commands without `requires_system_checks` need no data, or check them later.
        """
        super().check(*args, **options)
        check_data()

    def execute(self, *args: Any, **options: Any) -> str | None:
        """Run the command. Refusals become a one-line message."""
        expected: tuple[type[Exception], ...] = (TouchstoneError, FileError, *self.refusals)
        try:
            return super().execute(*args, **options)
        except expected as error:
            raise InputError(error) from error
        except DatabaseError as error:
            if problem := _problem_of_database():
                raise InputError(problem) from error
            raise

    def add_json(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def write_result(self, facts: dict[str, Any], sentence: str, *, as_json: bool) -> None:
        """Print the result as JSON for programs, or as a sentence."""
        self.stdout.write(json.dumps(facts) if as_json else sentence)


def _problem_of_database() -> str:
    """Return why no command can use the database, or an empty string."""
    try:
        if MIGRATIONS in connection.introspection.table_names():
            return ""
    except DatabaseError as error:
        return f"The database can't be used: {str(error).strip()}."
    return as_called("The database has no tables yet. Run `manage.py migrate` first.")


class FileCommand(Command):
    """A command that runs a scheme's program, which only reads and writes files."""

    program: FileProgram
    requires_system_checks: list[str] = []
    refusals = (UsageError,)

    @property
    def help(self) -> str:  # type: ignore[override]
        return self.program.help

    @property
    def example(self) -> str:  # type: ignore[override]
        return self.program.example

    def add_arguments(self, parser: ArgumentParser) -> None:
        self.program.add_arguments(parser)
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        progress = partial(tqdm, unit=" rows", desc=self.program.name, disable=None)
        figures, sentence = self.program.run(options, self.stderr.write, progress)
        self.write_result(figures, sentence, as_json=options["json"])


def project_named(slug: str) -> Project:
    project = Project.objects.select_related("budget").filter(slug=slug).first()
    if project is None:
        known = ", ".join(Project.objects.order_by("slug").values_list("slug", flat=True)[:10])
        raise InputError(
            f"no project {slug!r}. Projects: {known or 'none yet (see create_project)'}."
        )
    return project


def worker_named(name: str) -> Worker:
    """Return the worker with this pseudonym or marketplace id. Raise InputError."""
    worker = Worker.objects.filter(Q(pseudonym=name.upper()) | Q(external_id=name)).first()
    if worker is None:
        raise InputError(f"no worker {name!r}. The project's page lists the workers by pseudonym.")
    return worker
