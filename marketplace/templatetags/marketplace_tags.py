"""Template filters for amounts of money and durations."""

from django import template

from marketplace.domain.money import format_cents

register = template.Library()


@register.filter
def dollars(cents: int) -> str:
    """Format cents, such as "$0.05" for 5 and "-$0.05" for -5."""
    return f"{'-' if cents < 0 else ''}${format_cents(abs(cents))}"


@register.filter
def duration(seconds: int) -> str:
    """Format seconds in the largest unit that fits, such as "5 minutes" or "2 days"."""
    for size, name in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= size:
            count = round(seconds / size)
            return f"{count} {name}{'' if count == 1 else 's'}"
    return f"{seconds} seconds"


@register.filter
def amount(cents: int) -> str:
    """Format cents without a unit, such as "0.05". Return an empty string for None."""
    return dollars(cents).replace("$", "") if cents is not None else ""
