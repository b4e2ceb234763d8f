"""What a trainer has written on a page, as its form sends it."""

import re

from django.http import QueryDict

from qualification.domain.feedback import Notes

NOTE = re.compile(r"^note-(\d+)$")


def notes_of(data: QueryDict) -> Notes:
    by_item = {
        match.group(1): str(value)[:4000]
        for name, value in data.items()
        if (match := NOTE.match(name))
    }
    seconds = str(data.get("seconds", ""))
    return Notes(
        text=str(data.get("text", ""))[:10_000],
        by_item=by_item,
        seconds=int(seconds) if seconds.isdecimal() and len(seconds) < 7 else 0,
    )
