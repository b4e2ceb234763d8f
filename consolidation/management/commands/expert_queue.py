from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.contrib.auth import get_user_model
from django.utils import timezone

from annotation.models import Item
from annotation.reading_options import add_reading_options, reading_given
from consolidation.domain.experts.expert_queues import (
    QueuePlan,
    QueueSetupError,
    items_named,
    items_of_queue,
    read_item_keys,
    sample_of,
    set_up_queue,
)
from consolidation.domain.gold.merge import sources_there
from consolidation.enums import ExpertWork
from projects.command import Command as BaseCommand
from projects.command import InputError, project_named
from projects.models import Project


class Command(BaseCommand):
    help = "Set up a queue of items for experts to annotate or merge."
    example = (
        'manage.py expert_queue wikinews "Round 1" --items rounds.csv --experts 2\n'
        '  manage.py expert_queue wikinews "Expert set" --kind merge --as-in "Round 1" '
        "--sources generator expert system:parser"
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project")
        parser.add_argument("title")
        parser.add_argument("--kind", default=ExpertWork.ANNOTATE, choices=ExpertWork.values)
        which = parser.add_mutually_exclusive_group(required=True)
        which.add_argument("--items", type=Path, metavar="FILE", help="table with the column item")
        which.add_argument("--sample", type=int, metavar="N")
        which.add_argument("--as-in", metavar="TITLE", help="the items of another queue")
        parser.add_argument(
            "--consolidated", action="store_true", help="sample the consolidated items only"
        )
        parser.add_argument("--experts", type=int, default=1, metavar="N", help="per item")
        parser.add_argument(
            "--gold", action="store_true", help="annotations become expert gold immediately"
        )
        parser.add_argument(
            "--sources",
            nargs="+",
            default=[],
            metavar="SOURCE",
            help="generator, expert, consolidated, imported, reference, system:NAME",
        )
        parser.add_argument(
            "--by", metavar="USER", help="the creator; defaults to the first superuser"
        )
        add_reading_options(parser)
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        project = project_named(options["project"])
        if unknown := set(options["sources"]) - set(sources_there(project=project)):
            known = ", ".join(sources_there(project=project))
            raise InputError(f"There is no source {min(unknown)!r}. Known sources: {known}.")
        queue = set_up_queue(
            project=project,
            plan=QueuePlan(
                title=options["title"],
                kind=options["kind"],
                experts_per_item=options["experts"],
                makes_gold=options["gold"],
                sources=options["sources"],
            ),
            items=_items(project, options),
            created_by=_user(options["by"]),
            now=timezone.now(),
        )
        facts = {"queue": queue.pk, "title": queue.title, "items": queue.queued.count()}
        gold = "" if queue.makes_gold else " They become expert gold on request, or after a merge."
        sentence = f"{queue.title}: {facts['items']} items.{gold}"
        self.write_result(facts, sentence, as_json=options["json"])


def _items(project: Project, options: dict[str, Any]) -> list[Item]:
    if options["items"]:
        keys = read_item_keys(project, options["items"], options=reading_given(options))
        return items_named(project=project, keys=keys)
    if options["as_in"]:
        queue = project.expert_queues.filter(title=options["as_in"]).first()
        if queue is None:
            raise QueueSetupError(f"There is no queue “{options['as_in']}”.")
        return items_of_queue(queue=queue)
    return sample_of(
        project=project,
        kind=options["kind"],
        count=max(0, options["sample"]),
        consolidated=options["consolidated"],
    )


def _user(name: str | None) -> Any:
    users = get_user_model().objects
    matches = users.filter(username=name) if name else users.filter(is_superuser=True)
    user = matches.order_by("pk").first()
    if user is None:
        raise InputError(f"There is no user {name!r}." if name else "Pass the creator with --by.")
    return user
