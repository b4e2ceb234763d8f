"""Gold as full-text annotation in the XML of FrameNet.

A folder is laid out like a release of FrameNet, so that readers of FrameNet open it:
`fulltext/*.xml` has a file per document, `frame/*.xml` the frames with the elements and lexical units
that occur, and there are the indexes of all of them. Numbers count within the folder.
`sentences.csv` maps those of sentences to the ids of the corpus.

A label has the first and the last character of a range, from 0, and an argument with gaps has several
labels. Arguments that overlap are in layers of higher ranks. Grammatical functions and phrase types
are there where dependencies and tags state them.
"""

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from schemes.contract.items import ItemContext
from schemes.contract.records import ExportRow
from schemes.contract.values import Json
from schemes.frames.relations import LEFT_COMPLEX, RIGHT_COMPLEX, relation_to_verb
from schemes.frames.spans import runs_of, span_of

FRAMENET = "framenet"
NAMESPACE = "http://framenet.icsi.berkeley.edu"
SENTENCES = "sentences.csv"
_DECLARATION = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>'
# Characters that XML lacks, and carriage returns, which parsers join with line feeds
_NOT_XML = re.compile("[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_NOT_IN_NAMES = re.compile(r"[^\w.-]+")
_FUNCTIONS = {"nsubj": "Ext", "csubj": "Ext", "obj": "Obj", "dobj": "Obj"}
_PHRASES = {"NOUN": "NP", "PROPN": "NP", "PRON": "NP", "ADJ": "AJP", "ADV": "AVP"}
# The first and the last character of each run of an argument
Ranges = tuple[tuple[int, int], ...]


def write_framenet(rows: Iterable[ExportRow], folder: Path) -> Json:
    """Write the files of a folder, and return the numbers of documents, sentences and annotations."""
    for name in ("fulltext", "frame"):
        (folder / name).mkdir(parents=True, exist_ok=True)
    release = _Release(folder)
    with (folder / SENTENCES).open("w", encoding="utf-8", newline="") as file:
        ids = csv.writer(file, lineterminator="\n")
        ids.writerow(("ID", "document", "sentence_id"))
        for external_id, of_sentence in groupby(rows, key=lambda row: row.external_id):
            number, name = release.add_sentence(list(of_sentence))
            ids.writerow((number, name, external_id))
    release.finish()
    return {
        "documents": len(release.documents),
        "sentences": release.sentences,
        "annotation_sets": release.annotated,
    }


def is_annotated(content: Json) -> bool:
    """Return True for a record with a frame, which alone has a place in the format."""
    return bool(content.get("verb") and content.get("frame") and not content.get("skip"))


@dataclass(slots=True)
class _Document:
    """A document. `sentences` is the number of those written so far."""

    number: int
    name: str
    path: Path
    sentences: int = 0


@dataclass(slots=True)
class _Frame:
    number: int
    elements: dict[str, int] = field(default_factory=dict)
    units: dict[str, int] = field(default_factory=dict)


class _Names:
    """Names of files that are not taken."""

    def __init__(self) -> None:
        self._taken: set[str] = set()

    def new(self, text: str) -> str:
        """Return a name, with a number if another text has it."""
        stem = name = _file_name(text)
        number = 1
        while name in self._taken:
            number += 1
            name = f"{stem}-{number}"
        self._taken.add(name)
        return name


@dataclass(slots=True)
class _Release:
    """The documents, frames and numbers of a folder."""

    folder: Path
    documents: dict[str, _Document] = field(default_factory=dict)
    document_names: _Names = field(default_factory=_Names)
    frames: dict[str, _Frame] = field(default_factory=dict)
    sentences: int = 0
    annotated: int = 0
    sets: int = 0
    elements: int = 0
    units: int = 0

    @property
    def corpus(self) -> str:
        return _file_name(self.folder.name)

    def add_sentence(self, rows: Sequence[ExportRow]) -> tuple[int, str]:
        """Append a sentence to its document. Return its number and the document's name."""
        document = self._document(rows[0].document)
        self.sentences += 1
        document.sentences += 1
        sentence = Element(
            "sentence",
            corpID="1",
            docID=str(document.number),
            sentNo=str(document.sentences),
            paragNo="1",
            aPos="0",
            ID=str(self.sentences),
        )
        SubElement(sentence, "text").text = _NOT_XML.sub(" ", _text(rows[0]))
        SubElement(self._set(sentence, {"status": "UNANN"}), "layer", rank="1", name="PENN")
        for row in rows:
            if is_annotated(row.content):
                self._add_record(sentence, row)
        _append(document.path, sentence)
        return self.sentences, document.name

    def finish(self) -> None:
        """End the documents, and write the frames and the indexes."""
        index = Element("fulltextIndex")
        corpus = SubElement(index, "corpus", description=self.corpus, name=self.corpus, ID="1")
        for description, document in self.documents.items():
            with document.path.open("a", encoding="utf-8") as file:
                file.write("</fullTextAnnotation>\n")
            _add_document(corpus, description, document)
        frames, units = Element("frameIndex"), Element("luIndex")
        names = _Names()
        for name, frame in self.frames.items():
            numbered = {"ID": str(frame.number), "name": name}
            SubElement(frames, "frame", numbered)
            for unit, number in frame.units.items():
                facts = {"frameName": name, "frameID": str(frame.number)}
                SubElement(units, "lu", _unit(unit, number) | facts)
            path = self.folder / "frame" / f"{names.new(name)}.xml"
            _write(path, _frame_element(numbered, frame))
        relations = Element("frameRelations")
        for root in (index, frames, units):
            _write(self.folder / f"{root.tag}.xml", root)
        _write(self.folder / "frRelation.xml", relations)

    def _document(self, description: str) -> _Document:
        if description not in self.documents:
            name = self.document_names.new(description or "sentences")
            path = self.folder / "fulltext" / f"{self.corpus}__{name}.xml"
            document = _Document(len(self.documents) + 1, name, path)
            self.documents[description] = document
            header = Element("header")
            corpus = SubElement(header, "corpus", description=self.corpus, name=self.corpus, ID="1")
            _add_document(corpus, description, document)
            root = f'<fullTextAnnotation xmlns="{NAMESPACE}">'
            path.write_text(f"{_DECLARATION}\n{root}\n", "utf-8")
            _append(path, header)
        return self.documents[description]

    def _set(self, sentence: Element, attributes: dict[str, str]) -> Element:
        self.sets += 1
        return SubElement(sentence, "annotationSet", {"ID": str(self.sets), **attributes})

    def _add_record(self, sentence: Element, row: ExportRow) -> None:
        content = row.content
        self.annotated += 1
        frame = self.frames.setdefault(content["frame"], _Frame(len(self.frames) + 1))
        name = f"{content['lemma'].replace('_', ' ')}.v"
        if name not in frame.units:
            self.units += 1
            frame.units[name] = self.units
        annotated = self._set(
            sentence,
            {
                "luID": str(frame.units[name]),
                "luName": name,
                "frameID": str(frame.number),
                "frameName": content["frame"],
                "status": "MANUAL",
            },
        )
        target = SubElement(annotated, "layer", rank="1", name="Target")
        _add_labels(target, "Target", _ranges(content["verb"], row))
        context = ItemContext(row.tokens, row.target, metadata=row.metadata)
        ranked = _ranked(content, row)
        for rank, arguments in enumerate(ranked or [[]], start=1):
            layer = SubElement(annotated, "layer", rank=str(rank), name="FE")
            for argument, ranges in arguments:
                element = argument["element"]
                if element not in frame.elements:
                    self.elements += 1
                    frame.elements[element] = self.elements
                _add_labels(layer, element, ranges, feID=str(frame.elements[element]))
        for kind, label_of in (("GF", _function), ("PT", _phrase)):
            layer = SubElement(annotated, "layer", rank="1", name=kind)
            for argument, ranges in ranked[0] if ranked else ():
                if label := label_of(argument["head"], content["verb"], context):
                    _add_labels(layer, label, ranges)


def _file_name(text: str) -> str:
    """Return the text as a part of a file's name, which readers don't take for a number."""
    name = _NOT_IN_NAMES.sub("_", text).lstrip(".")[:100] or "_"
    return f"d{name}" if name.isdigit() else name


def _add_document(corpus: Element, description: str, document: _Document) -> None:
    number = str(document.number)
    SubElement(corpus, "document", description=description, name=document.name, ID=number)


def _unit(name: str, number: int) -> dict[str, str]:
    part_of_speech = name.rpartition(".")[2].upper()
    return {"ID": str(number), "name": name, "POS": part_of_speech, "status": "Created"}


def _frame_element(numbered: dict[str, str], frame: _Frame) -> Element:
    root = Element("frame", numbered)
    for name, number in frame.elements.items():
        SubElement(root, "FE", ID=str(number), name=name, abbrev=name)
    for name, number in frame.units.items():
        unit = SubElement(root, "lexUnit", _unit(name, number))
        words = name.rpartition(".")[0].split(" ")
        for order, word in enumerate(words, start=1):
            head = "true" if order == 1 else "false"
            attributes = {"order": str(order), "headword": head, "breakBefore": "false"}
            SubElement(unit, "lexeme", attributes, name=word, POS=name.rpartition(".")[2].upper())
    return root


def _append(path: Path, element: Element) -> None:
    indent(element)
    with path.open("a", encoding="utf-8", newline="\n") as file:
        file.write(f"{tostring(element, encoding='unicode')}\n")


def _write(path: Path, root: Element) -> None:
    root.set("xmlns", NAMESPACE)
    indent(root)
    path.write_text(f"{_DECLARATION}\n{tostring(root, encoding='unicode')}\n", "utf-8")


def _text(row: ExportRow) -> str:
    return row.text if row.offsets else " ".join(row.tokens)


def _add_labels(layer: Element, name: str, ranges: Ranges, **attributes: str) -> None:
    for start, end in ranges:
        SubElement(layer, "label", attributes, name=name, start=str(start), end=str(end))


def _ranked(content: Json, row: ExportRow) -> list[list[tuple[Json, Ranges]]]:
    """Return the arguments with elements and their ranges, in layers without overlaps.

    Long arguments come first, and those of a layer are in the order of the text.
    """
    arguments = []
    for argument in content["arguments"]:
        if argument["element"]:
            span = span_of(argument["head"], content["verb"], row.metadata)
            arguments.append((len(span), argument, _ranges(span, row)))
    layers: list[list[tuple[Json, Ranges]]] = []
    for _, argument, ranges in sorted(arguments, key=lambda entry: (-entry[0], entry[2])):
        for layer in layers:
            if not any(_overlap(ranges, other) for _, other in layer):
                layer.append((argument, ranges))
                break
        else:
            layers.append([(argument, ranges)])
    return [sorted(layer, key=lambda entry: entry[1]) for layer in layers]


def _overlap(ranges: Ranges, others: Ranges) -> bool:
    return any(
        start <= other_end and other_start <= end
        for start, end in ranges
        for other_start, other_end in others
    )


def _ranges(positions: Sequence[int], row: ExportRow) -> Ranges:
    """Return the first and last characters of the runs of positions, each range once."""
    return tuple(dict.fromkeys(_characters(positions, row)))


def _characters(positions: Sequence[int], row: ExportRow) -> Iterator[tuple[int, int]]:
    for start, end in runs_of(positions):
        if row.offsets:
            first, last = row.offsets[start][0], row.offsets[end - 1][1]
        else:
            first = sum(len(token) + 1 for token in row.tokens[:start])
            last = first + len(" ".join(row.tokens[start:end]))
        yield first, max(first, last - 1)


def _function(head: Sequence[int], verb: Sequence[int], context: ItemContext) -> str:
    """Return the grammatical function of a verb's dependent, or "" if it is not known.

    The recipient of a verb with two objects is `Obj`, and what it receives is `Dep`.
    """
    relation = relation_to_verb(head, verb, context)
    if relation in ("", LEFT_COMPLEX, RIGHT_COMPLEX):
        return ""
    kind = relation.partition(":")[0]
    relations, governors = (context.metadata.get(name, ()) for name in ("deprels", "heads"))
    pairs = zip(relations, governors, strict=True)
    if any(name == "iobj" and governor in verb for name, governor in pairs):
        return {"iobj": "Obj", "obj": "Dep"}.get(kind) or _FUNCTIONS.get(kind, "Dep")
    return _FUNCTIONS.get(kind, "Dep")


def _phrase(head: Sequence[int], verb: Sequence[int], context: ItemContext) -> str:
    """Return the phrase type of an argument, or "" if tags and dependencies do not state it."""
    tags, relations = context.metadata.get("upos"), context.metadata.get("deprels")
    if not tags or not relations:
        return ""
    governors = context.metadata["heads"]
    top = next((at for at in head if governors[at] not in head), head[0])
    phrase = _PHRASES.get(tags[top], "")
    marks = [
        at
        for at, relation in enumerate(relations)
        if relation == "case" and governors[at] in (top, *head)
    ]
    if phrase != "NP" or not marks:
        return phrase
    # A case after its noun, such as 's, is no preposition.
    return "PP" if marks[0] < top else ""
