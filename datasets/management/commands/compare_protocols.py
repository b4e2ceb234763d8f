from argparse import ArgumentParser
from typing import Any

from datasets.domain.quality.compare_protocols import ProtocolsCompared, compare_protocols
from projects.command import Command as BaseCommand
from projects.command import project_named
from projects.domain.schemes import scheme_of
from schemes.figures import Figure
from schemes.reports import text_table


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
    scheme = scheme_of(comparison.first.project)
    totals, figures = scheme.content.totals, scheme.comparison.figures
    header = ("", *(f"{side.project.slug} ({side.protocol})" for side in sides))
    rows = [
        *(
            (
                f"{total.noun.plural.capitalize()} an item",
                *(_number(side.gold.per_item(total.key)) for side in sides),
            )
            for total in totals
        ),
        ("Cents per item", *(_number(side.cents_per_item) for side in sides)),
        *(
            (
                f"Cents per {total.noun.singular}",
                *(_number(side.cents_per(total.key)) for side in sides),
            )
            for total in totals
        ),
        ("Active seconds per item", *(_number(side.seconds_per_item) for side in sides)),
    ]
    for figure in figures if comparison.expert_items else ():
        values = [side.against_expert.value(figure) for side in sides if side.against_expert]
        cells = (_value(figure, value) for value in values)
        rows.append((f"{figure.label} {figure.unit} against the expert", *cells))
    items, expert_items = comparison.items, comparison.expert_items
    each_other = ", ".join(
        f"{figure.label} {_value(figure, comparison.each_other.value(figure))} {figure.unit}"
        for figure in figures
    )
    return (
        f"{text_table(header, rows)}\n\n"
        f"{items} items in common, {expert_items} of them with expert gold.\n"
        f"Against each other: {each_other}."
    )


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.2f}"


def _value(figure: Figure, value: float | None) -> str:
    if value is None:
        return ""
    return f"{100 * value:.1f}" if figure.unit == "%" else f"{value:.2f}"
