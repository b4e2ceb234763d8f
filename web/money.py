"""Amounts of money as text."""

from django.conf import settings
from django.utils.formats import number_format
from django.utils.translation import get_language


def dollars(cents: float | None) -> str:
    """Format cents as dollars, such as $1,234.56. None is an empty string.

    Pages for workers have the separators of their language.
    """
    if cents is None:
        return ""
    amount = f"{abs(cents) / 100:,.2f}"
    if get_language() != settings.LANGUAGE_CODE:
        amount = number_format(round(abs(cents) / 100, 2), decimal_pos=2, force_grouping=True)
    return f"{'-' if cents < 0 else ''}${amount}"
