from argparse import ArgumentParser
from typing import Any

from django.utils import timezone

from annotation.management.command import Command as BaseCommand
from annotation.management.command import Refused, project_named, worker_named
from crowd.domain.marketplace import NO_ANSWER
from crowd.domain.qualifications import (
    define_qualification,
    grant_qualification,
    revoke_qualification,
)
from crowd.domain.read_back_grants import read_back_grants
from crowd.models import QualificationType


class Command(BaseCommand):
    help = "Give workers a qualification, take it away, or compare with the marketplace's list."
    example = "manage.py grant news news-group WBCDFGHJKL WKLMNPQRST --value 2"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project")
        parser.add_argument("qualification", help="its code; made if there is none")
        parser.add_argument("workers", nargs="*", help="pseudonyms, or ids at the marketplace")
        parser.add_argument("--value", type=int, help="such as a group's number")
        parser.add_argument("--revoke", metavar="REASON", help="take it away")
        parser.add_argument("--read-back", action="store_true", help="compare and mend")
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        project = project_named(options["project"])
        code = options["qualification"]
        kind = define_qualification(
            provider=project.provider,
            code=code,
            name=f"{project.title[:100]}: {code}",
            description=f"Used by the project {project.title}.",
        )
        for name in options["workers"]:
            self.change(kind, name, options)
        facts: dict[str, Any] = {"qualification": code, "workers": len(options["workers"])}
        if options["read_back"]:
            facts |= self.read_back(kind)
        sentence = ", ".join(f"{name} {value}" for name, value in facts.items())
        self.tell(facts, sentence, as_json=options["json"])

    def change(self, kind: QualificationType, name: str, options: dict[str, Any]) -> None:
        worker, now = worker_named(name), timezone.now()
        if reason := options["revoke"]:
            revoke_qualification(qualification=kind, worker=worker, reason=reason, now=now)
        else:
            grant_qualification(qualification=kind, worker=worker, value=options["value"], now=now)

    def read_back(self, kind: QualificationType) -> dict[str, int]:
        try:
            found = read_back_grants(qualification=kind, now=timezone.now())
        except NO_ANSWER as error:
            raise Refused(error) from error
        return {name: getattr(found, name) for name in found.__slots__}
