"""A plain reader of full-text annotation, by the rules of FrameNet's releases and not by ours.

It finds files by the indexes, elements by their qualified names, and counts the last character of
labels in.
"""

from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

NAMESPACES = {"fn": "http://framenet.icsi.berkeley.edu"}


@dataclass
class Annotation:
    """A frame in a sentence. Labels are (name, text, first character), by layer and rank."""

    unit: str
    frame: str
    labels: dict[tuple[str, int], list[tuple[str, str, int]]] = field(default_factory=dict)

    def texts(self, layer: str, rank: int = 1) -> list[tuple[str, str]]:
        return [(name, text) for name, text, _ in self.labels[layer, rank]]


@dataclass
class Sentence:
    document: str
    text: str
    annotations: list[Annotation]


def read_release(folder: Path) -> list[Sentence]:
    """Return the sentences of all documents. Numbers must be those of the indexes."""
    frames = {
        frame.get("ID"): frame.get("name")
        for frame in _root(folder / "frameIndex.xml").findall("fn:frame", NAMESPACES)
    }
    units = {
        unit.get("ID"): (unit.get("name"), unit.get("frameName"))
        for unit in _root(folder / "luIndex.xml").findall("fn:lu", NAMESPACES)
    }
    sentences = []
    for corpus in _root(folder / "fulltextIndex.xml").findall("fn:corpus", NAMESPACES):
        for document in corpus.findall("fn:document", NAMESPACES):
            name = f"{corpus.get('name')}__{document.get('name')}.xml"
            for element in _root(folder / "fulltext" / name).findall("fn:sentence", NAMESPACES):
                sentence = _sentence(element, document.get("description", ""))
                sentences.append(sentence)
                for found in element.findall("fn:annotationSet[@status='MANUAL']", NAMESPACES):
                    named = (found.get("luName"), found.get("frameName"))
                    assert units[found.get("luID")] == named
                    assert frames[found.get("frameID")] == named[1]
    return sentences


def _root(path: Path) -> ElementTree.Element:
    return ElementTree.parse(path).getroot()


def _sentence(element: ElementTree.Element, document: str) -> Sentence:
    text = element.findtext("fn:text", "", NAMESPACES)
    sets = element.findall("fn:annotationSet", NAMESPACES)
    assert sets[0].get("status") == "UNANN"
    return Sentence(document, text, [_annotation(found, text) for found in sets[1:]])


def _annotation(found: ElementTree.Element, text: str) -> Annotation:
    annotation = Annotation(found.get("luName", ""), found.get("frameName", ""))
    for layer in found.findall("fn:layer", NAMESPACES):
        labels = []
        for label in layer.findall("fn:label", NAMESPACES):
            start, end = int(label.get("start", "")), int(label.get("end", ""))
            labels.append((label.get("name", ""), text[start : end + 1], start))
        annotation.labels[layer.get("name", ""), int(layer.get("rank", ""))] = labels
    return annotation
