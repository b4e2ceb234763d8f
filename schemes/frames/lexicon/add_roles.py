"""Roles of annotations that a lexicon lacks."""

from schemes.contract.errors import ContentError
from schemes.contract.values import Json
from schemes.frames.lexicon.roles import described_role
from schemes.frames.lexicon.value import MAX_ROLES


def add_roles(value: Json, content: Json) -> tuple[Json, list[str]]:
    """Return the lexicon with the record's unknown roles, and their names.

    Raise ContentError if the lexicon would have too many roles.
    """
    known = {role["name"] for role in value["roles"]}
    used = dict.fromkeys(argument["role"] for argument in content["arguments"])
    new = [role for role in used if role and role not in known]
    if len(known) + len(new) > MAX_ROLES:
        raise ContentError("", f"a lexicon can have at most {MAX_ROLES} roles.")
    return {**value, "roles": [*value["roles"], *map(described_role, new)]}, new
