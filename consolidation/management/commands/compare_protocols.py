from argparse import ArgumentParser
from typing import Any

from annotation.management.command import Command as BaseCommand
from annotation.management.command import Refused, project_named
from consolidation.domain.compare_protocols import ProtocolsCompared, compare_protocols
from consolidation.domain.quality import NothingToCompare
from consolidation.management.evaluation_report import text_table


class Command(BaseCommand):
    help = "Two projects over the same items, each by its own protocol: yield, quality, cost."
    example = "manage.py compare_protocols wikinews-dev wikinews-dense --json"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("first", help="a project")
        parser.add_argument("second", help="another over the same sentences")
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            found = compare_protocols(
                first=project_named(options["first"]), second=project_named(options["second"])
            )
        except NothingToCompare as error:
            raise Refused(error) from error
        self.tell(found.as_json(), _text(found), as_json=options["json"])


def _text(found: ProtocolsCompared) -> str:
    header = ("", *(f"{side.project.slug} ({side.protocol})" for side in found.sides))
    rows = [
        ("Questions an item", *(_number(side.roles_per_item) for side in found.sides)),
        ("Arguments an item", *(_number(side.arguments_per_item) for side in found.sides)),
        ("Cents an item", *(_number(side.cents_per_item) for side in found.sides)),
        ("Cents an argument", *(_number(side.cents_per_argument) for side in found.sides)),
        ("Active seconds an item", *(_number(side.seconds_per_item) for side in found.sides)),
    ]
    if found.expert_items:
        rows += [
            (
                f"{name} F1 % against the expert",
                *(_percent(getattr(side.against_expert, name.lower()).f1) for side in found.sides),
            )
            for name in ("UA", "LA")
        ]
    ua, la = found.each_other.ua.f1, found.each_other.la.f1
    return "\n".join(
        [
            text_table(header, rows),
            "",
            f"{found.items} items in common, {found.expert_items} of them with an expert's gold.",
            f"Against each other: UA F1 {_percent(ua)} %, LA F1 {_percent(la)} %.",
        ]
    )


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def _percent(value: float | None) -> str:
    return "" if value is None else f"{100 * value:.1f}"
