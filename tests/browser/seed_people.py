"""A script that presents the simulated workers of the demo as people.

Lists that leave out simulated workers, such as invitations and payouts, then have rows for the
screenshots. A round that nobody is in gives workers to invite. Run as `python -m
tests.browser.seed_people` with the environment of the demo.
"""

import django

django.setup()

from crowd.models import Worker  # noqa: E402
from marketplace.models import WorkerAccount  # noqa: E402
from qualification.models import Round  # noqa: E402
from rehearsal.domain.demo import REHEARSED  # noqa: E402

NAMES = ["amal", "bruno", "chen", "dina", "emre", "fatima"]

if __name__ == "__main__":
    rounds = Round.objects.filter(project__slug=REHEARSED)
    workers = Worker.objects.filter(enrolments__round__in=rounds).distinct()
    accounts = WorkerAccount.objects.filter(code__in=workers.values("external_id"))
    for name, account in zip(NAMES, accounts.order_by("pk"), strict=False):
        account.username, account.is_simulated = name, False
        account.save(update_fields=["username", "is_simulated"])
    Worker.objects.filter(pk__in=workers).update(is_simulated=False)
    new = rounds.get(title="Training 2")
    new.pk, new.title, new.ordinal = None, "Training 3", new.ordinal + 1
    new.save()
