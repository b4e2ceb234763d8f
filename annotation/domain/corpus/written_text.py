"""The text of an imported sentence as it was written, and the offsets of its tokens."""

from annotation.domain.corpus.storable import storable
from schemes.contract.records import SentenceRecord
from schemes.original_text import Offsets, align

NOT_ALIGNED = "has a text that does not consist of its tokens. Pages show its tokens with blanks."


def written_text(record: SentenceRecord) -> tuple[str, Offsets]:
    """Return the sentence's text, and the offsets of its tokens, which are empty if unknown.

    Characters that databases can't store are removed from the text.
    """
    if not record.text:
        return "", ()
    text = storable(record.text)
    if record.offsets and text == record.text:
        return text, record.offsets
    return text, align(record.tokens, text) or ()
