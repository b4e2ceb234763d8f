from argparse import ArgumentParser
from decimal import Decimal, InvalidOperation
from typing import Any

from django.utils import timezone

from datasets.domain.quality.adaptive_settings import (
    CostPoint,
    adaptive_state,
    cost_points,
    set_adaptive,
)
from datasets.models import CertaintyFit
from projects.command import Command as BaseCommand
from projects.command import InputError, project_named
from projects.models import Project


class Command(BaseCommand):
    help = (
        "Show what adaptive redundancy costs and covers by target, and what became of the items. With "
        "--target and --budget, turn it on, and with --off, turn it off."
    )
    example = "manage.py adaptive_redundancy wikinews-dev --target 90 --budget 200"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project")
        parser.add_argument(
            "--target",
            type=int,
            metavar="PERCENT",
            help="expected coverage and precision, 50 to 99",
        )
        parser.add_argument(
            "--budget", metavar="DOLLARS", help="for second annotators and consolidators"
        )
        parser.add_argument("--off", action="store_true", help="turn it off")
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        project = project_named(options["project"])
        target, budget = options["target"], options["budget"]
        if options["off"] and (target is not None or budget is not None):
            raise InputError("Use either --off, or --target and --budget.")
        if (target is None) != (budget is None):
            raise InputError("--target and --budget are needed together.")
        if target is not None and not 50 <= target <= 99:
            raise InputError(f"--target {target} is not between 50 and 99.")
        if options["off"] or target is not None:
            set_adaptive(
                project=project,
                percent=target,
                cents=_cents(budget) if budget is not None else None,
                actor="command line",
                now=timezone.now(),
            )
        facts = _facts(project)
        self.write_result(facts, _text(facts), as_json=options["json"])


def _cents(dollars: str) -> int:
    try:
        cents = Decimal(dollars) * 100
    except InvalidOperation:
        raise InputError(f"--budget {dollars!r} is not an amount in dollars.") from None
    if not cents.is_finite() or not 0 <= cents < 2**31 or cents != int(cents):
        raise InputError(f"--budget {dollars} is not an amount in dollars and cents.")
    return int(cents)


def _facts(project: Project) -> dict[str, Any]:
    fit = CertaintyFit.objects.filter(project=project).first()
    everybody, points = cost_points(project=project, fit=fit) if fit else (None, [])
    return {
        "target_percent": project.adaptive_percent,
        "budget_cents": project.adaptive_cents,
        "items": adaptive_state(project=project).as_json(),
        "cents_with_everybody": everybody,
        "targets": [_point(point) for point in points],
    }


def _point(point: CostPoint) -> dict[str, Any]:
    return {name: getattr(point, name) for name in CostPoint.__slots__}


def _text(facts: dict[str, Any]) -> str:
    items = facts["items"]
    lines = [
        f"Target: {facts['target_percent'] or 'off'}. Audited: {items['audited']:,}, accepted: "
        f"{items['accepted']:,}, to consolidate: {items['consolidated']:,}, undecided: "
        f"{items['waiting']:,}."
    ]
    if not facts["targets"]:
        return "\n".join([*lines, "There is no curve before the first estimate (fit_certainty)."])
    lines += ["", "| Target | Cents per item | Saved | Coverage | Precision | Accepted |"]
    lines += ["| ---: | ---: | ---: | ---: | ---: | ---: |"]
    for point in facts["targets"]:
        shares = (point[name] for name in ("saved", "coverage", "precision", "accepted"))
        cells = " | ".join(f"{share:.1%}" for share in shares)
        lines.append(f"| {point['target']} | {point['cents']:.1f} | {cells} |")
    return "\n".join(lines)
