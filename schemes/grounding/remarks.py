"""Likely remarks on an annotation, derived from its aligned rows.

They are suggestions for a trainer. Each error has a code, so that an item gets each remark once.
"""

from collections.abc import Iterator

from schemes.contract.comparison import AlignedRow, Compared
from schemes.contract.items import ItemContext

# Details of rows with matched boxes, by error code.
SIZE_CODES = {
    "box-too-large": "box too large",
    "box-too-small": "box too small",
    "box-shifted": "box shifted",
}
# The sections of schemes/grounding/guidelines for generators and consolidators that an error violates.
_SECTIONS = {
    "box-too-large": ("tight-boxes", "correcting-boxes"),
    "box-too-small": ("tight-boxes", "correcting-boxes"),
    "box-shifted": ("tight-boxes", "correcting-boxes"),
    "box-missed": ("every-individual", "missing-boxes"),
    "box-extra": ("only-what-the-phrase-means", "correcting-boxes"),
    "group-instead": ("a-group", "different-answers"),
    "individuals-instead": ("a-group", "different-answers"),
    "nothing-boxed": ("nothing-to-box", "different-answers"),
    "boxed-needlessly": ("nothing-to-box", "different-answers"),
    "absence": ("not-in-the-picture", "different-answers"),
}
SECTIONS = {
    role: {code: anchors[at] for code, anchors in _SECTIONS.items()}
    for at, role in enumerate(("generator", "consolidator"))
}


def section(code: str, role: str) -> str:
    """Return the anchor of the guideline section of an error, or ""."""
    return SECTIONS.get(role, {}).get(code, "")


def hints(compared: Compared, context: ItemContext) -> list[tuple[str, str]]:
    """Return (code, sentence) for the likely errors in the rows.

    Only the first error of each code is included.
    """
    first: dict[str, str] = {}
    for row in compared.rows:
        for code, sentence in _of_row(row):
            first.setdefault(code, sentence)
    return list(first.items())


def _of_row(row: AlignedRow) -> Iterator[tuple[str, str]]:
    side = row.reference or row.predicted
    phrase = f"“{side.labels[0]}”" if side else ""
    if row.state == "missed" and row.reference and row.reference.boxes:
        yield "box-missed", f"Look at the whole picture again. A box for {phrase} is missing."
    elif row.state == "extra":
        yield (
            "box-extra",
            f"Box only what the words mean. One of your boxes for {phrase} is not part of it.",
        )
    elif row.state == "extent-differs":
        yield from _extent(row.detail, phrase)
    elif row.state == "label-differs":
        yield _answer(row.detail, phrase)


def _extent(detail: str, phrase: str) -> Iterator[tuple[str, str]]:
    for code, text in SIZE_CODES.items():
        if detail.startswith(text):
            yield code, f"Draw tight boxes. Your {text.replace('box', f'box for {phrase} is', 1)}."


def _answer(detail: str, phrase: str) -> tuple[str, str]:
    if detail.startswith("a group"):
        return (
            "group-instead",
            f"The individuals of {phrase} can be distinguished, so give each its own box.",
        )
    if detail.startswith("individuals"):
        return (
            "individuals-instead",
            f"The individuals of {phrase} can't be distinguished, so draw one box for the group.",
        )
    written, _, expected = detail.partition(" instead of ")
    if "picture" in detail:
        is_seen = "picture" in written
        where = "is in the picture" if is_seen else "is not in the picture"
        return "absence", f"Check the picture again. {phrase} {where}."
    if expected.startswith("nothing"):
        return "boxed-needlessly", f"There is nothing to box for {phrase}."
    return "nothing-boxed", f"There is something to box for {phrase}."
