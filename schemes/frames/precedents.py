"""How other annotators treated the same verb."""

from collections import Counter
from collections.abc import Iterable

from schemes.contract.resources import Precedents
from schemes.contract.values import Json


def like(lemma: str) -> Json:
    """Return the field of targets that records of this verb share."""
    return {"lemma": "_".join(lemma.split())}


def summarize(contents: Iterable[Json]) -> list[Json]:
    """Count the frames and lemmas of records, the most frequent first."""
    counts = Counter(
        (record["frame"], record.get("lemma", "")) for record in contents if record.get("frame")
    )
    ranked = sorted(counts.items(), key=lambda pair: (-pair[1], pair[0]))
    return [{"frame": frame, "lemma": lemma, "count": count} for (frame, lemma), count in ranked]


PRECEDENTS = Precedents(like=like, summarize=summarize)
