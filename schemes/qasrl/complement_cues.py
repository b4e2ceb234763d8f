"""Cues that a verb has a verb phrase as its complement ("wanted to leave").

The lists of verbs are by stem. Their classes are those of Quirk et al. (1985, chapter 16). They are
not complete.
"""

from collections.abc import Iterator, Sequence

from schemes.contract.values import Tokens
from schemes.english.verb_list import is_verb
from schemes.qasrl.prepositions import PREPOSITIONS

# "wanted to leave"
_INFINITIVE = """
    afford agree aim appear apply arrange ask aspire attempt await beg begin bother care cease
    choose claim come compete conspire consent continue dare decide decline demand deserve desire
    endeavor endeavour endure elect expect fail fight forget get go grow guarantee happen
    hate have help hesitate hope hurry intend learn like long look love manage mean move need
    neglect negotiate offer opt plan plead pledge plot prefer prepare pretend proceed promise propose
    prove push qualify refuse remember request require resolve rush scramble seek seem serve set
    start stand stay step stop strive struggle swear take tend threaten train try turn undertake use
    venture volunteer vote vow wait want wish work yearn
"""
# "asked her to leave", and in the passive "was asked to leave"
_OBJECT_INFINITIVE = """
    advise aid allege allow appoint approve ask assign assist assume authorise authorize await beg
    believe bind book bribe bring build call caution cause challenge choose claim clear coax command
    commission compel condemn consider convince counsel dare declare deem delegate deploy design
    destine determine direct dispatch doom drive elect employ empower enable encourage enlist entice
    entitle equip estimate expect fear feel find fine flag forbid force get hail help hire implore
    incite incline induce influence inspire instruct intend invite issue judge know launch lead
    license lobby mandate mean motivate move need nominate obligate oblige offer order pay permit
    persuade petition pick plan plead position prepare press pressure presume program project prompt
    prove provoke push qualify recommend recruit remind report request require rule rumor rumour
    say schedule select send set show signal slate spur stimulate summon suppose suspect swear task
    teach tell tempt think threaten train trust understand urge use vote want warn wish
"""
# "let them leave"
_BARE = "bid dare feel have hear help let make notice observe see watch"
# "stopped talking"
_GERUND = """
    acknowledge admit advise advocate anticipate appreciate avoid ban be begin cease celebrate commence
    complete consider contemplate continue defend defer delay deny describe detest discontinue
    discourage discuss dislike end endorse enjoy entail envisage escape evade face facilitate fancy
    fear finish forbid forget go halt hate imagine include involve justify keep like love mean
    mention mind miss necessitate oppose permit postpone practice practise preclude prefer prevent
    prohibit propose protest quit recall recollect recommend regret reject remember report require
    resent resist resume risk spend start stop suggest support survive tolerate try understand urge
    witness
"""
# "saw them leaving"
_OBJECT_GERUND = """
    catch depict describe detect discover feel film find hear have keep leave notice observe
    photograph picture record remember report see send set show smell spend spot start stop
    videotape watch witness
"""
# "accused her of leaving", "succeeded in leaving"
_PREPOSITION_GERUND = """
    abstain accuse acquit admit aim apologise apologize arrest ban bar base begin benefit blame
    block charge clear commend commit concentrate condemn confess congratulate contribute convict
    credit criticise criticize deter devote discourage disqualify dissuade end engage escape excel
    exempt fault feel fine focus forgive help hinder honor honour implicate indict insist interest
    invest involve jail justify keep lead love open oppose participate persist plan praise prevent
    profit prohibit prosecute protect punish rely refrain relate reprimand respond restrain restrict
    result reward save share specialise specialize spend start stop succeed sue suspect talk tempt
    thank think threaten use warn work worry
"""
_LISTS = {
    name: frozenset(text.split())
    for name, text in (
        ("infinitive", _INFINITIVE),
        ("object infinitive", _OBJECT_INFINITIVE),
        ("bare", _BARE),
        ("gerund", _GERUND),
        ("object gerund", _OBJECT_GERUND),
        ("preposition gerund", _PREPOSITION_GERUND),
    )
}
# No object reaches past these words.
CLAUSE_ENDS = frozenset(
    """
    . , ; : ! ? -- '' `` " ) ( - that which who whether if and but because is was are were will
    would can could may might should has have had
    """.split()  # noqa: SIM905 - a table of words
)
_ADVERBS = frozenset(
    {"not", "n't", "never", "also", "now", "just", "only", "even", "still", "back"}
)
_PRONOUNS = frozenset({"him", "her", "them", "us", "me", "you", "it"})
_NOT_STEMS = _PRONOUNS | frozenset(
    """
    the a an this that these those his its their our my your some any no all each every both many
    more other one two three
    """.split()  # noqa: SIM905 - a table of words
)
_NOT_GERUNDS = frozenset(
    """
    according anything concerning during evening everything following including morning nothing
    regarding something
    """.split()  # noqa: SIM905 - a table of words
)
_WINDOW = 7


def complement_cues(tokens: Tokens, verb_idx: int, stem: str, *, is_passive: bool) -> Iterator[str]:
    """Yield cues that combine the verb's lists with the verb phrase after it."""
    complement = complement_of(tokens, verb_idx, takes_bare=takes_bare_infinitive(stem))
    voice = "passive" if is_passive else "active"
    yield f"complement {complement}"
    yield f"complement {complement} {voice}"
    if complement == "none":
        return
    for name in [name for name, stems in _LISTS.items() if stem in stems] or ["other"]:
        yield f"{name} verb with {complement}"
        yield f"{name} verb with {complement} {voice}"


def takes_bare_infinitive(stem: str) -> bool:
    """Return True for verbs such as "make", which a verb phrase without "to" can follow."""
    return stem in _LISTS["bare"]


def complement_of(tokens: Tokens, verb_idx: int, *, takes_bare: bool) -> str:
    """Return the verb phrase after the verb, such as "to" or "object preposition ing", or "none".

    Infinitives without "to" are found only for the verbs that take them, and only next to the verb or a
    pronoun.
    """
    words = [token.lower() for token in tokens]
    at = _after_adverbs(words, verb_idx + 1)
    next_phrase = _verb_phrase_at(tokens, words, at)
    if next_phrase:
        return next_phrase
    later = _verb_phrase_after_object(tokens, words, at)
    if later:
        return f"object {later}"
    return (_bare_infinitive_at(tokens, words, at) if takes_bare else "") or "none"


def _verb_phrase_after_object(tokens: Tokens, words: Sequence[str], start: int) -> str:
    for at in range(start, min(start + _WINDOW, len(words))):
        if words[at] in CLAUSE_ENDS:
            return ""
        phrase = _verb_phrase_at(tokens, words, at) if at > start else ""
        if phrase:
            return phrase
    return ""


def _verb_phrase_at(tokens: Tokens, words: Sequence[str], at: int) -> str:
    following = _after_adverbs(words, at + 1)
    if at >= len(words) - 1 or following >= len(words):
        return ""
    if words[at] == "to" and _is_stem(tokens[following]):
        return "to"
    if words[at] in PREPOSITIONS and _is_gerund(words[following]):
        return "preposition ing"
    return "ing" if _is_gerund(words[at]) else ""


def _bare_infinitive_at(tokens: Tokens, words: Sequence[str], at: int) -> str:
    has_pronoun = at < len(words) and words[at] in _PRONOUNS
    at += has_pronoun
    if at >= len(words) or words[at] in PREPOSITIONS or not _is_stem(tokens[at]):
        return ""
    return "object bare" if has_pronoun else "bare"


def _after_adverbs(words: Sequence[str], at: int) -> int:
    while at < len(words) and (words[at] in _ADVERBS or words[at].endswith("ly")):
        at += 1
    return at


def _is_stem(token: str) -> bool:
    return token.islower() and token not in _NOT_STEMS and is_verb(token)


def _is_gerund(word: str) -> bool:
    return word.endswith("ing") and len(word) > 4 and word not in _NOT_GERUNDS
