"""Readable differences between our copy of a submission and the marketplace's."""

from schemes.contract.items import ItemContext
from schemes.contract.values import Json
from schemes.frames.merging import label_of
from schemes.json_differences import value_differences


def differences(own_copy: object, other_copy: object, context: ItemContext) -> list[str]:
    """Return a sentence for each difference. Arguments are compared by their heads."""
    return list(value_differences(_by_head(own_copy, context), _by_head(other_copy, context)))


def _by_head(content: object, context: ItemContext) -> object:
    """Return the record with its arguments as a text per head, or other content unchanged."""
    if not isinstance(content, dict):
        return content
    try:
        heads = {
            _words(argument["head"], context): label_of(argument)
            for argument in content["arguments"]
        }
    except (KeyError, TypeError, IndexError):
        return content
    rest: Json = {name: value for name, value in content.items() if name != "arguments"}
    return {**rest, **heads}


def _words(head: list[int], context: ItemContext) -> str:
    return f"“{context.words_text(head)}” ({'_'.join(str(at + 1) for at in head)})"
