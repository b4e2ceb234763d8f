"""Admin page of the log, and the base class of read-only admin pages."""

from typing import Any

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


def register_read_only(
    model: type[models.Model],
    columns: str,
    *,
    filters: str = "",
    search: str = "",
    related: str = "",
    **options: Any,
) -> None:
    """Register a read-only admin page of the model. Field names are separated by spaces.

    Foreign keys among the columns are selected with their rows, and those in `related` too.
    """
    names = columns.split()
    foreign = [field.name for field in model._meta.fields if field.is_relation]
    selected = [*(name for name in foreign if name in names), *related.split()]
    fields = {
        "list_display": names,
        "list_filter": filters.split(),
        "search_fields": search.split(),
        "list_select_related": selected or False,
    }
    name = f"{model.__name__}Admin"
    admin.site.register(model, type(name, (ReadOnlyAdmin,), fields | options))


register_read_only(
    StateChange,
    "at aggregate object_id old new actor",
    filters="aggregate new",
    search="object_id actor",
)
