"""Verbs of a sentence by the part-of-speech tags of its file.

Tags of Universal Dependencies (UPOS) distinguish verbs from auxiliaries. Those of the Penn Treebank
do not, so that their context decides, as for the tagger.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from schemes.english.predicates import predicates_of_tags

_VERB = "VERB"
_UPOS = frozenset(
    (
        "ADJ", "ADP", "ADV", "AUX", "CCONJ", "DET", "INTJ", "NOUN", "NUM", "PART", "PRON", "PROPN",
        "PUNCT", "SCONJ", "SYM", "VERB", "X",
    )
)  # fmt: skip
# Words of the Penn Treebank's tag set and its later additions. Punctuation has tags without letters.
_PENN = frozenset(
    (
        "ADD", "AFX", "CC", "CD", "DT", "EX", "FW", "GW", "HYPH", "IN", "JJ", "JJR", "JJS", "LS", "MD",
        "NFP", "NN", "NNP", "NNPS", "NNS", "PDT", "POS", "PRP", "PRP$", "RB", "RBR", "RBS", "RP", "SYM",
        "TO", "UH", "VB", "VBD", "VBG", "VBN", "VBP", "VBZ", "WDT", "WP", "WP$", "WRB", "XX",
        "-LRB-", "-RRB-", "-LSB-", "-RSB-", "-LCB-", "-RCB-",
    )
)  # fmt: skip
# C5 tags, which the tagger also has, of the Penn Treebank's. Verbs: the last letter of the C5 tag.
_C5_FORMS = {"VB": "I", "VBP": "B", "VBD": "D", "VBG": "G", "VBN": "N", "VBZ": "Z"}
_C5_TAGS = {"MD": "VM0", "RB": "AV0", "RBR": "AV0", "RBS": "AV0", "PRP": "PNP", "RP": "AVP"}
_NEGATIONS = frozenset({"not", "n't", "n’t"})
_BE = (
    "be",
    "am",
    "is",
    "are",
    "was",
    "were",
    "been",
    "being",
    "'s",
    "’s",
    "'m",
    "’m",
    "'re",
    "’re",
)
_HAVE = ("have", "has", "had", "having", "'ve", "’ve", "'d", "’d")
_DO = ("do", "does", "did", "doing", "done")
_KIND_BY_WORD = dict.fromkeys((*_BE, "ai"), "VB")
_KIND_BY_WORD |= dict.fromkeys(_HAVE, "VH") | dict.fromkeys(_DO, "VD")


def tagged_verbs(words: Sequence[Mapping[str, Any]]) -> list[int] | None:
    """Return the positions of the verbs, without auxiliaries. None if the tags are not known.

    The words have the columns of CoNLL-U. The tags are those of `upos`, else of `xpos`. Files in
    CoNLL-X may have tags of the Penn Treebank in both.
    """
    upos = [word.get("upos") for word in words]
    if any(upos) and _UPOS.issuperset(filter(None, upos)):
        return [at for at, tag in enumerate(upos) if tag == _VERB]
    for tags in ([word.get("xpos") for word in words], upos):
        if any(tags) and all(map(_is_penn, filter(None, tags))):
            tokens = [word["form"] for word in words]
            c5 = [_c5_tag(token, tag or "") for token, tag in zip(tokens, tags, strict=True)]
            return predicates_of_tags(c5, tokens)
    return None


def _is_penn(tag: str) -> bool:
    return tag in _PENN or not any(character.isalnum() for character in tag)


def _c5_tag(token: str, tag: str) -> str:
    word = token.lower()
    if tag in _C5_FORMS:
        return _KIND_BY_WORD.get(word, "VV") + _C5_FORMS[tag]
    return "XX0" if word in _NEGATIONS else _C5_TAGS.get(tag, "")
