"""Display of records on pages for staff.

The module is the part `views` of the scheme.
"""

from schemes.contract.items import ItemContext
from schemes.contract.pages import ShownUnit
from schemes.contract.values import Json
from schemes.frames.corpus import marked
from schemes.frames.merging import label_of
from schemes.frames.skips import SKIP_REASONS
from schemes.frames.validating import verification_remark

__all__ = ["marked", "remark", "units"]


def units(content: object, context: ItemContext) -> list[ShownUnit] | None:
    """Return the arguments with their labels, or None for content of another shape.

    Of a verification, these are the arguments of the record as the verifier would have it.
    """
    record = content.get("record", content) if isinstance(content, dict) else None
    arguments = record.get("arguments") if isinstance(record, dict) else None
    if not isinstance(arguments, list):
        return None
    known = [_shown_unit(argument, context) for argument in arguments]
    shown = [unit for unit in known if unit is not None]
    return shown if len(shown) == len(known) else None


def _shown_unit(argument: object, context: ItemContext) -> ShownUnit | None:
    if not isinstance(argument, dict):
        return None
    head, labels = argument.get("head"), [argument.get("element"), argument.get("role")]
    if not isinstance(head, list) or not all(isinstance(label, str) for label in labels):
        return None
    if not all(type(at) is int and 0 <= at < len(context.tokens) for at in head):
        return None
    return ShownUnit(
        label=label_of(argument),
        values=[context.words_text(head)],
        spans=[(at, at + 1) for at in head],
    )


def remark(content: Json) -> str:
    """Return the frame with the verb's lemma, the reason of a skip, or what a verifier disputes."""
    if content.get("skip"):
        return f"Skipped: {SKIP_REASONS.get(content['skip'], content['skip'])}."
    if "record" in content:
        return verification_remark(content)
    frame, lemma = content.get("frame"), str(content.get("lemma", "")).replace("_", " ")
    return f"{lemma}: {frame}" if isinstance(frame, str) and frame else ""
