"""Inventories of generic roles.

`semeval-2019` has the 32 labels of the data that SemEval-2019 Task 2 released. They differ from those
that its paper names. `verbnet` has the 32 roles of VerbNet 3.2, with Cognizer and Content.
"""

from collections.abc import Mapping

from schemes.contract.values import Json

_DEFINITIONS = {
    "Agent": "Who does it on purpose, or starts it.",
    "Agent/Experiencer": "Who acts and feels at once, if neither role alone fits.",
    "Asset": "The price or another value that is exchanged.",
    "Attribute": "The property of a participant that the event is about.",
    "Beneficiary": "Who gains or loses by what another does.",
    "Cause": "What brings it about without intending to.",
    "Causer": "What brings it about without intending to.",
    "Co-Agent": "Who acts together with the agent, or against the agent.",
    "Co-Patient": "What is changed together with the patient.",
    "Co-Theme": "What is moved, placed or described together with the theme.",
    "Cognizer": "Who thinks, knows, believes or decides.",
    "Content": "What is thought, known, believed or decided.",
    "Destination": "The place where a movement ends.",
    "Duration": "How long it lasts.",
    "Experiencer": "Who perceives, feels or undergoes a state of mind.",
    "Extent": "By how much something changes.",
    "Goal": "What an action is directed at, or the end point of a change.",
    "InfoContent": "The information that is given, held or asked for.",
    "Initial_Location": "The place where a movement begins.",
    "Initial_State": "The state in which a change begins.",
    "Initial_location": "The place where a movement begins.",
    "Instrument": "The thing with which it is done.",
    "Location": "Where it happens, or where something is.",
    "Material": "What a product is made of.",
    "Patient": "Who or what is affected or changed.",
    "Pivot": "The participant at the centre of a state, such as an owner or a whole.",
    "Predicate": "What is said of a participant, or what a participant is used as.",
    "Product": "What comes into being.",
    "Recipient": "Who gets something, or to whom something is said.",
    "Reflexive": "A word such as “herself” that refers back to the agent.",
    "Result": "The state in which a change ends.",
    "Source": "Where something comes from or starts.",
    "Stimulus": "What someone perceives or reacts to.",
    "Theme": "Who or what moves, is somewhere, or is in a state, without being changed.",
    "Time": "When it happens.",
    "Topic": "What is talked, written or thought about.",
    "Trajectory": "The way that a movement takes.",
    "Undergoer": "Who or what is acted upon, if neither patient nor theme fits.",
    "Value": "A position on a scale, such as an amount.",
}
_OF_VERBNET = (
    "Agent",
    "Asset",
    "Attribute",
    "Beneficiary",
    "Cause",
    "Co-Agent",
    "Co-Patient",
    "Co-Theme",
    "Destination",
    "Duration",
    "Experiencer",
    "Extent",
    "Goal",
    "Initial_Location",
    "Instrument",
    "Location",
    "Material",
    "Patient",
    "Pivot",
    "Predicate",
    "Product",
    "Recipient",
    "Reflexive",
    "Result",
    "Source",
    "Stimulus",
    "Theme",
    "Time",
    "Topic",
    "Trajectory",
    "Undergoer",
    "Value",
)
_OF_SEMEVAL = (
    "Agent",
    "Agent/Experiencer",
    "Asset",
    "Attribute",
    "Beneficiary",
    "Causer",
    "Co-Agent",
    "Co-Patient",
    "Co-Theme",
    "Destination",
    "Duration",
    "Experiencer",
    "Extent",
    "Goal",
    "InfoContent",
    "Initial_State",
    "Initial_location",
    "Instrument",
    "Location",
    "Material",
    "Patient",
    "Pivot",
    "Predicate",
    "Product",
    "Recipient",
    "Result",
    "Source",
    "Stimulus",
    "Theme",
    "Time",
    "Topic",
    "Trajectory",
)
# Roles that annotation adds to those of VerbNet.
ADDED_ROLES = ("Cognizer", "Content")


def described_role(name: str) -> Json:
    """Return a role with its default definition, or with none."""
    return {"name": name, "definition": _DEFINITIONS.get(name, "")}


VERBNET_ROLES: tuple[Json, ...] = tuple(map(described_role, (*_OF_VERBNET, *ADDED_ROLES)))
SEMEVAL_ROLES: tuple[Json, ...] = tuple(map(described_role, _OF_SEMEVAL))
ROLE_PRESETS: Mapping[str, tuple[Json, ...]] = {
    "semeval-2019": SEMEVAL_ROLES,
    "verbnet": VERBNET_ROLES,
}
DEFAULT_ROLES = SEMEVAL_ROLES
