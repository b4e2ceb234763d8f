"""Thousands of a project's sentences or items at once, by their names."""

import json
from collections.abc import Collection

from django.db import connection

from annotation.models import Project
from database.statements import Statement

# The names are one parameter: taking them in one by one costs Django and the database more than the
# search. PostgreSQL is made to look up one after the other (LATERAL, LIMIT): where it has no statistics
# yet it would read the whole project instead, for every batch of an import; and so it would with a plan
# that it had made (prepared) when there were no rows.
_SENTENCES = {
    "postgresql": Statement(
        "SELECT stored.* FROM jsonb_array_elements_text(%s) AS name(value), LATERAL ("
        "SELECT external_id, id, tokens::text FROM annotation_sentence "
        "WHERE project_id = %s AND external_id = name.value LIMIT 1) AS stored",
        prepared=False,
    ),
    "sqlite": Statement(
        "SELECT external_id, stored.id, tokens FROM json_each(%s) AS name "
        "CROSS JOIN annotation_sentence stored WHERE project_id = %s AND external_id = name.value"
    ),
}
_KEYS = {
    "postgresql": Statement(
        "SELECT stored.* FROM jsonb_array_elements_text(%s) AS name(value), LATERAL ("
        "SELECT key FROM annotation_item "
        "WHERE project_id = %s AND key = name.value LIMIT 1) AS stored",
        prepared=False,
    ),
    "sqlite": Statement(
        "SELECT stored.key FROM json_each(%s) AS name "
        "CROSS JOIN annotation_item stored WHERE project_id = %s AND stored.key = name.value"
    ),
}


def stored_sentences(
    *, project: Project, external_ids: Collection[str]
) -> dict[str, tuple[int, list[str]]]:
    """External id -> primary key and tokens, for those that the project has."""
    rows = _SENTENCES[connection.vendor].all([_listed(external_ids), project.pk])
    return {external_id: (pk, json.loads(tokens)) for external_id, pk, tokens in rows}


def stored_keys(*, project: Project, keys: Collection[str]) -> set[str]:
    """The keys among these that items of the project have."""
    return {key for (key,) in _KEYS[connection.vendor].all([_listed(keys), project.pk])}


def _listed(names: Collection[str]) -> str:
    return json.dumps(list(names))
