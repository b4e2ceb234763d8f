"""Admin page of the log, and the base class of read-only admin pages."""

from django.contrib import admin
from django.db import models
from django.http import HttpRequest

from audit.models import StateChange


class ReadOnlyAdmin(admin.ModelAdmin):
    """A read-only admin. Only domain functions change rows, because they check and log changes."""

    list_per_page = 50
    show_full_result_count = False

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: models.Model | None = None) -> bool:
        return False


@admin.register(StateChange)
class StateChangeAdmin(ReadOnlyAdmin):
    list_display = ("at", "aggregate", "object_id", "old", "new", "actor")
    list_filter = ("aggregate", "new")
    search_fields = ("object_id", "actor")
