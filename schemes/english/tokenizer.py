"""Words of a text, tokenised as in the English treebanks of Universal Dependencies.

Those write clitics as words ("do n't", "Ann 's", "can not") and split compounds at hyphens ("well -
known"), but keep prefixes ("re-elected"), abbreviations, numbers, dates and addresses.

Characters are never altered or dropped. Invisible ones such as soft hyphens and joiners belong to
their word, and so do combining marks. All white space separates words, also U+00A0, and control
characters do.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

import regex

from schemes.english.abbreviations import (
    ABBREVIATIONS,
    NUMBERED,
    PREFIXES,
    STARTERS,
    SUFFIXES,
    TITLES,
)
from schemes.english.contractions import CONTRACTIONS


@dataclass(frozen=True, slots=True)
class Token:
    """A token at `[start, end)` of its text."""

    text: str
    start: int
    end: int


def tokenize(text: str) -> Iterator[Token]:
    """Yield the tokens of a text, which have all its characters except white space and controls."""
    for match in _pattern().finditer(text):
        start = match.start()
        parts = _parts(match[0]) if match.lastgroup in _WORDS else [match[0]]
        for part in parts:
            yield Token(part, start, start + len(part))
            start += len(part)


# White space and control characters, which no token may contain.
_S = r"[\s\p{Cc}]"
_NOT_S = r"[^\s\p{Cc}]"
# Letters, digits, marks and invisible characters of a word.
_W = r"[\p{L}\p{M}\p{N}\p{Cf}_]"
_APOSTROPHE = "['’ʼ＇]"
# Marks and invisible characters after a symbol.
_M = r"[\p{M}\p{Cf}]*+"
_PICTURE = r"\p{Extended_Pictographic}[\p{M}\p{Emoji_Modifier}\U000e0020-\U000e007f]*+"
_LABEL = r"[\w-]{1,63}+"
_HOST = rf"{_LABEL}(?:\.{_LABEL}){{0,8}}+"
_ENDINGS = (
    "com|org|net|edu|gov|mil|info|biz|co\\.\\p{L}\\p{L}|s?html?|php|asp|pdf|docx?|xlsx?|pptx?|txt|csv|"
    "jpe?g|gif|png|zip|exe"
)
# The rest of an address, which ends in no punctuation
_PATH = r"(?:[^\s\p{Cc}<>\"”\])]*[^\s\p{Cc}<>\"”\]).,;:!?'’])"

# Of a number or date. Without a limit, a long one is searched again from each of its parts.
_MAX_PARTS = 20
# Longer words are not split, which takes a time that grows with the square of their length.
_MAX_WORD = 200

# The alternatives in order. The first one that matches is the token.
_WORDS = frozenset({"plain", "word"})
_ALTERNATIVES = {
    # Most words. The others are only slower to find.
    "plain": rf"(?<!{_W}|-)[\p{{L}}\p{{M}}]++(?=,?(?:{_S}|$))",
    "address": rf"""
        (?:(?:https?|ftp)://|www\.){_PATH}
      | [\w.+-]{{0,64}}?@{_HOST}
      | {_LABEL}(?:\.{_LABEL}){{0,8}}?\.(?:{_ENDINGS})(?![\w-])(?:/{_PATH}?)?
      | \p{{Ll}}[\w-]{{1,63}}+(?:\.\p{{Ll}}[\w-]{{1,63}}+){{2,8}}+(?![\w-])""",
    "face": rf"""
        [:;=][-'^o]?[()\[\]DPp|\\*/](?!{_W}|/) | \([-']?[:;=](?!{_W})
      | </?3++(?!\p{{N}}) | \^[_.-]?\^""",
    "emoji": rf"\p{{RI}}\p{{RI}}{_M} | {_PICTURE}(?:\u200d{_PICTURE})*+{_M}",
    "number": rf"""
        (?<!{_W})(?:
          [+-]?\p{{N}}++(?:[.,:/]\p{{N}}++){{1,{_MAX_PARTS}}}+(?!{_W})
        | \p{{N}}++[:.]\p{{N}}{{2}}(?=[apAP][mM](?!{_W}))
        | (?:\p{{N}}-)?(?:\p{{N}}{{3}}-)?\p{{N}}{{3}}-\p{{N}}{{4}}(?!{_W}|-)
        | [+-]\p{{N}}++(?!{_W})
        | '?\p{{N}}*0{_APOSTROPHE}s(?!{_W})
        )
      | (?<={_S}|^)\.\p{{N}}++(?!{_W})""",
    "abbreviation": "",
    "currency": r"(?<!\p{L})(?:US|AU|CA|NZ|HK|A|C|R)\$",
    "short": rf"""(?<!{_W})(?:
            [wW]/(?:[oO](?!{_W}))?(?!/) | [bB]/[cC](?!{_W}) | \#\p{{L}}{_W}*+ | -[LR][RSC]B-
          )
      | (?<!{_W})\p{{Lu}}++&\p{{Lu}}++(?!{_W}) | (?<={_S}|^)\.(?:{_ENDINGS})(?!{_W})""",
    "prefixed": "",
    "word": rf"""{_W}++(?:{_APOSTROPHE}{_W}++)*+ | {_APOSTROPHE}[nN]{_APOSTROPHE}(?!{_W})
      | {_APOSTROPHE}(?i:em|til|tis|twas|cause|n|s|re|ve|ll|d|m)(?!{_W})""",
    "stops": rf"(?:[.?!…？！]{_M}){{2,}}+",
    "symbols": rf"(?P<symbol>[^\s\p{{Cc}}()\[\]{{}}\"”“,;%])(?:(?P=symbol))*+{_M}",
    "other": rf"{_NOT_S}{_M}",
}


@cache
def _pattern() -> regex.Pattern[str]:
    alternatives = _ALTERNATIVES | {
        "abbreviation": rf"""(?<!{_W}|-)(?:
            (?:\p{{L}}\.){{2,}}+(?:\p{{L}}(?!{_W}|\.|{_APOSTROPHE}))?
          | \p{{L}}\.\p{{L}}(?!{_W}|\.|{_APOSTROPHE})
          | (?:Ph|Ed|Litt)\.D\.
          | (?:{_any(map(str.capitalize, TITLES))}|(?i:mr|mrs|ms|dr|prof))\.(?!{_W})
          | (?i:{_any(ABBREVIATIONS)})\.(?!{_W})
          | (?i:{_any(NUMBERED)})\.(?={_S}*+[#\p{{N}},])
          | \p{{Lu}}\.(?={_S}++(?!(?:{_any(STARTERS)})\b)\p{{Lu}})
          )""",
        "prefixed": rf"""(?<!{_W}|-)(?:
            (?i:{_any(PREFIXES)})-{_W}++(?:{_APOSTROPHE}{_W}++)*+
          | {_W}++-(?i:{_any(SUFFIXES)})(?!{_W})
          )(?!-\p{{L}})""",
    }
    groups = "|".join(f"(?P<{name}>{pattern})" for name, pattern in alternatives.items())
    return regex.compile(groups, regex.VERBOSE)


def _any(words: Iterable[str]) -> str:
    return "|".join(sorted(words, key=len, reverse=True))


_CLITIC = re.compile(
    f"(?i)(?P<stem>.+?)(?P<clitic>n{_APOSTROPHE}t|{_APOSTROPHE}(?:s|re|ve|ll|d|m))"
)
_MEASURE = re.compile(r"(?i)(\d+)(am|pm|kgs?|km|cm|mm|mg|ml|lbs?|oz|ft|hrs?|mins?|mph|kmh?|gb|mb)")
# Contractions without their apostrophe. French has "dont", German "im", and English "its" and "lets".
_UNMARKED = re.compile(
    "(?i)((?:does|did|is|are|was|were|has|have|had|could|would|should)(?=nt)|(?:that|what|there)(?=s)|"
    f"a(?=lot)|out(?=ta)|{_APOSTROPHE}t(?=is|was))(nt|s|lot|ta|is|was)"
)


def _parts(word: str) -> list[str]:
    """Return the words of a word with clitics, or of a contraction."""
    if len(word) > _MAX_WORD:
        return [word]
    contraction = CONTRACTIONS.get(word.lower())
    if contraction:
        cut, start = [], 0
        for part in contraction.parts:
            cut.append(word[start : start + len(part)])
            start += len(part)
        return cut
    match = None if word.isalpha() else _CLITIC.fullmatch(word)
    if match:
        return [*_parts(match["stem"]), match["clitic"]]
    match = _UNMARKED.fullmatch(word) or _MEASURE.fullmatch(word)
    return [match[1], match[2]] if match else [word]
