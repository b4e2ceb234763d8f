"""The bell in the header."""

from typing import Any

from django import template

from projects.domain.notify import unread_of

register = template.Library()


@register.simple_tag
def unread_notifications(user: Any) -> int:
    return unread_of(user=user).count()
