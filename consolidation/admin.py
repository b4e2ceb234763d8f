"""Cases, gold and what people said of it, to look at."""

from django.contrib import admin

from audit.admin import ReadOnlyAdmin
from consolidation.models import Case, Decision, Gold, Monitoring, Partitioning, Review


@admin.register(Case)
class CaseAdmin(ReadOnlyAdmin):
    list_display = ("item", "place", "state", "opened_at")
    list_filter = ("state",)
    list_select_related = ("item",)
    search_fields = ("item__key",)


@admin.register(Gold)
class GoldAdmin(ReadOnlyAdmin):
    list_display = ("item", "source", "version", "created_at")
    list_filter = ("source",)
    list_select_related = ("item",)
    search_fields = ("item__key",)


@admin.register(Review)
class ReviewAdmin(ReadOnlyAdmin):
    list_display = ("gold", "state", "expert", "drawn_at", "reviewed_at")
    list_filter = ("state",)
    list_select_related = ("gold", "expert")


@admin.register(Decision)
class DecisionAdmin(ReadOnlyAdmin):
    list_display = ("submission", "kind", "decided_by", "decided_at", "reason")
    list_filter = ("kind",)
    list_select_related = ("submission", "decided_by")


@admin.register(Partitioning)
class PartitioningAdmin(ReadOnlyAdmin):
    list_display = ("project", "unit", "seed", "drawn_at", "frozen_at")
    list_select_related = ("project",)


@admin.register(Monitoring)
class MonitoringAdmin(admin.ModelAdmin):
    """The one thing here that people set: it changes no row of anyone's work."""

    list_display = ("project", "per_thousand")
    list_select_related = ("project",)
