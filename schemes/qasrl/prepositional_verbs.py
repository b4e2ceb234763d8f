"""Verbs that take a preposition instead of an object, such as "look at" or "rely on"."""

from schemes.contract.values import Tokens

# The verbs of each preposition. With another preposition, or none, they can have an object.
_PREPOSITIONAL = {
    "about": """
        boast brag care complain dream forget grumble inquire joke moan rave speak talk think wonder
        worry
    """,
    "after": "inquire look run take",
    "against": """
        appeal campaign compete conspire discriminate fight lobby protest rebel react struggle vote
    """,
    "at": """
        aim arrive gaze glance grin jeer knock laugh look marvel peek peer point scoff shout smile
        sneer stare wink yell
    """,
    "for": """
        apologise apologize apply beg campaign care compete fight hope hunt long look opt plead pray
        prepare qualify search settle strive vote wait wish yearn
    """,
    "from": """
        abstain benefit depart derive deviate differ emanate emerge escape flee graduate originate
        recover refrain result retire stem suffer withdraw
    """,
    "in": """
        believe confide consist culminate dabble engage indulge participate persist result revel
        specialise specialize succeed
    """,
    "into": "break bump burst crash delve develop inquire look plunge tap turn",
    "of": """
        approve beware boast complain conceive consist despair disapprove dispose dream hear partake
        speak think tire
    """,
    "on": """
        agree capitalise capitalize comment concentrate count depend dwell elaborate embark encroach
        expand feed focus hinge infringe insist lean prey reflect rely settle spy vote
    """,
    "over": "argue brood gloat preside quarrel rule",
    "to": """
        adapt adhere amount appeal aspire belong cling conform contribute correspond listen object
        pertain react refer reply resort respond speak subscribe succumb surrender talk testify
    """,
    "upon": "depend insist rely",
    "with": """
        agree coincide collide communicate compete comply conflict contend cooperate cope deal
        experiment flirt interfere negotiate speak sympathise sympathize talk tamper
    """,
}
_VERBS = {preposition: frozenset(verbs.split()) for preposition, verbs in _PREPOSITIONAL.items()}


def preposition_after(tokens: Tokens, verb_idx: int, stem: str) -> str:
    """Return the preposition that the verb takes, if it follows the verb or an adverb, or ""."""
    following = [token.lower() for token in tokens[verb_idx + 1 : verb_idx + 3]]
    if len(following) == 2 and following[0].endswith("ly"):
        following.pop(0)
    word = following[0] if following else ""
    return word if stem in _VERBS.get(word, ()) else ""
