"""Read-only administration of sentences, items, batches and submissions."""

from annotation.models import Batch, HeldBonus, Item, Sentence, Submission
from audit.admin import register_read_only

register_read_only(
    Sentence,
    "external_id project domain partition",
    filters="project partition",
    search="external_id",
)
register_read_only(Item, "key project position", filters="project", search="key")
register_read_only(
    Batch, "__str__ state reward_cents created_at", filters="state role", related="project"
)
register_read_only(
    Submission,
    "item role worker author state submitted_at",
    filters="state role",
    search="item__key worker__pseudonym",
)
register_read_only(
    HeldBonus,
    "__str__ project state held_at decided_by decided_at",
    filters="state",
    search="payment__assignment__worker__pseudonym",
)
