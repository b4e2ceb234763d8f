from argparse import ArgumentParser
from typing import Any

from django.utils import timezone

from annotation.domain.publishing.qualification_codes import belongs_to
from crowd.domain.provider.providers import NO_ANSWER
from crowd.domain.workers.qualifications import (
    define_qualification,
    grant_qualification,
    revoke_qualification,
)
from crowd.domain.workers.read_back_grants import read_back_grants
from crowd.models import QualificationType
from projects.command import Command as BaseCommand
from projects.command import InputError, project_named, worker_named


class Command(BaseCommand):
    help = "Grant or revoke a qualification, or compare it with the marketplace's list."
    example = "manage.py grant news news-group WBCDFGHJKL WKLMNPQRST --value 2"
    refusals = NO_ANSWER

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project")
        parser.add_argument("qualification", help="code, created if it does not exist")
        parser.add_argument("workers", nargs="*", help="pseudonyms, or ids at the marketplace")
        parser.add_argument("--value", type=int, help="for example, the number of a group")
        parser.add_argument("--revoke", metavar="REASON", help="revoke it for this reason")
        parser.add_argument(
            "--read-back",
            action="store_true",
            help="compare with the marketplace and correct differences",
        )
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        project = project_named(options["project"])
        code = options["qualification"]
        if not belongs_to(project, code):
            raise InputError(
                f"{code!r} is not a qualification of {project.slug}. Use a code that begins with "
                f"{f'{project.slug}-'!r}."
            )
        kind = define_qualification(
            provider=project.provider,
            code=code,
            name=f"{project.title[:100]}: {code}",
            description=f"Used by the project {project.title}.",
            is_requestable=not project.has_simulated_work,
        )
        for name in options["workers"]:
            self.change(kind, name, options)
        facts: dict[str, Any] = {"qualification": code, "workers": len(options["workers"])}
        if options["read_back"]:
            facts |= self.read_back(kind)
        sentence = ", ".join(f"{name} {value}" for name, value in facts.items())
        self.write_result(facts, sentence, as_json=options["json"])

    def change(self, kind: QualificationType, name: str, options: dict[str, Any]) -> None:
        worker, now = worker_named(name), timezone.now()
        if reason := options["revoke"]:
            revoke_qualification(qualification=kind, worker=worker, reason=reason, now=now)
        else:
            grant_qualification(qualification=kind, worker=worker, value=options["value"], now=now)

    def read_back(self, kind: QualificationType) -> dict[str, int]:
        result = read_back_grants(qualification=kind, now=timezone.now())
        return {name: getattr(result, name) for name in result.__slots__}
