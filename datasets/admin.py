"""Admin pages for decisions, partitions and comparisons with other resources."""

from audit.admin import register_read_only
from datasets.models import Decision, Partitioning, StoredComparison

register_read_only(
    Decision, "submission predicted kind decided_by decided_at reason", filters="kind"
)
register_read_only(Partitioning, "project unit seed drawn_at frozen_at")
register_read_only(StoredComparison, "project source kind file_name compared_at")
