"""Flickr30k Entities: a folder with `Sentences/<image>.txt` and `Annotations/<image>.xml`.

A sentence file has a caption per line, in which `[/EN#137644/people A group of friends]` is a phrase of
the chain 137644. The chain 0 is not visual. An annotation file has objects with the names of their
chains and a box with 1-based inclusive corners. Instead of a box, `scene` means that there is nothing to
box, and `nobndbox` without `scene` that the chain is not in the picture. See Plummer et al. 2015.

Files that this scheme writes also have `<sentence line="0" id="..." phrases="p0 p2">` for a caption whose
id or phrases' ids would be lost. Other readers ignore it.
"""

import itertools
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path, PurePosixPath
from unicodedata import normalize
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from schemes.contract.errors import ErrorSink, FieldError, FileError
from schemes.contract.records import ExportRow
from schemes.contract.values import Json
from schemes.grounding.captions import (
    UNBOXED,
    Caption,
    CaptionPhrase,
    caption_of,
    image_of,
    stem_of,
)
from schemes.grounding.image_sizes import Size, stated_size
from schemes.grounding.spooled import rows_by_image
from schemes.stated import file_name
from schemes.xml_files import LinedElement, XmlFile, xml_files

SENTENCES, ANNOTATIONS = "Sentences", "Annotations"
SUFFIX = ".jpg"
NOT_VISUAL = "0"
# Captions with higher numbers get the next free line.
MAX_LINES = 1000
# A word, or the start or end of a phrase.
_PART = re.compile(
    r"\[/EN#(?P<chain>[^/\s\[\]]+)(?P<types>(?:/[^/\s\[\]]+)*)\s|(?P<end>\])|(?P<word>[^\s\]\[]+|\[)"
)
# The file of a further image of the same name
_NUMBERED_STEM = re.compile(r"(.+)-[0-9]+")
_CHAIN_NUMBER = re.compile(r"[1-9][0-9]{0,17}")
_DECLARATION = "<?xml version='1.0' encoding='utf-8'?>"
# Brackets mark phrases, so words can't have them.
_BRACKETS = str.maketrans("[]", "()")
Box = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class ChainGold:
    """What an annotation file says about a chain."""

    state: str
    boxes: tuple[Box, ...] = ()


@dataclass(slots=True)
class Annotations:
    """An annotation file: the image's file name and size, the gold of chains, and captions' own ids.

    `ids` and `phrases` are by line. `unboxed` are the chains of scenes that also have `nobndbox`.
    `is_missing` if the file can't be read, and `has_conflict` if it
    contradicts itself, which are reported once. `problem` is a sentence if the image is unclear.
    """

    image: str
    is_missing: bool = False
    has_conflict: bool = False
    problem: str = ""
    size: Size | None = None
    chains: dict[str, ChainGold] = field(default_factory=dict)
    ids: dict[int, str] = field(default_factory=dict)
    phrases: dict[int, list[str]] = field(default_factory=dict)
    unboxed: set[str] = field(default_factory=set)


def read_captions(path: Path, on_error: ErrorSink, *, with_gold: bool = False) -> Iterator[Caption]:
    """Yield the captions of a folder or ZIP archive.

    With gold, phrases have the states and boxes of the annotation files. Files, lines and boxes that
    can't be read go to the error sink. Raise FileError if there are no sentences.
    """
    with xml_files(path, (".txt", ".xml")) as files:
        sentences = [file for file in files if _is_in(file, SENTENCES, ".txt")]
        annotation_files: dict[tuple[PurePosixPath, str], XmlFile] = {}
        for file in files:
            if _is_in(file, ANNOTATIONS, ".xml"):
                first = annotation_files.setdefault(_place(file), file)
                if first is not file:
                    raise file.error(f"is a second file for the picture of {first.name}.")
        if not sentences:
            raise FileError(path.name, None, f"has no folder {SENTENCES} with text files.")
        described = {_place(file): file for file in sentences}
        for place, file in annotation_files.items():
            if place not in described:
                on_error(file.error(f"has no file in {SENTENCES}."))
        for file in sentences:
            sink = on_error if with_gold else _ignore
            annotations = _annotations_of(file, annotation_files.get(_place(file)), sink)
            if problem := _image_problem(annotations, file, described):
                message = f"{problem} The captions of {file.name} are left out."
                on_error(annotation_files[_place(file)].error(message))
                continue
            for caption in _captions_of(file, annotations, on_error):
                yield _with_gold(caption, annotations, on_error) if with_gold else caption


def _annotations_of(
    sentences: XmlFile, annotations: XmlFile | None, on_error: ErrorSink
) -> Annotations:
    """Return the annotations of an image, which are empty after an error."""
    try:
        if annotations is None:
            raise sentences.error(f"has no file in {ANNOTATIONS}.")
        return read_annotations(annotations, on_error)
    except FileError as error:
        on_error(error)
        return Annotations(f"{sentences.path.stem}{SUFFIX}", is_missing=True)


def _image_problem(
    annotations: Annotations, sentences: XmlFile, described: Collection[tuple[PurePosixPath, str]]
) -> str:
    """Return why the annotations are not those of the image of the sentences, or ""."""
    if annotations.problem:
        return annotations.problem
    folder, stem = _place(sentences)
    own = file_stem(annotations.image)
    numbered = _NUMBERED_STEM.fullmatch(stem)
    # `write_folder` numbers images of the same name in several folders.
    is_numbered = numbered and numbered[1] == own and (folder, own) in described
    if own == stem or is_numbered:
        return ""
    return f"filename: {annotations.image} is another picture."


def _is_in(file: XmlFile, folder: str, suffix: str) -> bool:
    return file.path.parent.name == folder and file.path.suffix.lower() == suffix


def _place(file: XmlFile) -> tuple[PurePosixPath, str]:
    """Return what the files of an image share: the folder above, and the name."""
    return file.path.parent.parent, normalize("NFC", file.path.stem)


def _ignore(error: FileError) -> None:
    """Ignore an error in gold that is not wanted."""


def _captions_of(file: XmlFile, annotations: Annotations, on_error: ErrorSink) -> Iterator[Caption]:
    try:
        lines = file.lines()
    except FileError as error:
        on_error(error)
        return
    for number, text in enumerate(lines):
        if not text.strip():
            continue
        try:
            tokens, phrases, others = parse_sentence(text)
        except ValueError as error:
            on_error(file.error(str(error), number + 1))
            continue
        ids = annotations.phrases.get(number, [])
        if len(ids) == len(phrases):
            phrases = [replace(phrase, id=name) for phrase, name in zip(phrases, ids, strict=True)]
        unboxed = sorted({phrase.chain for phrase in phrases} & annotations.unboxed)
        yield Caption(
            annotations.ids.get(number) or f"{annotations.image}#{number}",
            tokens,
            annotations.image,
            phrases,
            {
                **({"other_phrases": others} if others else {}),
                **({UNBOXED: unboxed} if unboxed else {}),
            },
            number + 1,
            file.name,
            image_size=annotations.size,
        )


def parse_sentence(text: str) -> tuple[tuple[str, ...], list[CaptionPhrase], list[Json]]:
    """Return the tokens, the visual phrases and the others. Raise ValueError."""
    tokens: list[str] = []
    phrases: list[CaptionPhrase] = []
    others: list[Json] = []
    started: tuple[int, str, tuple[str, ...]] | None = None
    for match in _PART.finditer(text):
        if match["chain"]:
            if started:
                raise ValueError("has a phrase within a phrase.")
            started = (len(tokens), match["chain"], tuple(match["types"].split("/")[1:]))
        elif match["end"] and started:
            start, chain, types = started
            if start == len(tokens):
                raise ValueError("has a phrase without words.")
            if chain == NOT_VISUAL:
                others.append({"start": start, "end": len(tokens), "types": list(types)})
            else:
                phrases.append(CaptionPhrase(start, len(tokens), chain=chain, types=types))
            started = None
        else:
            tokens.append(match["word"] or match["end"])
    if started:
        raise ValueError("has a phrase without an end.")
    if not tokens:
        raise ValueError("has no words.")
    return tuple(tokens), phrases, others


def _with_gold(caption: Caption, annotations: Annotations, on_error: ErrorSink) -> Caption:
    """Return the caption with its gold, which is bad if a chain has none. The error sink names it."""
    phrases = []
    missing: dict[str, None] = {}
    for phrase in caption.phrases or ():
        gold = annotations.chains.get(phrase.chain)
        if gold is None:
            missing[phrase.chain] = None
        else:
            phrase = replace(phrase, state=gold.state, boxes=gold.boxes)  # noqa: PLW2901
        phrases.append(phrase)
    if missing and not (annotations.is_missing or annotations.has_conflict):
        chains = f"chain{'s' if len(missing) > 1 else ''} {', '.join(missing)}"
        message = f"{chains}: no annotation. The gold of {caption.external_id} is left out."
        on_error(FileError(caption.file, caption.line, message))
    is_bad = bool(missing) or annotations.has_conflict
    return replace(caption, phrases=phrases, has_bad_gold=is_bad)


def read_annotations(file: XmlFile, on_error: ErrorSink) -> Annotations:
    """Return what an annotation file says. Raise FileError for a file that isn't XML.

    A chain with a bad box has no gold, and the box goes to the error sink.
    """
    annotations = Annotations(f"{file.path.stem}{SUFFIX}")
    for root in file.elements("annotation"):
        _add_image(annotations, root)
        annotations.chains |= _chains_of(file, root, on_error)
        annotations.unboxed |= _unboxed_scenes(root)
        if conflicts := _conflicts(root):
            annotations.has_conflict = True
            chains = f"chain{'s' if len(conflicts) > 1 else ''} {', '.join(conflicts)}"
            message = f"{chains}: has both a box and none. The gold of the picture is left out."
            on_error(file.error(message))
        for sentence in root.findall("sentence"):
            line = sentence.get("line", "")
            if line.isascii() and line.isdigit():
                annotations.ids[int(line)] = sentence.get("id", "")
                annotations.phrases[int(line)] = sentence.get("phrases", "").split()
    return annotations


def _chains_of(file: XmlFile, root: Element, on_error: ErrorSink) -> dict[str, ChainGold]:
    boxes: dict[str, set[Box]] = defaultdict(set)
    states: dict[str, str] = {}
    bad: set[str] = set()
    for element in root.findall("object"):
        names = [name.text.strip() for name in element.findall("name") if name.text]
        try:
            box = _box(element)
        except ValueError as error:
            line = element.line if isinstance(element, LinedElement) else None
            on_error(file.error(f"the box of {', '.join(names)} {error}.", line))
            bad.update(names)
            continue
        for name in names:
            if box:
                boxes[name].add(box)
            elif _flag(element, "scene"):
                states[name] = "scene"
            elif _flag(element, "nobndbox"):
                states.setdefault(name, "absent")
    gold = {name: ChainGold(state) for name, state in states.items() if name not in boxes}
    gold |= {name: ChainGold("boxes", tuple(sorted(of))) for name, of in boxes.items()}
    return {name: chain for name, chain in gold.items() if name not in bad}


def _unboxed_scenes(root: Element) -> set[str]:
    """Return the chains that are a scene and also said to have no box, which exports keep."""
    return {
        name.text.strip()
        for element in root.findall("object")
        if _flag(element, "scene") and _flag(element, "nobndbox")
        for name in element.findall("name")
        if name.text
    }


def _conflicts(root: Element) -> list[str]:
    """Return the chains that have a box, and are said to have none."""
    boxed: dict[str, None] = {}
    without: set[str] = set()
    for element in root.findall("object"):
        names = [name.text.strip() for name in element.findall("name") if name.text]
        if element.find("bndbox") is not None:
            boxed.update(dict.fromkeys(names))
        if _flag(element, "scene") or _flag(element, "nobndbox"):
            without.update(names)
    return [name for name in boxed if name in without]


def _add_image(annotations: Annotations, root: Element) -> None:
    """Add the name and size of the image, or the problem if they are unclear."""
    names = {text for name in root.findall("filename") if (text := (name.text or "").strip())}
    try:
        sizes = {
            stated_size(*(size.findtext(side, "").strip() for side in ("width", "height")))
            for size in root.findall("size")
        }
    except FieldError as error:
        annotations.problem = f"size: {error.field}: {error.message}"
        return
    if len(names) > 1 or len(sizes - {None}) > 1:
        annotations.problem = (
            f"has several {'names' if len(names) > 1 else 'sizes'} of its picture."
        )
    annotations.image = next(iter(names), annotations.image)
    annotations.size = next(iter(sizes - {None}), None)


def _box(element: Element) -> Box | None:
    """Return the box of an object, or None without a box. Raise ValueError."""
    bounds = element.find("bndbox")
    if bounds is None:
        return None
    names = ("xmin", "ymin", "xmax", "ymax")
    try:
        x1, y1, x2, y2 = (int(bounds.findtext(name, "")) for name in names)
    except ValueError:
        raise ValueError("has no whole numbers") from None
    return x1 - 1, y1 - 1, x2, y2


def _flag(element: Element, name: str) -> bool:
    return element.findtext(name, "0").strip() == "1"


@dataclass(slots=True)
class _ImageFiles:
    """The captions of an image by number, and the gold of its chains."""

    image: str
    size: tuple[int, int]
    lines: dict[int, str] = field(default_factory=dict)
    chains: dict[str, ChainGold] = field(default_factory=dict)
    unboxed: set[str] = field(default_factory=set)
    sentences: list[dict[str, str]] = field(default_factory=list)
    split: int = 0
    nested: int = 0


def write_folder(rows: Iterable[ExportRow], folder: Path) -> Json:
    """Write sentence and annotation files, and return the counts of what they have.

    A chain has one annotation in the format. If its phrases differ, the annotation of most phrases keeps
    the chain's id. The others get new numbers, and so do phrases without a chain and chains whose ids
    are no numbers, because other programs read numbers only. Phrases within phrases are left out.
    """
    for subfolder in (SENTENCES, ANNOTATIONS):
        (folder / subfolder).mkdir(parents=True, exist_ok=True)
    counts = dict.fromkeys(("captions", "images", "split_chains", "nested_phrases"), 0)
    seen = _Seen()
    # All rows are read before the first image is written.
    for of_image in rows_by_image(seen.watch(rows)):
        image = image_of(of_image[0])
        files = _ImageFiles(image.name, (image.width, image.height))
        _add_captions(files, [caption_of(row) for row in of_image], seen.new_chains())
        counts["captions"] += len(of_image)
        counts["images"] += 1
        counts["split_chains"] += files.split
        counts["nested_phrases"] += files.nested
        stem = seen.new_stem(image.name)
        last = max(files.lines) + 1
        lines = "".join(f"{files.lines.get(number, '')}\n" for number in range(last))
        (folder / SENTENCES / f"{stem}.txt").write_text(lines, "utf-8")
        (folder / ANNOTATIONS / f"{stem}.xml").write_bytes(_xml(files))
    return counts


def file_stem(image: str) -> str:
    """Return the name of an image's files without ending."""
    return stem_of(file_name(image)).lstrip(".") or "image"


class _Seen:
    """The chains of all rows, and the names of files that were written."""

    def __init__(self) -> None:
        self._highest_chain = 0
        self._stems: set[str] = set()

    def watch(self, rows: Iterable[ExportRow]) -> Iterator[ExportRow]:
        for row in rows:
            chains = (phrase["chain"] for phrase in row.target["phrases"])
            numbers = (int(chain) for chain in chains if _is_number(chain))
            self._highest_chain = max(self._highest_chain, *numbers, 0)
            yield row

    def new_chains(self) -> Iterator[str]:
        """Yield numbers that no chain has."""
        while True:
            self._highest_chain += 1
            yield str(self._highest_chain)

    def new_stem(self, image: str) -> str:
        """Return a file name without ending. `a/1.jpg` and `b/1.jpg` get `1` and `1-2`."""
        stem = file_stem(image)
        variants = (stem if at == 1 else f"{stem}-{at}" for at in itertools.count(1))
        chosen = next(variant for variant in variants if variant not in self._stems)
        self._stems.add(chosen)
        return chosen


def _is_number(chain: str) -> bool:
    return _CHAIN_NUMBER.fullmatch(chain) is not None


def _add_captions(
    files: _ImageFiles, captions: Sequence[Caption], new_chains: Iterator[str]
) -> None:
    """Add the captions with the final ids of their chains."""
    for caption in captions:
        files.unboxed.update(caption.metadata.get(UNBOXED, ()))
    numbered = list(_numbered(captions))
    answers: dict[str, list[ChainGold]] = defaultdict(list)
    for number, caption in numbered:
        for at, phrase in enumerate(caption.phrases or ()):
            answers[_chain(phrase, number, at)].append(_chain_gold(phrase))
    ids: dict[tuple[str, ChainGold], str] = {}
    for chain, golds in answers.items():
        ordered = sorted(dict.fromkeys(golds), key=lambda gold: -golds.count(gold))
        for position, gold in enumerate(ordered):
            keeps = position == 0 and _is_number(chain)
            ids[chain, gold] = chain if keeps else next(new_chains)
    for number, caption in numbered:
        marks: dict[int, tuple[int, str]] = {}
        names: list[str] = []
        for at, phrase in enumerate(caption.phrases or ()):
            if any(start <= phrase.start < end for start, (end, _) in marks.items()):
                files.nested += 1
                continue
            gold = _chain_gold(phrase)
            name = ids[_chain(phrase, number, at), gold]
            files.chains[name] = gold
            names.append(phrase.id)
            marks[phrase.start] = (phrase.end, _label(name, phrase.types or ("other",)))
        for other in caption.metadata.get("other_phrases", ()):
            if other["start"] not in marks:
                label = _label(NOT_VISUAL, other["types"] or ["notvisual"])
                marks[other["start"]] = (other["end"], label)
        files.lines[number] = _marked(caption.tokens, marks)
        files.sentences += _own_ids(files.image, number, caption, names)
    files.split = sum(len(set(golds)) > 1 for golds in answers.values())


def _label(chain: str, types: Iterable[str]) -> str:
    """Return the chain and its types, in which blanks, slashes and brackets become hyphens."""
    return "/".join([chain, *(re.sub(r"[\s/\[\]]+", "-", name) for name in types)])


def _own_ids(
    image: str, line: int, caption: Caption, phrases: Sequence[str]
) -> list[dict[str, str]]:
    """Return the ids that differ from those that a reader would give, as attributes."""
    attributes = {}
    if caption.external_id not in (image, f"{image}#{line}"):
        attributes["id"] = caption.external_id
    if list(phrases) != [f"p{at}" for at in range(len(phrases))]:
        attributes["phrases"] = " ".join(phrases)
    return [{"line": str(line), **attributes}] if attributes else []


def _chain_gold(phrase: CaptionPhrase) -> ChainGold:
    """Return the phrase's gold. The format has no group boxes, only boxes."""
    return ChainGold("boxes" if phrase.state == "group" else phrase.state, phrase.boxes)


def _chain(phrase: CaptionPhrase, number: int, at: int) -> str:
    return phrase.chain or f"{number}.{at}"


def _numbered(captions: Iterable[Caption]) -> Iterator[tuple[int, Caption]]:
    """Yield each caption with its line, after dividing joined ones."""
    free = 0
    for caption in captions:
        spans = caption.metadata.get("captions")
        if spans:
            for number, (start, end) in enumerate(spans):
                yield number, _part(caption, start, end)
            continue
        _, _, ending = caption.external_id.rpartition("#")
        number = int(ending) if re.fullmatch("[0-9]{1,9}", ending) else free
        if number < free or number >= MAX_LINES:
            number = free
        free = number + 1
        yield number, caption


def _part(caption: Caption, start: int, end: int) -> Caption:
    """Return the caption of a span of a joined one."""
    phrases = [p.moved(-start) for p in caption.phrases or () if start <= p.start < end]
    others = [
        {**other, "start": other["start"] - start, "end": other["end"] - start}
        for other in caption.metadata.get("other_phrases", ())
        if start <= other["start"] < end
    ]
    phrases = [replace(phrase, id=f"p{at}") for at, phrase in enumerate(phrases)]
    metadata = {"other_phrases": others}
    return replace(caption, tokens=caption.tokens[start:end], phrases=phrases, metadata=metadata)


def _marked(tokens: Sequence[str], marks: Mapping[int, tuple[int, str]]) -> str:
    """Return the words with the phrases in brackets. `marks` has end and label by start."""
    ends = {end for end, _ in marks.values()}
    words = []
    for at, token in enumerate(tokens):
        opening = f"[/EN#{marks[at][1]} " if at in marks else ""
        word = "_".join(token.translate(_BRACKETS).split())
        words.append(f"{opening}{word}{']' if at + 1 in ends else ''}")
    return " ".join(words)


def _xml(files: _ImageFiles) -> bytes:
    root = Element("annotation")
    SubElement(root, "filename").text = files.image
    size = SubElement(root, "size")
    for name, value in zip(("width", "height", "depth"), (*files.size, 3), strict=True):
        SubElement(size, name).text = str(value)
    for attributes in files.sentences:
        SubElement(root, "sentence", attributes)
    names_of_boxes: dict[Box, list[str]] = defaultdict(list)
    for chain, gold in sorted(files.chains.items()):
        for box in gold.boxes:
            names_of_boxes[box].append(chain)
        if gold.state in ("scene", "absent"):
            element = _object(root, [chain])
            is_scene = gold.state == "scene"
            SubElement(element, "scene").text = str(int(is_scene))
            has_flag = not is_scene or chain in files.unboxed
            SubElement(element, "nobndbox").text = str(int(has_flag))
    for box, names in sorted(names_of_boxes.items()):
        bounds = SubElement(_object(root, names), "bndbox")
        x1, y1, x2, y2 = box
        for name, value in zip(
            ("xmin", "ymin", "xmax", "ymax"), (x1 + 1, y1 + 1, x2, y2), strict=True
        ):
            SubElement(bounds, name).text = str(value)
    indent(root)
    # Encoding the whole text is faster than encoding its parts.
    return f"{_DECLARATION}\n{tostring(root, encoding='unicode')}\n".encode()


def _object(root: Element, names: Iterable[str]) -> Element:
    element = SubElement(root, "object")
    for name in names:
        SubElement(element, "name").text = name
    return element
