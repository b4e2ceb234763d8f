"""Admin pages for decisions, partitions and PropBank comparisons."""

from django.contrib import admin

from audit.admin import ReadOnlyAdmin
from datasets.models import Decision, Partitioning, PropBankComparison


@admin.register(Decision)
class DecisionAdmin(ReadOnlyAdmin):
    list_display = ("submission", "predicted", "kind", "decided_by", "decided_at", "reason")
    list_filter = ("kind",)
    list_select_related = ("submission", "predicted", "decided_by")


@admin.register(Partitioning)
class PartitioningAdmin(ReadOnlyAdmin):
    list_display = ("project", "unit", "seed", "drawn_at", "frozen_at")
    list_select_related = ("project",)


@admin.register(PropBankComparison)
class PropBankComparisonAdmin(ReadOnlyAdmin):
    list_display = ("project", "source", "file_name", "compared_at")
    list_select_related = ("project",)
