"""Admin pages for decisions, partitions and PropBank comparisons."""

from audit.admin import register_read_only
from datasets.models import Decision, Partitioning, PropBankComparison

register_read_only(
    Decision, "submission predicted kind decided_by decided_at reason", filters="kind"
)
register_read_only(Partitioning, "project unit seed drawn_at frozen_at")
register_read_only(PropBankComparison, "project source file_name compared_at")
