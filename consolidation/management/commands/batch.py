from argparse import ArgumentParser
from collections.abc import Callable
from typing import Any

from django.utils import timezone

from annotation.domain.publish import cap_batch
from annotation.domain.steer_batch import hits_of, keep_open, limit_reoffers
from annotation.management.command import Command as BaseCommand
from annotation.management.command import Refused
from annotation.models import Batch
from audit.domain.change_state import MoveRefused
from consolidation.domain.steer import Order, carry_out
from consolidation.enums import Action
from crowd.domain.ledger import BudgetExceeded

ACTOR = "command line"


class Command(BaseCommand):
    help = "Pause, resume, expire, extend, enlarge, offer again, top up or cap a batch, or show it."
    example = "manage.py batch 12 extend --days 7"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("batch", type=int, help="its number, as `publish` printed it")
        parser.add_argument("action", choices=sorted([*Action.values, *self.settings()]))
        parser.add_argument("--days", type=int, default=14, help="extend: to so many days from now")
        parser.add_argument("--assignments", type=int, default=1, help="add: so many to each HIT")
        parser.add_argument("--open", type=int, help="keep: so many HITs open; none ends it")
        parser.add_argument("--cents", type=int, help="cap: at most so much; none lifts it")
        parser.add_argument("--reoffers", type=int, help="policy: so often by itself; 0 is never")
        self.add_json(parser)

    def settings(self) -> dict[str, Callable[[Batch, dict[str, Any]], None]]:
        return {"show": self.show, "keep": self.keep, "cap": self.cap, "policy": self.policy}

    def handle(self, *args: Any, **options: Any) -> None:
        batches = Batch.objects.select_related("project__budget", "budget")
        batch = batches.filter(pk=options["batch"]).first()
        if batch is None:
            raise Refused(f"no batch {options['batch']}; `publish` prints its number.")
        try:
            count = self.steer(batch, options)
        except (MoveRefused, BudgetExceeded, ValueError) as error:
            raise Refused(error) from error
        batch.refresh_from_db()
        facts = {
            "batch": batch.pk,
            "state": batch.state,
            "hits": count,
            "open": hits_of(batch).open().count(),
            "keep_open": batch.keep_open,
            "cap_cents": batch.budget.cap_cents if batch.budget else None,
            "reoffer_limit": batch.reoffer_limit,
            "problem": batch.problem or batch.reoffer_problem,
        }
        sentence = f"Batch {batch.pk} is {batch.state}; {facts['open']} HITs are open."
        self.tell(facts, sentence, as_json=options["json"])

    def steer(self, batch: Batch, options: dict[str, Any]) -> int:
        """How many HITs that moved; of a batch's settings, how many it has."""
        if options["action"] in Action.values:
            order = Order(Action(options["action"]), options["days"], options["assignments"])
            return carry_out(batch=batch, order=order, actor=ACTOR, now=timezone.now())
        self.settings()[options["action"]](batch, options)
        return hits_of(batch).count()

    def show(self, batch: Batch, options: dict[str, Any]) -> None:
        """Told by `handle`."""

    def keep(self, batch: Batch, options: dict[str, Any]) -> None:
        keep_open(batch=batch, count=options["open"], actor=ACTOR, now=timezone.now())

    def cap(self, batch: Batch, options: dict[str, Any]) -> None:
        cap_batch(batch=batch, cap_cents=options["cents"])

    def policy(self, batch: Batch, options: dict[str, Any]) -> None:
        if options["reoffers"] is None:
            raise Refused("say how often: --reoffers 3, or 0 for never.")
        limit_reoffers(batch=batch, limit=options["reoffers"], actor=ACTOR, now=timezone.now())
