"""How money and time are written on pages."""

from django import template

from marketplace.domain.money import format_cents

register = template.Library()


@register.filter
def dollars(cents: int) -> str:
    """ "$0.05" for 5, "-$0.05" for -5."""
    return f"{'-' if cents < 0 else ''}${format_cents(abs(cents))}"


@register.filter
def duration(seconds: int) -> str:
    """The largest unit that fits: "30 seconds", "5 minutes", "1 hour", "2 days"."""
    for size, name in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= size:
            count = round(seconds / size)
            return f"{count} {name}{'' if count == 1 else 's'}"
    return f"{seconds} seconds"


@register.filter
def amount(cents: int) -> str:
    """A figure for a column whose heading names the unit: "0.05"; empty for None."""
    return dollars(cents).replace("$", "") if cents is not None else ""
