"""Part-of-speech tags of English sentences, by HanTa's model of the British National Corpus.

The tags are those of the C5 set: VV. is a full verb, NN1 and NN2 are nouns, CRD is a number.
"""

from functools import cache
from typing import Any

from schemes.contract.values import Tokens
from schemes.english.spelling import plain_spelling

MODEL = "morphmodel_en.pgz"
# The tagger takes a time that grows with the cube of a token's length. Endings decide about tags.
ENDING = 40


def tag_tokens(tokens: Tokens) -> list[str]:
    """Return the tag of each token. The model is loaded on first use."""
    if not tokens:
        return []
    endings = [plain_spelling(token)[-ENDING:] for token in tokens]
    return [tag for _, _, tag in _tagger().tag_sent(endings)]


@cache
def _tagger() -> Any:
    # Inline, because it loads a model of 30 MB.
    from HanTa.HanoverTagger import HanoverTagger  # noqa: PLC0415

    return HanoverTagger(MODEL)
