"""Data of the workers' pages, and the rules that suggest generic roles."""

from collections.abc import Mapping, Sequence

from schemes.contract.items import ItemContext
from schemes.contract.pages import Pages
from schemes.contract.values import Json
from schemes.frames.lexicon.value import EMPTY
from schemes.frames.skips import SKIP_REASONS

CONFIDENCE_TEXTS = (
    "a guess",
    "unsure: several readings are possible",
    "fairly sure, with doubts about some part",
    "sure of the frame, small doubts about arguments",
    "certain of everything",
)
# The generic roles that usually go with a frame element of this name. The first one of the project's
# inventory is suggested. An element with the name of a role suggests that role.
ELEMENT_ROLES: Mapping[str, Sequence[str]] = {
    "Addressee": ("Recipient",),
    "Area": ("Location",),
    "Assailant": ("Agent",),
    "Authorities": ("Agent",),
    "Author": ("Agent",),
    "Building": ("Product",),
    "Buyer": ("Agent",),
    "Cause": ("Cause", "Causer"),
    "Cognizer": ("Cognizer", "Agent"),
    "Communicator": ("Agent",),
    "Content": ("Content", "Topic"),
    "Created_entity": ("Product",),
    "Creator": ("Agent",),
    "Destroyer": ("Agent",),
    "Donor": ("Agent",),
    "Duration": ("Duration",),
    "Employee": ("Patient",),
    "Employer": ("Agent",),
    "Entity": ("Theme",),
    "Evaluee": ("Theme",),
    "Final_category": ("Result",),
    "Final_value": ("Result",),
    "Goods": ("Theme",),
    "Ingestibles": ("Patient",),
    "Ingestor": ("Agent",),
    "Initial_value": ("Initial_Location", "Initial_State"),
    "Item": ("Theme",),
    "Killer": ("Agent",),
    "Medium": ("Instrument",),
    "Message": ("Topic",),
    "Money": ("Asset",),
    "Patient": ("Patient",),
    "Path": ("Trajectory",),
    "Perceiver_agentive": ("Agent",),
    "Perceiver_passive": ("Experiencer",),
    "Phenomenon": ("Stimulus",),
    "Place": ("Location",),
    "Recipient": ("Recipient",),
    "Self_mover": ("Agent",),
    "Seller": ("Agent",),
    "Speaker": ("Agent",),
    "Suspect": ("Patient",),
    "Theme": ("Theme",),
    "Time": ("Time",),
    "Topic": ("Topic",),
    "Undergoer": ("Patient",),
    "Victim": ("Patient",),
}
# The roles that usually go with a dependency of Universal Dependencies on the verb.
_RELATION_ROLES: Mapping[str, Sequence[str]] = {
    "nsubj": ("Agent",),
    "nsubj:pass": ("Theme",),
    "csubj": ("Cause", "Causer"),
    "obj": ("Theme",),
    "iobj": ("Recipient",),
    "obl:agent": ("Agent",),
    "obl:tmod": ("Time",),
    "ccomp": ("Content", "Topic"),
    "xcomp": ("Content", "Topic"),
}
_PREPOSITION_ROLES = {
    "from": "Source",
    "to": "Goal",
    "into": "Goal",
    "with": "Instrument",
    "for": "Beneficiary",
    "by": "Agent",
    "in": "Location",
    "at": "Location",
    "on": "Location",
    "about": "Topic",
    "during": "Time",
    "until": "Time",
    "since": "Time",
}


def role_hints(context: ItemContext) -> dict[str, str]:
    """Return a generic role for each token that depends on the verb, by a rule of its relation."""
    relations, heads = context.metadata.get("deprels"), context.metadata.get("heads")
    if not relations or not heads:
        return {}
    verb = context.target["verb"]
    inventory = {role["name"] for role in _inventory(context)}
    hints = {}
    for at, relation in enumerate(relations):
        if heads[at] not in verb or at in verb:
            continue
        if role := next((role for role in _roles(at, relation, context) if role in inventory), ""):
            hints[str(at)] = role
    return hints


def _inventory(context: ItemContext) -> list[Json]:
    roles: list[Json] = (context.resources.get("lexicon") or EMPTY)["roles"]
    return roles


def _roles(at: int, relation: str, context: ItemContext) -> Sequence[str]:
    if relation in _RELATION_ROLES:
        return _RELATION_ROLES[relation]
    if relation.partition(":")[0] != "obl":
        return ()
    heads, relations = context.metadata["heads"], context.metadata["deprels"]
    case = [
        context.tokens[word].lower()
        for word in range(len(heads))
        if heads[word] == at and relations[word] == "case"
    ]
    return [_PREPOSITION_ROLES[word] for word in case if word in _PREPOSITION_ROLES]


class FramesPages(Pages):
    """Pages of records."""

    def shared(self, contexts: Sequence[ItemContext]) -> Json:
        """Return what all records share: reasons for a skip, confidence texts and roles of elements."""
        return {
            "skips": [{"key": key, "label": label} for key, label in SKIP_REASONS.items()],
            "confidence": list(CONFIDENCE_TEXTS),
            "elementRoles": {element: list(roles) for element, roles in ELEMENT_ROLES.items()},
        }

    def item(self, context: ItemContext) -> Json:
        """Return the lemmas, suggested roles by token, the role inventory and the core switch."""
        lemmas = context.metadata.get("lemmas") or context.tokens
        return {
            "lemmas": [
                (token if lemma == "_" else lemma).lower()
                for lemma, token in zip(lemmas, context.tokens, strict=True)
            ],
            "roleHints": role_hints(context),
            "roles": _inventory(context),
            "coreOnly": (context.resources.get("lexicon") or EMPTY)["core_only"],
        }


PAGES = FramesPages()
