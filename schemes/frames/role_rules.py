"""Rules for the generic roles of arguments, for pages and for reports on their suggestions.

The most likely role of an argument is the one that most records give to its element of the frame.
Without such records, it is a role by the table of elements or by the dependency on the verb, preferably
one that VerbNet's classes of the verb have. Without any of these, it is the first role of these classes
that no other argument has. Nothing is suggested for an argument with neither an element nor a dependency
on the verb. static/js/schemes/frames/roles.js has the same rules.
"""

from collections.abc import Collection, Mapping, Sequence

from schemes.contract.items import ItemContext
from schemes.contract.values import Json
from schemes.frames.lexicon.value import EMPTY

# The generic roles that usually go with a frame element of this name. The first one of the project's
# inventory is suggested, or the first one that VerbNet knows of the verb. An element with the name of a
# role suggests that role.
ELEMENT_ROLES: Mapping[str, Sequence[str]] = {
    "Addressee": ("Recipient",),
    "Area": ("Location",),
    "Assailant": ("Agent",),
    "Authorities": ("Agent",),
    "Author": ("Agent",),
    "Building": ("Product",),
    "Buyer": ("Agent",),
    "Cause": ("Cause", "Causer", "Agent"),
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
    "Entity": ("Theme", "Patient"),
    "Evaluee": ("Theme",),
    "Final_category": ("Result",),
    "Final_value": ("Result",),
    "Goal": ("Goal", "Destination", "Recipient"),
    "Goods": ("Theme",),
    "Ingestibles": ("Patient",),
    "Ingestor": ("Agent",),
    "Initial_value": ("Initial_Location", "Initial_State"),
    "Item": ("Theme", "Patient"),
    "Killer": ("Agent",),
    "Medium": ("Instrument",),
    "Message": ("Topic",),
    "Money": ("Asset",),
    "Patient": ("Patient",),
    "Path": ("Trajectory",),
    "Perceiver_agentive": ("Agent",),
    "Perceiver_passive": ("Experiencer",),
    "Phenomenon": ("Stimulus", "Theme"),
    "Place": ("Location",),
    "Recipient": ("Recipient",),
    "Self_mover": ("Agent",),
    "Seller": ("Agent",),
    "Speaker": ("Agent",),
    "Suspect": ("Patient",),
    "Theme": ("Theme",),
    "Time": ("Time",),
    "Topic": ("Topic",),
    "Undergoer": ("Patient", "Theme"),
    "Victim": ("Patient",),
}
# The roles that usually go with a dependency of Universal Dependencies on the verb.
_RELATION_ROLES: Mapping[str, Sequence[str]] = {
    "nsubj": ("Agent", "Experiencer", "Causer", "Theme", "Patient"),
    "nsubj:pass": ("Theme", "Patient", "Result", "Product", "Topic"),
    "csubj": ("Cause", "Causer"),
    "obj": ("Theme", "Patient", "Result", "Product", "Stimulus", "Topic"),
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


def inventory_of(context: ItemContext) -> list[Json]:
    """Return the project's generic roles."""
    roles: list[Json] = _lexicon(context)["roles"]
    return roles


def verb_roles(context: ItemContext) -> list[str]:
    """Return the roles of VerbNet's classes of the verb, in their order."""
    verbs, lemma = _lexicon(context)["verbs"], context.target["lemma"].replace("_", " ")
    classes = verbs.get(lemma) or verbs.get(lemma.split(" ")[0]) or []
    return list(dict.fromkeys(role for verb_class in classes for role in verb_class["roles"]))


def likely_roles(
    element: str,
    hint: str,
    context: ItemContext,
    *,
    chosen: Sequence[str] = (),
    held: Collection[str] = (),
) -> list[str]:
    """Return the likely roles of an argument, the most likely first.

    `hint` is the role by the dependency, or "". `chosen` are the roles that records give to the element
    of the frame, the most frequent first. `held` are those of the record's other arguments.
    """
    known, of_verb = _known(context), verb_roles(context)
    ruled = [*ELEMENT_ROLES.get(element, ()), element, hint]
    agreed = [role for role in ruled if role in of_verb]
    free = [role for role in of_verb if role not in held]
    ordered = dict.fromkeys([*chosen, *agreed, *ruled, *free, *of_verb])
    return [role for role in ordered if role in known]


def role_hints(context: ItemContext) -> dict[str, str]:
    """Return a generic role for each token that depends on the verb, by a rule of its relation.

    Of the rule's roles, one that VerbNet's classes of the verb have is preferred.
    """
    relations, heads = context.metadata.get("deprels"), context.metadata.get("heads")
    if not relations or not heads:
        return {}
    verb, of_verb, known = context.target["verb"], verb_roles(context), _known(context)
    hints = {}
    for at, relation in enumerate(relations):
        if heads[at] not in verb or at in verb:
            continue
        roles = [role for role in _roles(at, relation, context) if role in known]
        if roles:
            hints[str(at)] = next((role for role in roles if role in of_verb), roles[0])
    return hints


def _known(context: ItemContext) -> set[str]:
    return {role["name"] for role in inventory_of(context)}


def _lexicon(context: ItemContext) -> Json:
    lexicon: Json = context.resources.get("lexicon") or EMPTY
    return lexicon


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
