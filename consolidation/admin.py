"""Admin pages for cases, gold, reviews and expert queues."""

from audit.admin import register_read_only
from consolidation.models import (
    Case,
    Dispute,
    ExpertQueue,
    Gold,
    ItemFlag,
    Judgment,
    Merge,
    RejectedEntry,
    Review,
    SystemAnnotation,
)

register_read_only(Case, "item attempt state opened_at", filters="state", search="item__key")
register_read_only(Dispute, "case round source revision found_at", search="case__item__key")
register_read_only(Gold, "item source version created_at", filters="source", search="item__key")
register_read_only(Judgment, "gold position submission")
register_read_only(Review, "gold origin state expert drawn_at reviewed_at", filters="origin state")
register_read_only(
    ExpertQueue, "title project kind state experts_per_item created_at", filters="kind state"
)
register_read_only(
    ItemFlag, "item raised_by state raised_at", filters="state", search="item__key reason"
)
register_read_only(Merge, "queued state merged_by merged_at gold", filters="state")
register_read_only(RejectedEntry, "project resource key rejected_by rejected_at", search="key")
register_read_only(SystemAnnotation, "item system imported_at", filters="system")
