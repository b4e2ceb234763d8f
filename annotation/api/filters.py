"""Filters that several lists share."""

from typing import Any

from django.db.models import QuerySet
from django_filters import rest_framework as filters
from rest_framework.exceptions import ValidationError

from web.filters import MAX_ID


class FiltersByItem(filters.FilterSet):
    """Filters by the item of a row, by key or by id."""

    item = filters.CharFilter(
        method="of_key", max_length=240, label="The key of an item, such as wiki:3/2."
    )
    item_id = filters.NumberFilter(min_value=0, max_value=MAX_ID, label="The id of an item.")

    def of_key(self, queryset: QuerySet[Any], name: str, key: str) -> QuerySet[Any]:
        """Return the rows of the item. An unknown key is more likely an id than a wish for no rows."""
        project = self.request.parser_context["view"].project
        if not project.items.filter(key=key).exists():
            detail = f"No item has the key {key!r}. Use item_id to filter by id."
            raise ValidationError({name: [detail]})
        return queryset.filter(item__key=key)
