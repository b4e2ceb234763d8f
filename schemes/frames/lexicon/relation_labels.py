"""Relations of frames in words."""

from collections.abc import Mapping

# What a frame does to the frame that a relation names, if that is the parent and if it is the child.
RELATION_LABELS: Mapping[str, tuple[str, str]] = {
    "Inheritance": ("Inherits from", "Is inherited by"),
    "Perspective_on": ("Is a perspective on", "Is seen in the perspective of"),
    "Using": ("Uses", "Is used by"),
    "Subframe": ("Is a part of", "Has the parts"),
    "Precedes": ("Comes after", "Comes before"),
    "Causative_of": ("Is caused by", "Causes"),
    "Inchoative_of": ("Is begun by", "Begins"),
    "See_also": ("See also", "See also"),
}


def relation_labels(kind: str) -> tuple[str, str]:
    """Return what the specific frame does to the general one, and the other way round."""
    plain = kind.replace("_", " ")
    return RELATION_LABELS.get(kind, (f"{plain} (parent)", f"{plain} (child)"))
