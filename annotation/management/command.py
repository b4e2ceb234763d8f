"""What our commands have in common: bad input ends them with exit code 2 and one line."""

import json
from argparse import ArgumentParser, RawDescriptionHelpFormatter
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db.models import Q

from annotation.models import Project
from crowd.models import Worker


class Refused(CommandError):
    """Bad input: one line that names file, row and reason."""

    def __init__(self, message: object) -> None:
        super().__init__(" ".join(str(message).split()), returncode=2)


class Command(BaseCommand):
    """`example` is shown under --help."""

    example = ""

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> Any:
        kwargs["formatter_class"] = RawDescriptionHelpFormatter
        kwargs["epilog"] = f"example:\n  {self.example}" if self.example else None
        return super().create_parser(prog_name, subcommand, **kwargs)

    def add_json(self, parser: ArgumentParser) -> None:
        parser.add_argument("--json", action="store_true", help="print one JSON object")

    def tell(self, facts: dict[str, Any], sentence: str, *, as_json: bool) -> None:
        """The result: as JSON for programs, or as a sentence for people."""
        self.stdout.write(json.dumps(facts) if as_json else sentence)


def project_named(slug: str) -> Project:
    project = Project.objects.select_related("budget").filter(slug=slug).first()
    if project is None:
        known = ", ".join(Project.objects.order_by("slug").values_list("slug", flat=True)[:10])
        raise Refused(f"no project {slug!r}; there are: {known or 'none yet (create_project)'}.")
    return project


def worker_named(name: str) -> Worker:
    """By pseudonym, or by the id that a marketplace gave them."""
    worker = Worker.objects.filter(Q(pseudonym=name.upper()) | Q(external_id=name)).first()
    if worker is None:
        raise Refused(f"no worker {name!r}; the project's page lists them by pseudonym.")
    return worker
