"""Admin pages for cases, gold, reviews and expert queues."""

from django.contrib import admin

from audit.admin import ReadOnlyAdmin
from consolidation.models import (
    Case,
    ExpertQueue,
    Gold,
    Judgment,
    Merge,
    Monitoring,
    Review,
    SystemAnnotation,
)


@admin.register(Case)
class CaseAdmin(ReadOnlyAdmin):
    list_display = ("item", "attempt", "state", "opened_at")
    list_filter = ("state",)
    list_select_related = ("item",)
    search_fields = ("item__key",)


@admin.register(Gold)
class GoldAdmin(ReadOnlyAdmin):
    list_display = ("item", "source", "version", "created_at")
    list_filter = ("source",)
    list_select_related = ("item",)
    search_fields = ("item__key",)


@admin.register(Judgment)
class JudgmentAdmin(ReadOnlyAdmin):
    list_display = ("gold", "position", "submission")
    list_select_related = ("gold", "submission")


@admin.register(Review)
class ReviewAdmin(ReadOnlyAdmin):
    list_display = ("gold", "state", "expert", "drawn_at", "reviewed_at")
    list_filter = ("state",)
    list_select_related = ("gold", "expert")


@admin.register(ExpertQueue)
class ExpertQueueAdmin(ReadOnlyAdmin):
    list_display = ("title", "project", "kind", "state", "experts_per_item", "created_at")
    list_filter = ("kind", "state")
    list_select_related = ("project",)


@admin.register(Merge)
class MergeAdmin(ReadOnlyAdmin):
    list_display = ("queued", "state", "merged_by", "merged_at", "gold")
    list_filter = ("state",)
    list_select_related = ("queued", "merged_by", "gold")


@admin.register(SystemAnnotation)
class SystemAnnotationAdmin(ReadOnlyAdmin):
    list_display = ("item", "system", "imported_at")
    list_filter = ("system",)
    list_select_related = ("item",)


@admin.register(Monitoring)
class MonitoringAdmin(admin.ModelAdmin):
    """The only editable admin page of this app, because it changes a setting and no annotations."""

    list_display = ("project", "per_thousand")
    list_select_related = ("project",)
