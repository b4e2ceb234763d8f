"""Amounts of money as text."""


def dollars(cents: float | None) -> str:
    """Format cents as dollars, such as $1,234.56. None is an empty string."""
    if cents is None:
        return ""
    return f"{'-' if cents < 0 else ''}${abs(cents) / 100:,.2f}"
