"""Images, instances and captions of COCO files by their ids."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from schemes.contract.errors import FieldError
from schemes.contract.values import Json

Id = int | str


def id_of(value: object) -> Id | None:
    """Return an id, or None for a value that is neither a whole number nor a text."""
    if isinstance(value, float) and value.is_integer():
        return int(value)
    is_id = isinstance(value, int | str) and not isinstance(value, bool) and value != ""
    return value if is_id else None  # type: ignore[return-value]


def required_id(value: object, field: str) -> Id:
    """Return an id. Raise FieldError."""
    if value is None:
        raise FieldError(field, "is missing.")
    if (pk := id_of(value)) is None:
        raise FieldError(field, f"{str(value)[:40]} is neither a whole number nor a text.")
    return pk


@dataclass(frozen=True, slots=True)
class Entries:
    """Objects of files by their ids. `kind` names them in messages.

    An id that several objects have can't be used, unless they agree in the fields that `compared`
    names. An object without an id can't be referred to.
    """

    kind: str
    compared: tuple[str, ...]
    _by_id: dict[Id, Json] = field(default_factory=dict)
    _repeated: set[Id] = field(default_factory=set)

    def add(self, entries: Iterable[Any]) -> None:
        """Add the objects of a file. Raise TypeError or AttributeError for other values."""
        for entry in entries:
            pk = id_of(entry.get("id"))
            if pk is None:
                continue
            first = self._by_id.setdefault(pk, entry)
            if any(first.get(name) != entry.get(name) for name in self.compared):
                self._repeated.add(pk)

    def get(self, value: object, field: str) -> Json:
        """Return the object of an id. Raise FieldError, also if there are several."""
        pk = id_of(value)
        entry = None if pk is None else self._by_id.get(pk)
        if entry is None:
            raise FieldError(field, f"the file has no {self.kind} {str(value)[:40]}.")
        if pk in self._repeated:
            message = f"several {self.kind}s have the id {pk}, and differ."
            raise FieldError(field, message)
        return entry

    def all(self) -> Iterable[Json]:
        return self._by_id.values()

    def __contains__(self, value: object) -> bool:
        return id_of(value) in self._by_id

    def __len__(self) -> int:
        return len(self._by_id)


def images() -> Entries:
    return Entries("image", ("file_name", "width", "height"))


def instances() -> Entries:
    return Entries("instance", ("image_id", "bbox"))
