"""How workers want to be paid. The text is encrypted in the database."""

from collections.abc import Iterable
from datetime import datetime

from django.db import transaction

from marketplace.domain import vault
from marketplace.models import PaymentDetails, WorkerAccount

UNREADABLE = "(can't be decrypted: ask the worker to enter it again)"


def save_payment_details(*, worker: WorkerAccount, text: str, now: datetime) -> None:
    """Store the text, or delete it if it is empty."""
    if not text.strip():
        PaymentDetails.objects.filter(worker=worker).delete()
        return
    encrypted = {"text_encrypted": vault.encrypt(text.strip()), "updated_at": now}
    PaymentDetails.objects.update_or_create(worker=worker, defaults=encrypted)


def payment_details(worker_codes: Iterable[str]) -> dict[str, str]:
    """Return the details of those workers who entered any, by worker id."""
    rows = PaymentDetails.objects.filter(worker__code__in=list(worker_codes))
    texts = {}
    for code, encrypted in rows.values_list("worker__code", "text_encrypted"):
        try:
            texts[code] = vault.decrypt(encrypted)
        except vault.UnreadableSecretError:
            texts[code] = UNREADABLE
    return texts


@transaction.atomic
def rotate_payment_details() -> int:
    """Encrypt all details under the first key or none. Return how many. Raise UnreadableSecretError."""
    rows = list(PaymentDetails.objects.select_for_update().order_by("pk"))
    for row in rows:
        row.text_encrypted = vault.rotate(row.text_encrypted)
    PaymentDetails.objects.bulk_update(rows, ["text_encrypted"], batch_size=500)
    return len(rows)
