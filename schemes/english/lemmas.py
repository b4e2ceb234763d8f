"""Lemmas of English words, to compare a lemma in a file with a word of a sentence."""

from functools import lru_cache
from typing import Any

from schemes.english.verbs import candidate_forms

_MIN_PREFIX = 3
# Lemmas of words that dictionaries of inflections lack.
_FUNCTION_WORDS = {
    "an": "a", "n't": "not", "ca": "can", "wo": "will", "'ll": "will", "'d": "would have had",
    "'m": "be", "'re": "be", "'ve": "have", "am": "be", "are": "be", "is": "be", "was": "be",
    "were": "be", "been": "be", "being": "be", "him": "he", "his": "he", "her": "she hers",
    "hers": "she her", "me": "i", "my": "i", "mine": "i my", "us": "we", "our": "we", "ours": "we our",
    "them": "they", "their": "they", "theirs": "they their", "its": "it", "your": "you",
    "yours": "you your", "whom": "who", "whose": "who", "these": "this", "those": "that",
    "himself": "he", "herself": "she", "itself": "it", "themselves": "they", "myself": "i",
    "ourselves": "we", "yourself": "you", "'em": "they them", "'s": "be have us",
}  # fmt: skip


@lru_cache(maxsize=1 << 14)
def is_lemma_of(lemma: str, word: str) -> bool:
    """Return True if the word may be a form of the lemma. Case doesn't matter.

    Words that begin alike count as forms, so that lemmatizers may differ.
    """
    lemma, word = lemma.lower().replace("\u2019", "'"), word.lower().replace("\u2019", "'")
    if lemma == word or lemma in _FUNCTION_WORDS.get(word, "").split():
        return True
    return (
        _begin_alike(lemma, word)
        or any(lemma in lemmas for lemmas in _lemminflect().getAllLemmas(word).values())
        or any(forms.stem == lemma for forms in candidate_forms(word))
    )


def _begin_alike(lemma: str, word: str) -> bool:
    length = next(
        (at for at, pair in enumerate(zip(lemma, word, strict=False)) if pair[0] != pair[1]),
        min(len(lemma), len(word)),
    )
    return length >= _MIN_PREFIX and 2 * length >= max(len(lemma), len(word))


def _lemminflect() -> Any:
    import lemminflect  # noqa: PLC0415 - its tables are slow to load

    return lemminflect
