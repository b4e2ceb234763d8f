"""Captions with phrases."""

from schemes.contract.items import ItemContext
from schemes.contract.values import Image, Json

TOKENS = [
    "Two",
    "women",
    "beside",
    "a",
    "red",
    "car",
    "watch",
    "a",
    "race",
    "with",
    "their",
    "dogs",
]


def phrase(number: int, start: int, end: int, **fields: object) -> Json:
    known = {"plural": False, "cardinality": None, "chain": "", "types": []}
    return {"id": f"p{number}", "start": start, "end": end, **known, **fields}


PHRASES = [
    phrase(0, 0, 2, plural=True, cardinality=2, chain="c1"),
    phrase(1, 3, 6, cardinality=1),
    phrase(2, 7, 9),
    phrase(3, 10, 12, plural=True, chain="c1"),
]
CONTEXT = ItemContext(TOKENS, {"phrases": PHRASES}, image=Image("1.jpg", 500, 375))


def grounding(*answers: tuple[str, list[list[int]]]) -> Json:
    """Return an answer (state, boxes) for each phrase, in order."""
    return {
        "phrases": [
            {"id": f"p{at}", "state": state, "boxes": boxes}
            for at, (state, boxes) in enumerate(answers)
        ]
    }
