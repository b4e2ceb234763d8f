"""Records of how workers enter their answers, as their pages send them (see static/js/work/timing.js).

A record has counts and times, and no content. Pages can send anything: what is not a record is left
out, and work is never refused because of it.
"""

import re
from collections.abc import Iterator, Mapping

from metrics.input_signals import BUCKETS, COUNTS, KINDS
from schemes.contract.values import Json

MAX_ITEMS = 200
# Of all items of a page together.
MAX_FIELDS = 400
MAX_NUMBER = 10_000_000
# The bucket of an interval of 0 ms, as pages compute it
_NO_TIME = "-Infinity"
_BUCKET = re.compile(f"-?[0-9]{{1,3}}|{_NO_TIME}")
_NAME = re.compile(r"[A-Za-z0-9_.-]{1,60}")
# The names that browsers give to kinds of input, with "words" before those that insert several
# characters at once. The first match counts.
_KINDS = (
    (re.compile("Composition"), "composed"),
    (re.compile("Replacement"), "replaced"),
    (re.compile("Paste|Yank"), "pasted"),
    (re.compile("Drop"), "dropped"),
    (re.compile("history"), "restored"),
    (re.compile("words"), "words"),
    (re.compile("insert(Text|LineBreak|Paragraph)"), "typed"),
)


def bounded_records(sent: object) -> dict[str, Json]:
    """Return the records by item id (as text), within all limits."""
    records: dict[str, Json] = {}
    left = MAX_FIELDS
    for item, record in list(_mapping(sent).items())[:MAX_ITEMS]:
        if not str(item).isdecimal() or len(str(item)) > 20 or not isinstance(record, dict):
            continue
        fields = list(_fields(record.get("fields")))[:left]
        left -= len(fields)
        counts = _mapping(record.get("counts"))
        records[str(item)] = {
            "fields": fields,
            "intervals": _intervals(_mapping(record.get("intervals"))),
            "counts": {name: number for name in COUNTS if (number := _number(counts.get(name)))},
        }
    return records


def _fields(sent: object) -> Iterator[Json]:
    """Yield the fields, with the kinds of input under their own names."""
    for field in sent if isinstance(sent, list) else []:
        if not isinstance(field, dict):
            continue
        name = field.get("name")
        bounded: Json = {"name": name if isinstance(name, str) and _NAME.fullmatch(name) else ""}
        for kind, number in field.items():
            if kind == "name" or not (number := _number(number)):
                continue
            known = kind if kind in (*KINDS, "pastes") else _kind_of(kind)
            bounded[known] = min(MAX_NUMBER, bounded.get(known, 0) + number)
        yield bounded


def _kind_of(input_type: str) -> str:
    return next((kind for pattern, kind in _KINDS if pattern.search(input_type)), "other")


def _intervals(sent: Mapping[str, object]) -> Json:
    """Return the numbers by bucket. Shorter and longer intervals are in the outer buckets."""
    intervals: Json = {}
    for name, number in sent.items():
        if not _BUCKET.fullmatch(name) or not (number := _number(number)):
            continue
        bucket = "0" if name == _NO_TIME else str(max(0, min(BUCKETS - 1, int(name))))
        intervals[bucket] = min(MAX_NUMBER, intervals.get(bucket, 0) + number)
    return intervals


def _number(sent: object) -> int:
    """Return the number within the limits, or 0 if it is none."""
    if isinstance(sent, bool) or not isinstance(sent, int | float) or not 0 < sent < float("inf"):
        return 0
    return int(min(sent, MAX_NUMBER))


def _mapping(sent: object) -> Mapping[str, object]:
    return sent if isinstance(sent, dict) else {}
