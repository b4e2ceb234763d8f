from argparse import ArgumentParser
from typing import Any

from datasets.domain.compare_protocols import ProtocolsCompared, compare_protocols
from datasets.management.evaluation_report import text_table
from projects.command import Command as BaseCommand
from projects.command import project_named


class Command(BaseCommand):
    help = "Compare yield, quality and cost of two projects over the same items."
    example = "manage.py compare_protocols wikinews-dev wikinews-dense --json"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("first", help="a project")
        parser.add_argument("second", help="another project over the same sentences")
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        comparison = compare_protocols(
            first=project_named(options["first"]), second=project_named(options["second"])
        )
        self.write_result(comparison.as_json(), _text(comparison), as_json=options["json"])


def _text(comparison: ProtocolsCompared) -> str:
    sides = comparison.sides
    header = ("", *(f"{side.project.slug} ({side.protocol})" for side in sides))
    rows = [
        ("Questions an item", *(_number(side.held.roles_per_item) for side in sides)),
        ("Arguments an item", *(_number(side.held.arguments_per_item) for side in sides)),
        ("Cents an item", *(_number(side.cents_per_item) for side in sides)),
        ("Cents an argument", *(_number(side.cents_per_argument) for side in sides)),
        ("Active seconds an item", *(_number(side.seconds_per_item) for side in sides)),
    ]
    for name in ("UA", "LA") if comparison.expert_items else ():
        f1s = (getattr(side.against_expert, name.lower()).f1 for side in sides)
        rows.append((f"{name} F1 % against the expert", *map(_percent, f1s)))
    items, expert_items = comparison.items, comparison.expert_items
    ua, la = comparison.each_other.ua.f1, comparison.each_other.la.f1
    return (
        f"{text_table(header, rows)}\n\n"
        f"{items} items in common, {expert_items} of them with expert gold.\n"
        f"Against each other: UA F1 {_percent(ua)} %, LA F1 {_percent(la)} %."
    )


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def _percent(value: float | None) -> str:
    return "" if value is None else f"{100 * value:.1f}"
