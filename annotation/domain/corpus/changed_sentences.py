"""Compare sentences of a file with stored ones of the same id, and update those without work."""

import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from django.db.models import F

from annotation.domain.corpus.storable import storable
from annotation.domain.corpus.value_list import value_list
from annotation.models import Item, Sentence
from projects.models import Project
from schemes.contract.records import SentenceRecord
from schemes.contract.values import Json
from schemes.stated import file_name


@dataclass(frozen=True, slots=True)
class StoredSentence:
    """A sentence of the project. `digest` is that of its image, or None."""

    pk: int
    tokens: list[str]
    metadata: Json
    text: str
    digest: str | None
    domain: str = ""
    partition: str = ""


def stored_sentences(
    *, project: Project, external_ids: Collection[str]
) -> dict[str, StoredSentence]:
    """Return those of the sentences that the project has, by external id.

    The filter on the project can't use an index. With outdated statistics, PostgreSQL would
    otherwise read all its sentences for each batch.
    """
    if not external_ids:
        return {}
    rows = Sentence.objects.alias(owner=F("project_id") + 0).filter(
        external_id__in=value_list(list(external_ids)), owner=project.pk
    )
    fields = ("pk", "tokens", "metadata", "text", "image__digest", "domain", "partition")
    return {
        external_id: StoredSentence(*values)
        for external_id, *values in rows.values_list("external_id", *fields)
    }


def metadata_of(record: SentenceRecord) -> Json:
    """Return the sentence's metadata with the file name of its image.

    Files of several names may have the same content, and then the project has one image of them.
    """
    return {**record.metadata, "image": record.image} if record.image else record.metadata


def differences(
    record: SentenceRecord, stored: StoredSentence, *, digest: str | None = None
) -> list[str]:
    """Return the names of what the record has otherwise. `digest` is that of its image, if read."""
    names = []
    if list(record.tokens) != stored.tokens:
        names.append("tokens")
    elif record.text and storable(record.text) != stored.text:
        names.append("text")
    metadata = metadata_of(record)
    if metadata != stored.metadata:
        names += _changed_names(_plain(metadata), _plain(stored.metadata))
    if digest and digest != stored.digest and "image" not in names:
        names.append("image")
    return names


def _changed_names(metadata: Json, stored: Json) -> list[str]:
    names = [name for name in {**stored, **metadata} if metadata.get(name) != stored.get(name)]
    old, new = stored.get("image", ""), metadata.get("image", "")
    if "image" in names and file_name(old) == file_name(new):
        names.remove("image")
    # The document of a caption is its image.
    return [name for name in names if name != "document" or "image" not in names]


def _plain(metadata: Json) -> Json:
    """Return the metadata as they are stored, without tuples."""
    plain: Json = json.loads(json.dumps(metadata))
    return plain


def in_use(*, items: Iterable[int]) -> set[int]:
    """Return those of the items on which work depends, such as tasks, submissions and gold."""
    keys = value_list(list(items))
    used: set[int] = set()
    for relation in Item._meta.related_objects:
        name = relation.field.name
        rows = relation.related_model._base_manager.filter(**{f"{name}__in": keys})
        used.update(rows.values_list(name, flat=True))
    return used
