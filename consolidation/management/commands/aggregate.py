import json
from argparse import ArgumentParser
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from django.utils import timezone

from consolidation.domain.gold.aggregate_answers import (
    AggregatedItem,
    AggregationError,
    add_aggregated_gold,
    aggregate_answers,
)
from projects.command import Command as BaseCommand
from projects.command import InputError, project_named


class Command(BaseCommand):
    refusals = (AggregationError,)
    help = "Aggregate several workers' annotations of each item without a consolidator."
    example = "manage.py aggregate opinions --method dawid-skene --out aggregated.jsonl"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project")
        parser.add_argument(
            "--method", default="majority", help="majority (the default) and others"
        )
        parser.add_argument(
            "--at-least",
            type=int,
            default=2,
            metavar="N",
            help="leave out items with fewer annotations (default: 2)",
        )
        parser.add_argument("--out", default="", help="the file to write, by default stdout")
        parser.add_argument(
            "--gold", action="store_true", help="add complete answers as imported gold as well"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        project, method, out = project_named(options["project"]), options["method"], options["out"]
        found = aggregate_answers(project=project, method=method, at_least=options["at_least"])
        count = incomplete = added = 0
        with ExitStack() as stack:
            try:
                file = stack.enter_context(Path(out).open("w", encoding="utf-8")) if out else None
            except OSError as error:
                raise InputError(f"{out}: {error.strerror or error}.") from error
            for aggregated in found:
                count += 1
                incomplete += bool(aggregated.problem)
                (file or self.stdout).write(self._line(aggregated, method))
                if options["gold"] and not aggregated.problem:
                    added += add_aggregated_gold(
                        project=project, method=method, aggregated=aggregated, now=timezone.now()
                    )
        left = f" {incomplete:,} of them are incomplete." if incomplete else ""
        gold = f" Added gold for {added:,} items." if options["gold"] else ""
        self.stderr.write(f"Aggregated {count:,} items.{left}{gold}")

    @staticmethod
    def _line(aggregated: AggregatedItem, method: str) -> str:
        return json.dumps(aggregated.row(method), ensure_ascii=False) + "\n"
