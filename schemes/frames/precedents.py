"""How others annotated the same verb, and the roles that they gave to the elements of a frame.

The module is the part `precedents` of the scheme. A query is the lemma of a verb, or `=` and the name
of a frame.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable

from schemes.contract.resources import PrecedentQuery
from schemes.contract.values import Json

OF_FRAME = "="
# The number of words of arguments that an answer has for each frame, the most frequent ones
MAX_WORDS = 30


def parse_query(query: str) -> PrecedentQuery:
    if query.startswith(OF_FRAME):
        return PrecedentQuery(content={"frame": query.removeprefix(OF_FRAME)})
    return PrecedentQuery(target={"lemma": "_".join(query.split())})


def summarize(query: str, contents: Iterable[Json]) -> list[Json]:
    """Return the counts of frames for a verb, or of roles for a frame."""
    if query.startswith(OF_FRAME):
        return element_roles(contents)
    return chosen_frames(contents)


def chosen_frames(records: Iterable[Json]) -> list[Json]:
    """Count the frames and lemmas of records, the most frequent first, with words of their arguments."""
    counts: Counter[tuple[str, str]] = Counter()
    words: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for record in records:
        if record.get("frame"):
            key = (record["frame"], record.get("lemma", ""))
            counts[key] += 1
            words[key].update(filler_words(record))
    ranked = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return [
        {
            "frame": frame,
            "lemma": lemma,
            "count": count,
            "words": _most_frequent(words[frame, lemma])[:MAX_WORDS],
        }
        for (frame, lemma), count in ranked
    ]


def element_roles(records: Iterable[Json]) -> list[Json]:
    """Return each element's roles in the records, the most frequent first."""
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for record in records:
        for argument in record.get("arguments", ()):
            if argument["element"] and argument["role"]:
                counts[argument["element"]][argument["role"]] += 1
    return [
        {"element": element, "roles": _most_frequent(roles)}
        for element, roles in sorted(counts.items())
    ]


def filler_words(record: Json) -> set[str]:
    """Return the lower-case words of a record's arguments."""
    fillers = (str(argument.get("filler", "")) for argument in record.get("arguments", ()))
    return {word for filler in fillers for word in filler.lower().split("_") if word}


def _most_frequent(counts: Counter[str]) -> list[str]:
    return sorted(counts, key=lambda name: (-counts[name], name))
