"""Spans, relations and attributes in brat's standoff format: a folder of `.txt` and `.ann` files.

    T1	PER 0 3	Ada
    R1	knows Arg1:T1 Arg2:T2
    A1	sure T1 yes

A text file is an item, and several texts of an item are its lines. Its name is the id, with `%` codes for
characters that file names can't have, or is in `ids.tsv`. Items without an `.ann` file have no
annotation. Notes and normalisations are ignored and counted. Events, equivalences and spans with gaps
are refused, because definitions have none. See https://brat.nlplab.org/standoff.html.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import blake2b
from itertools import accumulate
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import quote, unquote

from schemes.contract.errors import ErrorSink, FieldError, FileError, WordsInText
from schemes.contract.values import Json
from schemes.custom.definition import Definition, RelationsField, SpansField
from schemes.custom.entries import LOCAL_KEY, Entry, checked_id, parts_of, range_of
from schemes.custom.formats.conll import spans_fields
from schemes.custom.formats.names import Names, Place
from schemes.custom.formats.tables import cell_of, parse_cell
from schemes.original_text import Offset
from schemes.xml_files import XmlFile, xml_files

IDS = "ids.tsv"
CONFIGURATION = "annotation.conf"
NOTES = "brat_notes_left_out"
_MAX_NAME = 120
_SPAN = re.compile(r"(T[0-9]+)\t(\S+) ([0-9]{1,9}) ([0-9]{1,9})\t(.*)")
_GAP = re.compile(r"T[0-9]+\t\S+ [0-9 ]+;[0-9 ;]+\t.*")
_RELATION = re.compile(r"(R[0-9]+)\t(\S+) Arg1:(T[0-9]+) Arg2:(T[0-9]+)\s*")
_ATTRIBUTE = re.compile(r"([AM][0-9]+)\t(\S+) ([A-Z][0-9]+)(?: (\S.*?))?\s*")
_BLANK = re.compile(r"\s")


@dataclass(slots=True)
class _Annotation:
    """The spans, relations and attributes of a file, by their ids."""

    spans: dict[str, tuple[str, Json]] = field(default_factory=dict)
    relations: list[tuple[int, str, str, str]] = field(default_factory=list)
    attributes: list[tuple[int, str, str, str]] = field(default_factory=list)
    ids: set[str] = field(default_factory=set)
    notes: int = 0


def read(path: Path, definition: Definition, on_error: ErrorSink) -> Iterator[Entry]:
    """Yield the items of a folder or ZIP archive. Bad ones go to `on_error`. Raise FileError."""
    with xml_files(path, (".txt", ".ann", ".tsv")) as files:
        texts, annotations = _by_name(files, ".txt"), _by_name(files, ".ann")
        if not texts:
            raise FileError(path.name, None, "has no text files (.txt).")
        for place, file in annotations.items():
            if place not in texts:
                on_error(file.error("has no text file (.txt) of the same name."))
        names = _ids([file for file in files if file.path.name.lower() == IDS])
        for place, file in texts.items():
            external_id = names.get(place) or unquote(place.name)
            reader = _Reader(file, annotations.get(place), definition)
            try:
                yield reader.entry(external_id)
            except FileError as error:
                words, items = reader.words(), [(external_id, LOCAL_KEY)]
                message, at = error.message, error.line
                on_error(FileError(error.file, at, message, items=items, words=words))


def _by_name(files: Iterable[XmlFile], suffix: str) -> dict[PurePosixPath, XmlFile]:
    """Return the files of a suffix in any case by their paths without it. Raise FileError."""
    named: dict[PurePosixPath, XmlFile] = {}
    for file in files:
        if file.path.suffix.lower() == suffix:
            name = file.path.with_suffix("")
            if name in named:
                raise file.error(f"is there as {named[name].path.name} as well.")
            named[name] = file
    return named


def _ids(files: Iterable[XmlFile]) -> dict[PurePosixPath, str]:
    """Return the ids in the lists of ids. Raise FileError."""
    ids: dict[PurePosixPath, str] = {}
    for file in files:
        for line, text in enumerate(file.lines(), start=1):
            if not text:
                continue
            name, tab, external_id = text.partition("\t")
            if not tab or file.path.with_name(name) in ids:
                raise file.error("must have a name of a file and its id, each name once.", line)
            ids[file.path.with_name(name)] = external_id
    return ids


class _Reader:
    """A text file with its annotations."""

    def __init__(self, text: XmlFile, annotations: XmlFile | None, definition: Definition) -> None:
        self._text_file = text
        self._file = annotations or text
        self._has_annotations = annotations is not None
        self._definition = definition
        self._names = Names(definition)
        self._labels = {name: place for place, name in self._names.labels.items()}
        self._relations = {name: place for place, name in self._names.relations.items()}
        self._attributes: dict[str, list[Place]] = {}
        for place, name in self._names.attributes.items():
            self._attributes.setdefault(name, []).append(place)
        self._text = ""
        self._lines: list[str] = []
        self._offsets: list[Offset] = []
        self._entry = Entry(external_id="")

    def entry(self, external_id: str) -> Entry:
        """Return the item. Raise FileError."""
        lines = self._text_file.lines()
        self._text = "\n".join(lines)
        keys = [text.key for text in self._definition.texts]
        texts = lines if len(keys) > 1 else [self._text]
        if len(texts) != len(keys):
            message = f"has {len(lines)} lines, where the texts {', '.join(keys)} are expected."
            raise self._text_file.error(message)
        try:
            checked_id(external_id)
            parts = parts_of(self._definition, dict(zip(keys, texts, strict=True)))
        except FieldError as error:
            raise self._text_file.error(f"{error.field}: {error.message}") from None
        self._entry = Entry(external_id=external_id, parts=parts)
        self._offsets = list(self._all_offsets(texts))
        annotation = self._annotation()
        return Entry(
            external_id=external_id,
            file=self._file.name,
            parts=parts,
            answers=self._answers(annotation) if self._has_annotations else None,
            notes={NOTES: annotation.notes} if annotation.notes else {},
        )

    def _all_offsets(self, texts: Sequence[str]) -> Iterator[Offset]:
        """Yield the place of each token in the file."""
        starts = accumulate((len(text) + 1 for text in texts), initial=0)
        for start, text, part in zip(starts, texts, self._entry.parts, strict=False):
            shift = start + len(text) - len(text.lstrip())
            for first, last in part.written()[1]:
                yield first + shift, last + shift

    def _annotation(self) -> _Annotation:
        annotation = _Annotation()
        if not self._has_annotations:
            return annotation
        self._lines = self._file.lines()
        for line, text in enumerate(self._lines, start=1):
            if text.strip():
                self._add(annotation, text, line)
        return annotation

    def words(self) -> Iterator[WordsInText]:
        """Yield the words of all spans that the file of annotations states."""
        for match in filter(None, map(_SPAN.fullmatch, self._lines)):
            if match[2] in self._labels:
                field_ = f"answers.{self._labels[match[2]][0]}"
                yield WordsInText(field_, int(match[3]), int(match[4]), match[5])

    def _add(self, annotation: _Annotation, text: str, line: int) -> None:
        identifier = text.partition("\t")[0]
        if text[0] in "#N":
            annotation.notes += 1
            return
        if text[0] in "E*":
            what = "an event" if text[0] == "E" else "an equivalence"
            message = f"is {what}, for which definitions have no place. Write spans and relations."
            raise self._file.error(message, line)
        if identifier in annotation.ids:
            raise self._file.error(f"the id {identifier[:20]} is used twice.", line)
        annotation.ids.add(identifier)
        if match := _SPAN.fullmatch(text):
            annotation.spans[match[1]] = self._span(match, line)
        elif _GAP.fullmatch(text):
            raise self._file.error(
                "has a span with a gap, for which definitions have no place.", line
            )
        elif match := _RELATION.fullmatch(text):
            annotation.relations.append((line, match[2], match[3], match[4]))
        elif match := _ATTRIBUTE.fullmatch(text):
            annotation.attributes.append((line, match[2], match[3], match[4] or ""))
        else:
            raise self._file.error(f"is not brat's standoff format: {text[:60]!r}.", line)

    def _span(self, match: re.Match[str], line: int) -> tuple[str, Json]:
        """Return the field and the span of a line."""
        if match[2] not in self._labels:
            raise self._unknown("label", match[2], self._labels, line)
        key, label = self._labels[match[2]]
        start, end = int(match[3]), int(match[4])
        try:
            first, last = range_of(self._offsets, self._text, start, end)
        except ValueError as error:
            raise self._file.error(str(error), line) from None
        there = self._text[start:end]
        if there.split() != match[5].split():
            message = f"{start} to {end} is “{there[:60]}”, not “{match[5][:60]}”."
            raise self._file.error(message, line)
        field_ = self._definition.field(key)
        assert isinstance(field_, SpansField)
        part, begin = self._entry.part_at(field_.text)
        if not begin <= first < last <= begin + len(part.tokens):
            message = f"is outside the {field_.text}, to which {match[2]} belongs."
            raise self._file.error(message, line)
        attributes: Json = {"attributes": {}} if field_.attributes else {}
        return key, {"start": first, "end": last, "label": label, **attributes}

    def _answers(self, annotation: _Annotation) -> Json:
        self._add_attributes(annotation)
        answers: Json = {}
        numbers: dict[str, int] = {}
        for field_ in spans_fields(self._definition):
            own = [name for name, (key, _) in annotation.spans.items() if key == field_.key]
            own.sort(key=lambda name: span_order(annotation.spans[name][1]))
            numbers |= {name: at for at, name in enumerate(own)}
            answers[field_.key] = [annotation.spans[name][1] for name in own]
        for other in self._definition.fields:
            if isinstance(other, RelationsField):
                answers[other.key] = []
        for line, name, start, end in annotation.relations:
            if name not in self._relations:
                raise self._unknown("relation", name, self._relations, line)
            key, label = self._relations[name]
            connecting = self._definition.field(key)
            assert isinstance(connecting, RelationsField)
            for argument in (start, end):
                if annotation.spans.get(argument, ("",))[0] != connecting.spans:
                    message = f"{argument} is no span of {connecting.spans}, which {name} connects."
                    raise self._file.error(message, line)
            relation = {"label": label, "from": numbers[start], "to": numbers[end]}
            answers[key].append(relation)
        for other in self._definition.fields:
            if isinstance(other, RelationsField):
                answers[other.key].sort(key=relation_order)
        return answers

    def _add_attributes(self, annotation: _Annotation) -> None:
        for line, name, target, text in annotation.attributes:
            if target not in annotation.spans:
                raise self._file.error(f"{target} is no span of the file.", line)
            key, span = annotation.spans[target]
            places = [place for place in self._attributes.get(name, []) if place[0] == key]
            if not places:
                raise self._unknown("attribute", name, self._attributes, line)
            place = places[0]
            if place[1] in span["attributes"]:
                raise self._file.error(f"{target} has a second {name}.", line)
            try:
                value = parse_cell(self._names.attribute(place), text)
            except FieldError as error:
                raise self._file.error(f"{name}: {error.message}", line) from None
            span["attributes"][place[1]] = value

    def _unknown(self, what: str, name: str, known: Iterable[str], line: int) -> FileError:
        message = f"{name[:40]!r} is no {what} of the definition, which has: {', '.join(known)}."
        return self._file.error(message, line)


def span_order(span: Json) -> tuple[int, int, str]:
    return span["start"], span["end"], span["label"]


def relation_order(relation: Json) -> tuple[str, int, int]:
    return relation["label"], relation["from"], relation["to"]


def write_folder(entries: Iterable[Entry], folder: Path, definition: Definition) -> Json:
    """Write a text file and a file of annotations for each item. Return their number.

    Skipped items are left out.
    """
    count = 0
    ids: dict[str, str] = {}
    for entry in entries:
        if entry.skipped:
            continue
        name = file_name(entry.external_id)
        if unquote(name) != entry.external_id:
            ids[name] = entry.external_id
        text, offsets = _written(entry)
        (folder / f"{name}.txt").write_text(text, "utf-8", newline="\n")
        lines = _lines(entry, text, offsets, definition)
        (folder / f"{name}.ann").write_text("".join(lines), "utf-8", newline="\n")
        count += 1
    if ids:
        listed = "".join(f"{name}\t{external_id}\n" for name, external_id in ids.items())
        (folder / IDS).write_text(listed, "utf-8", newline="\n")
    (folder / CONFIGURATION).write_text(_configuration(definition), "utf-8", newline="\n")
    return {"documents": count}


def file_name(external_id: str) -> str:
    """Return the name of an item's files without their suffix."""
    name = quote(external_id, safe="").replace("~", "%7E")
    if name.startswith("."):
        name = f"%2E{name[1:]}"
    if len(name) <= _MAX_NAME:
        return name
    return f"{name[:60]}-{blake2b(external_id.encode(), digest_size=8).hexdigest()}"


def _written(entry: Entry) -> tuple[str, list[Offset]]:
    """Return the text of an item's file, and the place of each token in it."""
    lines: list[str] = []
    offsets: list[Offset] = []
    start = 0
    for part in entry.parts:
        text, own = part.written()
        # Line feeds separate texts. A blank instead of each keeps the places.
        line = re.sub(r"[\r\n]", " ", text)
        lines.append(line)
        offsets += [(first + start, last + start) for first, last in own]
        start += len(line) + 1
    return "\n".join(lines), offsets


def _lines(
    entry: Entry, text: str, offsets: Sequence[Offset], definition: Definition
) -> Iterator[str]:
    names = Names(definition)
    answers = entry.answers or {}
    numbers: dict[tuple[str, int], int] = {}
    attribute = 0
    for field_ in spans_fields(definition):
        for at, span in enumerate(answers.get(field_.key, [])):
            number = numbers[field_.key, at] = len(numbers) + 1
            start, end = offsets[span["start"]][0], offsets[span["end"] - 1][1]
            label = names.labels[field_.key, span["label"]]
            shown = _BLANK.sub(" ", text[start:end])
            yield f"T{number}\t{label} {start} {end}\t{shown}\n"
            for value, name in _attribute_values(field_, span, names, entry):
                attribute += 1
                yield f"A{attribute}\t{name} T{number} {value}\n"
    relation = 0
    for other in definition.fields:
        if not isinstance(other, RelationsField):
            continue
        for part in answers.get(other.key, []):
            relation += 1
            name = names.relations[other.key, part["label"]]
            first, last = numbers[other.spans, part["from"]], numbers[other.spans, part["to"]]
            yield f"R{relation}\t{name} Arg1:T{first} Arg2:T{last}\n"


def _attribute_values(
    field_: SpansField, span: Mapping[str, Any], names: Names, entry: Entry
) -> Iterator[tuple[str, str]]:
    """Yield the values and names of attributes that the format can hold."""
    for attribute in field_.attributes:
        if attribute.key in span.get("attributes", {}):
            value = cell_of(attribute, span["attributes"][attribute.key], entry)
            if not _BLANK.search(value):
                yield value, names.attributes[field_.key, attribute.key]


def _configuration(definition: Definition) -> str:
    """Return brat's configuration, with which it shows the files."""
    names = Names(definition)
    relations = []
    for field_ in definition.fields:
        if not isinstance(field_, RelationsField):
            continue
        every = [label for (key, _), label in names.labels.items() if key == field_.spans]
        for label in field_.labels:
            first, last = (
                "|".join(names.labels[field_.spans, key] for key in keys) or "|".join(every)
                for keys in (label.from_labels, label.to_labels)
            )
            relations.append(f"{names.relations[field_.key, label.key]}\tArg1:{first}, Arg2:{last}")
    attributes = []
    for (key, attribute), name in names.attributes.items():
        types = "|".join(
            label for (field_key, _), label in names.labels.items() if field_key == key
        )
        leaves = getattr(names.attribute((key, attribute)), "leaves", ())
        values = f", Value:{'|'.join(leaf.key for leaf in leaves)}" if leaves else ""
        attributes.append(f"{name}\tArg:{types}{values}")
    sections = {
        "entities": names.labels.values(),
        "relations": relations,
        "events": (),
        "attributes": attributes,
    }
    return "\n".join(
        f"[{name}]\n" + "".join(f"{line}\n" for line in lines) for name, lines in sections.items()
    )


def left_out(content: Json, definition: Definition) -> int:
    """Return how many units of content have no place in brat's format, or lose an attribute."""
    if content.get("skipped"):
        return 1
    count = 0
    entry = Entry(external_id="")
    for field_ in definition.fields:
        value = content["answers"].get(field_.key)
        if value is None or isinstance(field_, RelationsField):
            continue
        if not isinstance(field_, SpansField):
            count += len(value) if field_.has_parts else 1
            continue
        for span in value:
            held = len(list(_attribute_values(field_, span, Names(definition), entry)))
            count += held < len(span.get("attributes", {}))
    return count
