import json
import sys
from argparse import ArgumentTypeError
from datetime import date
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from marketplace.domain.accounts import payouts
from marketplace.domain.money import format_cents
from touchstone.program import as_called


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is not a date such as 2026-11-30") from None


class Command(BaseCommand):
    help = as_called(
        "Write what each worker earned, was paid and is due from FIRST to LAST (inclusive, UTC) as CSV. "
        "Example: manage.py payout_statement 2026-11-01 2026-11-30 --out november.csv"
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("first", type=_day)
        parser.add_argument("last", type=_day)
        parser.add_argument("--out", type=Path, help="output file (default: standard output)")
        parser.add_argument(
            "--json", action="store_true", help="print one JSON object (requires --out)"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if options["last"] < options["first"]:
            raise CommandError("LAST must not be before FIRST.", returncode=2)
        if options["json"] and not options["out"]:
            raise CommandError("--json requires --out.", returncode=2)
        since, until = payouts.period_of(options["first"], options["last"])
        rows = list(payouts.payouts(since=since, until=until))
        if options["out"] is None:
            payouts.write_statement(rows, sys.stdout)
            return
        with options["out"].open("w", newline="") as file:
            total = payouts.write_statement(rows, file)
        if options["json"]:
            shown = {"workers": len(rows), "total_usd": format_cents(total)}
            self.stdout.write(json.dumps(shown | {"file": str(options["out"])}))
