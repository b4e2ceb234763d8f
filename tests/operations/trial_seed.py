"""The work of the trial, and what both sides have recorded of it.

Run it with the environment of the site. `python -m tests.operations.trial_seed fill ITEMS WORKERS`
publishes items and prints the sessions of workers. The site creates the HITs at its marketplace.
`python -m tests.operations.trial_seed books` prints the records.
"""

import json
import sys

import django

django.setup()

from django.conf import settings  # noqa: E402
from django.db.models import Count, F, Sum  # noqa: E402
from django.utils import timezone  # noqa: E402

from annotation.domain.publishing.publish import publish_batch  # noqa: E402
from annotation.domain.publishing.publish_rest import finish_publication  # noqa: E402
from annotation.models import Submission  # noqa: E402
from crowd.enums import HitState, PaymentState  # noqa: E402
from crowd.models import Assignment, Budget, Hit, LedgerEntry, Payment  # noqa: E402
from marketplace.models import Assignment as TheirAssignment  # noqa: E402
from marketplace.models import Bonus, Requester  # noqa: E402
from marketplace.models import Hit as TheirHit  # noqa: E402
from tests.annotation.factories import make_project  # noqa: E402
from tests.bench.annotation_site import ANSWER, import_items, log_in  # noqa: E402

FINISHED = ["Submitted", "Approved", "Rejected"]
CENTS = Sum(F("amount_cents") + F("fee_cents"), default=0)


def fill(items: int, workers: int) -> dict[str, object]:
    project = make_project("trial")
    import_items(project, items)
    batch = publish_batch(project=project, now=timezone.now())
    finish_publication(batch=batch, actor="trial", clock=timezone.now)
    return {"answer": ANSWER, "sessions": [log_in() for _ in range(workers)]}


def books() -> dict[str, object]:
    """Return the work and the money of both sides, in ids and cents."""
    finished = TheirAssignment.objects.filter(status__in=FINISHED)
    repeated = [
        finished.values("hit", "worker"),
        TheirHit.objects.values("annotation"),
        Bonus.objects.values("assignment"),
        Submission.objects.values("assignment", "item"),
        Payment.objects.values("assignment", "kind"),
    ]
    too_often = TheirHit.objects.annotate(n=Count("assignments")).filter(n__gt=F("max_assignments"))
    settled = LedgerEntry.objects.filter(kind="settle").aggregate(cents=CENTS)["cents"]
    balance = Requester.objects.aggregate(cents=Sum("balance_cents"))["cents"]
    budget = Budget.objects.get()
    recorded = Assignment.objects.exclude(recorded_at=None)
    due = [PaymentState.PENDING, PaymentState.SENT]
    return {
        "theirs": sorted(finished.values_list("code", flat=True)),
        "ours": sorted(
            recorded.exclude(submissions=None).values_list("external_id", flat=True).distinct()
        ),
        "doubled": too_often.count()
        + sum(rows.order_by().annotate(n=Count("pk")).filter(n__gt=1).count() for rows in repeated),
        "settled": settled,
        "spent": budget.spent_cents,
        "reserved": budget.reserved_cents,
        "reserved_in_ledger": sum(
            sign * LedgerEntry.objects.filter(kind=kind).aggregate(cents=CENTS)["cents"]
            for kind, sign in (("reserve", 1), ("release", -1), ("settle", -1))
        ),
        "wallet": int(settings.MARKETPLACE_OPENING_BALANCE * 100) - balance,
        "payments": dict(Payment.objects.order_by().values_list("state").annotate(n=Count("pk"))),
        "due": Payment.objects.filter(state__in=due).count(),
        "unrecorded": Assignment.objects.unrecorded().count(),
        "pending_hits": Hit.objects.filter(state=HitState.PENDING).count(),
    }


COMMANDS = {"fill": fill, "books": books}

if __name__ == "__main__":
    name, *numbers = sys.argv[1:]
    sys.stdout.write(json.dumps(COMMANDS[name](*map(int, numbers))))
