from argparse import ArgumentParser
from typing import Any

from django.db import transaction
from django.utils import timezone

from consolidation.domain.gold.proposed_entries import (
    ProposedEntry,
    accept_entries,
    load_examples,
    proposed_entries,
    reject_entries,
    rejected_entries,
    restore_entries,
)
from projects.command import Command as BaseCommand
from projects.command import InputError, project_named
from projects.domain.schemes import scheme_of
from projects.models import Project
from schemes.contract.errors import ContentError

DECISIONS = {"accept": accept_entries, "reject": reject_entries, "restore": restore_entries}


class Command(BaseCommand):
    help = (
        "List the entries that finished annotations use and a resource of the project lacks, or "
        "decide about them. A KEY is the last column of the list."
    )
    example = 'manage.py proposed_entries news --accept "hand over/Giving"'
    refusals = (ContentError,)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project")
        parser.add_argument("--resource", help="the resource's name, if the scheme has several")
        texts = {
            "accept": "add the entry to a new version of the resource",
            "reject": "don't propose the entry any more",
            "restore": "propose a rejected entry again",
        }
        for decision, text in texts.items():
            parser.add_argument(
                f"--{decision}", metavar="KEY", action="append", default=[], help=text
            )
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        project = project_named(options["project"])
        name = _resource_name(project, options["resource"])
        actor, now = "command line", timezone.now()
        with transaction.atomic():
            for decision, decide in DECISIONS.items():
                if keys := options[decision]:
                    decide(project=project, name=name, keys=keys, actor=actor, now=now)
        entries = load_examples(proposed_entries(project=project, name=name))
        rejected = rejected_entries(project=project, name=name).order_by("key")
        facts = {
            "project": project.slug,
            "resource": name,
            "proposed": [_facts(entry) for entry in entries],
            "rejected": list(rejected.values_list("key", flat=True)),
        }
        lines = [
            f"{row.annotations:>6,} annotations {len(row.annotators):>4,} annotators  {row.key}"
            for row in entries
        ]
        listed = "\n".join(lines) or "No entries are proposed."
        self.write_result(facts, listed, as_json=options["json"])


def _facts(row: ProposedEntry) -> dict[str, Any]:
    return {
        "key": row.key,
        "annotations": row.annotations,
        "annotators": len(row.annotators),
        "examples": [
            {"item": item.key, "sentence": item.sentence.shown_text} for item in row.examples
        ],
    }


def _resource_name(project: Project, name: str | None) -> str:
    resources = scheme_of(project).resources
    names = [key for key, declared in resources.items() if declared.proposals]
    if name:
        return name
    if len(names) != 1:
        known = ", ".join(names) or "none"
        raise InputError(f"choose a resource with --resource. Resources with proposals: {known}.")
    return names[0]
