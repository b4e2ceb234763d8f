"""How other annotators treated the same verb.

The module is the part `precedents` of the scheme.
"""

from collections import Counter
from collections.abc import Iterable

from schemes.contract.values import Json


def like(query: str) -> Json:
    """Return the field of targets that records of this verb share."""
    return {"lemma": "_".join(query.split())}


def summarize(contents: Iterable[Json]) -> list[Json]:
    """Count the frames and lemmas of records, the most frequent first."""
    counts = Counter(
        (record["frame"], record.get("lemma", "")) for record in contents if record.get("frame")
    )
    ranked = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return [{"frame": frame, "lemma": lemma, "count": count} for (frame, lemma), count in ranked]
