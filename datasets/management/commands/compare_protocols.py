from argparse import ArgumentParser
from typing import Any

from datasets.domain.compare_protocols import ProtocolsCompared, compare_protocols
from datasets.domain.quality import NothingToCompareError
from datasets.management.evaluation_report import text_table
from projects.command import Command as BaseCommand
from projects.command import InputError, project_named


class Command(BaseCommand):
    help = "Compare yield, quality and cost of two projects over the same items."
    example = "manage.py compare_protocols wikinews-dev wikinews-dense --json"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("first", help="a project")
        parser.add_argument("second", help="another project over the same sentences")
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            comparison = compare_protocols(
                first=project_named(options["first"]), second=project_named(options["second"])
            )
        except NothingToCompareError as error:
            raise InputError(error) from error
        self.write_result(comparison.as_json(), _text(comparison), as_json=options["json"])


def _text(comparison: ProtocolsCompared) -> str:
    header = ("", *(f"{side.project.slug} ({side.protocol})" for side in comparison.sides))
    rows = [
        ("Questions an item", *(_number(side.roles_per_item) for side in comparison.sides)),
        ("Arguments an item", *(_number(side.arguments_per_item) for side in comparison.sides)),
        ("Cents an item", *(_number(side.cents_per_item) for side in comparison.sides)),
        ("Cents an argument", *(_number(side.cents_per_argument) for side in comparison.sides)),
        ("Active seconds an item", *(_number(side.seconds_per_item) for side in comparison.sides)),
    ]
    if comparison.expert_items:
        rows += [
            (
                f"{name} F1 % against the expert",
                *(
                    _percent(getattr(side.against_expert, name.lower()).f1)
                    for side in comparison.sides
                ),
            )
            for name in ("UA", "LA")
        ]
    items, expert_items = comparison.items, comparison.expert_items
    ua, la = comparison.each_other.ua.f1, comparison.each_other.la.f1
    return "\n".join(
        [
            text_table(header, rows),
            "",
            f"{items} items in common, {expert_items} of them with expert gold.",
            f"Against each other: UA F1 {_percent(ua)} %, LA F1 {_percent(la)} %.",
        ]
    )


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def _percent(value: float | None) -> str:
    return "" if value is None else f"{100 * value:.1f}"
