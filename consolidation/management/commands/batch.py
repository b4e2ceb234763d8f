from argparse import ArgumentParser
from typing import Any

from django.utils import timezone

from annotation.domain.publishing.batch_actions import hits_of, keep_open, limit_republications
from annotation.domain.publishing.publish import cap_batch
from annotation.domain.publishing.publish_rest import published_count
from annotation.models import Batch
from consolidation.domain.cases.manage_batch import Order, apply_action
from consolidation.enums import Action
from projects.command import Command as BaseCommand
from projects.command import InputError

ACTOR = "command line"
SETTINGS = ("cap", "keep", "policy", "show")


class Command(BaseCommand):
    help = "Pause, resume, expire, extend, enlarge, offer again, top up or cap a batch, or show it."
    example = "manage.py batch 12 extend --days 7"
    refusals = (ValueError,)

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("batch", type=int, help="the batch number printed by `publish`")
        parser.add_argument("action", choices=sorted([*Action.values, *SETTINGS]))
        parser.add_argument("--days", type=int, default=14, help="extend: days from now")
        parser.add_argument("--assignments", type=int, default=1, help="add: assignments per HIT")
        parser.add_argument("--open", type=int, help="keep: number of open HITs; omit to stop")
        parser.add_argument("--cents", type=int, help="cap: budget limit in cents; omit for none")
        parser.add_argument(
            "--republications", type=int, help="policy: automatic republications; 0 for none"
        )
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        batches = Batch.objects.select_related("project__budget", "budget")
        batch = batches.filter(pk=options["batch"]).first()
        if batch is None:
            raise InputError(f"no batch {options['batch']}; `publish` prints its number.")
        count = self.manage_batch(batch, options)
        batch.refresh_from_db()
        facts = {
            "batch": batch.pk,
            "state": batch.state,
            "hits": count,
            "open": hits_of(batch).open().count(),
            "keep_open": batch.keep_open,
            "cap_cents": batch.budget.cap_cents if batch.budget else None,
            "republish_limit": batch.republish_limit,
            "published": published_count(batch),
            "to_publish": batch.to_publish,
            "problem": batch.problem or batch.republish_problem,
        }
        sentence = f"Batch {batch.pk} is {batch.state}. {facts['open']} HITs are open."
        if batch.to_publish is not None:
            sentence += f" {facts['published']} of {batch.to_publish} items are published."
        self.write_result(facts, sentence, as_json=options["json"])

    def manage_batch(self, batch: Batch, options: dict[str, Any]) -> int:
        """Return the number of affected HITs. A setting affects all HITs of the batch."""
        action, now = options["action"], timezone.now()
        if action in Action.values:
            order = Order(Action(action), options["days"], options["assignments"])
            return apply_action(batch=batch, order=order, actor=ACTOR, now=now)
        if action == "keep":
            keep_open(batch=batch, count=options["open"], actor=ACTOR, now=now)
        elif action == "cap":
            cap_batch(batch=batch, cap_cents=options["cents"])
        elif action == "policy":
            limit = options["republications"]
            if limit is None:
                raise InputError("pass a number, such as --republications 3, or 0 for never.")
            limit_republications(batch=batch, limit=limit, actor=ACTOR, now=now)
        return hits_of(batch).count()
