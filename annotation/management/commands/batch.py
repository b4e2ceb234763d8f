from argparse import ArgumentParser
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.utils import timezone

from annotation.domain.publish import cap_batch
from annotation.domain.steer_batch import (
    add_to_batch,
    expire_batch,
    extend_batch,
    hits_of,
    keep_open,
    pause_batch,
    resume_batch,
)
from annotation.management.command import Command as BaseCommand
from annotation.management.command import Refused
from annotation.models import Batch
from audit.domain.change_state import MoveRefused
from crowd.domain.ledger import BudgetExceeded, CapTooLow
from crowd.domain.steer_hits import CanNotSteer

ACTOR = "command line"


class Command(BaseCommand):
    help = "Pause, resume, expire, extend, enlarge, top up or cap a batch, or show how it stands."
    example = "manage.py batch 12 extend --days 7"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("batch", type=int, help="its number, as `publish` printed it")
        parser.add_argument("action", choices=sorted(self.actions()))
        parser.add_argument("--days", type=int, default=14, help="extend: to so many days from now")
        parser.add_argument("--assignments", type=int, default=1, help="add: so many to each HIT")
        parser.add_argument("--open", type=int, help="keep: so many HITs open; none ends it")
        parser.add_argument("--cents", type=int, help="cap: at most so much; none lifts it")
        self.add_json(parser)

    def actions(self) -> dict[str, Callable[..., int]]:
        return {
            "show": self.show,
            "pause": self.pause,
            "resume": self.resume,
            "expire": self.expire,
            "extend": self.extend,
            "add": self.add,
            "keep": self.keep,
            "cap": self.cap,
        }

    def handle(self, *args: Any, **options: Any) -> None:
        batches = Batch.objects.select_related("project__budget", "budget")
        batch = batches.filter(pk=options["batch"]).first()
        if batch is None:
            raise Refused(f"no batch {options['batch']}; `publish` prints its number.")
        try:
            count = self.actions()[options["action"]](batch, options)
        except (MoveRefused, BudgetExceeded, CapTooLow, CanNotSteer) as error:
            raise Refused(error) from error
        batch.refresh_from_db()
        facts = {
            "batch": batch.pk,
            "state": batch.state,
            "hits": count,
            "open": hits_of(batch).open().count(),
            "keep_open": batch.keep_open,
            "cap_cents": batch.budget.cap_cents if batch.budget else None,
            "problem": batch.problem,
        }
        sentence = f"Batch {batch.pk} is {batch.state}; {facts['open']} HITs are open."
        self.tell(facts, sentence, as_json=options["json"])

    def show(self, batch: Batch, options: dict[str, Any]) -> int:
        return hits_of(batch).count()

    def pause(self, batch: Batch, options: dict[str, Any]) -> int:
        return pause_batch(batch=batch, actor=ACTOR, now=timezone.now())

    def resume(self, batch: Batch, options: dict[str, Any]) -> int:
        return resume_batch(batch=batch, actor=ACTOR, now=timezone.now())

    def expire(self, batch: Batch, options: dict[str, Any]) -> int:
        return expire_batch(batch=batch, actor=ACTOR, now=timezone.now())

    def extend(self, batch: Batch, options: dict[str, Any]) -> int:
        now = timezone.now()
        end = now + timedelta(days=options["days"])
        return extend_batch(batch=batch, ends_at=end, actor=ACTOR, now=now)

    def add(self, batch: Batch, options: dict[str, Any]) -> int:
        return add_to_batch(batch=batch, number=options["assignments"], now=timezone.now())

    def keep(self, batch: Batch, options: dict[str, Any]) -> int:
        keep_open(batch=batch, count=options["open"])
        return hits_of(batch).count()

    def cap(self, batch: Batch, options: dict[str, Any]) -> int:
        cap_batch(batch=batch, cap_cents=options["cents"])
        return hits_of(batch).count()
