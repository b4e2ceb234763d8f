"""The default inventory of generic roles: those of VerbNet 3.2, with Cognizer and Content."""

from schemes.base import Json

_DEFINITIONS = {
    "Agent": "Who does it on purpose, or starts it.",
    "Asset": "The price or another value that is exchanged.",
    "Attribute": "The property of a participant that the event is about.",
    "Beneficiary": "Who gains or loses by what another does.",
    "Cause": "What brings it about without intending to.",
    "Co-Agent": "Who acts together with the agent, or against the agent.",
    "Co-Patient": "What is changed together with the patient.",
    "Co-Theme": "What is moved, placed or described together with the theme.",
    "Destination": "The place where a movement ends.",
    "Duration": "How long it lasts.",
    "Experiencer": "Who perceives, feels or undergoes a state of mind.",
    "Extent": "By how much something changes.",
    "Goal": "What an action is directed at, or the end point of a change.",
    "Initial_Location": "The place where a movement begins.",
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
# Roles that annotation adds to those of VerbNet.
ADDED_ROLES: tuple[Json, ...] = (
    {"name": "Cognizer", "definition": "Who thinks, knows, believes or decides."},
    {"name": "Content", "definition": "What is thought, known, believed or decided."},
)
DEFAULT_ROLES: tuple[Json, ...] = (
    *({"name": name, "definition": text} for name, text in _DEFINITIONS.items()),
    *ADDED_ROLES,
)


def described_role(name: str) -> Json:
    """Return a role with its default definition, or with none."""
    return {"name": name, "definition": _DEFINITIONS.get(name, "")}
