"""Flickr30k Entities: a folder with `Sentences/<image>.txt` and `Annotations/<image>.xml`.

A sentence file has a caption per line, in which `[/EN#137644/people A group of friends]` is a phrase of
the chain 137644. The chain 0 is not visual. An annotation file has objects with the names of their
chains and a box with 1-based inclusive corners. Instead of a box, `scene` means that there is nothing to
box, and `nobndbox` without `scene` that the chain is not in the picture. See Plummer et al. 2015.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import ParseError, parse

from schemes.base import ErrorSink, ExportRow, FileError, Json
from schemes.grounding.captions import Caption, CaptionPhrase, caption_of, image_of, stem_of
from schemes.text_lines import numbered_lines

SENTENCES, ANNOTATIONS = "Sentences", "Annotations"
SUFFIX = ".jpg"
NOT_VISUAL = "0"
MAX_XML_BYTES = 4 * 2**20
# A word, or the start or end of a phrase.
_PART = re.compile(
    r"\[/EN#(?P<chain>[^/\s\]]+)(?P<types>(?:/[^/\s\]]+)*)\s|(?P<end>\])|(?P<word>[^\s\]\[]+|\[)"
)
Box = tuple[int, int, int, int]


@dataclass(frozen=True, slots=True)
class ChainGold:
    """What an annotation file says about a chain."""

    state: str
    boxes: tuple[Box, ...] = ()


def read_captions(
    folder: Path, on_error: ErrorSink, *, per_image: bool = False, with_gold: bool = False
) -> Iterator[Caption]:
    """Yield the captions of a folder, or one joined caption per image.

    With gold, phrases have the states and boxes of the annotation files. Files and lines that can't be
    read go to the error sink. Raise FileError if the folder has no sentences.
    """
    sentences = folder / SENTENCES
    if not sentences.is_dir():
        raise FileError(folder.name, None, f"has no folder {SENTENCES}.")
    for path in sorted(sentences.glob("*.txt")):
        captions = list(_captions_of(path, on_error))
        if per_image and captions:
            captions = [joined(captions)]
        if with_gold:
            try:
                gold = read_annotations(folder / ANNOTATIONS / f"{path.stem}.xml")
            except FileError as error:
                on_error(error)
                continue
            captions = [_with_gold(caption, gold) for caption in captions]
        yield from captions


def _captions_of(path: Path, on_error: ErrorSink) -> Iterator[Caption]:
    try:
        for line, text in numbered_lines(path):
            if not text.strip():
                continue
            try:
                tokens, phrases, others = parse_sentence(text)
            except ValueError as error:
                on_error(FileError(path.name, line, str(error)))
                continue
            yield Caption(
                f"{path.stem}{SUFFIX}#{line - 1}",
                tokens,
                f"{path.stem}{SUFFIX}",
                phrases,
                {"other_phrases": others} if others else {},
                line,
                path.name,
            )
    except FileError as error:
        on_error(error)


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


def joined(captions: Sequence[Caption]) -> Caption:
    """Return all captions of an image as one, whose metadata has the span of each."""
    tokens: list[str] = []
    phrases: list[CaptionPhrase] = []
    others: list[Json] = []
    spans: list[list[int]] = []
    for caption in captions:
        start = len(tokens)
        tokens += caption.tokens
        spans.append([start, len(tokens)])
        phrases += [_moved(phrase, start) for phrase in caption.phrases or ()]
        others += [
            {**other, "start": other["start"] + start, "end": other["end"] + start}
            for other in caption.metadata.get("other_phrases", ())
        ]
    metadata = {"captions": spans, **({"other_phrases": others} if others else {})}
    image = captions[0].image
    return replace(
        captions[0], external_id=image, tokens=tuple(tokens), phrases=phrases, metadata=metadata
    )


def _moved(phrase: CaptionPhrase, offset: int) -> CaptionPhrase:
    return replace(phrase, start=phrase.start + offset, end=phrase.end + offset)


def _with_gold(caption: Caption, gold: Mapping[str, ChainGold]) -> Caption:
    phrases = []
    for phrase in caption.phrases or ():
        chain = gold.get(phrase.chain)
        phrases.append(replace(phrase, state=chain.state, boxes=chain.boxes) if chain else phrase)
    return replace(caption, phrases=phrases)


def read_annotations(path: Path) -> dict[str, ChainGold]:
    """Return what an annotation file says of each chain. Raise FileError."""
    try:
        if path.stat().st_size > MAX_XML_BYTES:
            raise FileError(path.name, None, "is larger than 4 MiB.")
        tree = parse(path)
    except OSError as error:
        raise FileError(path.name, None, f"cannot be opened ({error.strerror}).") from error
    except ParseError as error:
        raise FileError(path.name, error.position[0], f"is not XML ({error}).") from error
    except DefusedXmlException:
        raise FileError(path.name, None, "has entities, which are not read.") from None
    boxes: dict[str, set[Box]] = defaultdict(set)
    states: dict[str, str] = {}
    for element in tree.iter("object"):
        names = [name.text.strip() for name in element.findall("name") if name.text]
        try:
            box = _box(element)
        except ValueError:
            raise FileError(path.name, None, f"has a bad box of {', '.join(names)}.") from None
        for name in names:
            if box:
                boxes[name].add(box)
            elif _flag(element, "scene"):
                states[name] = "scene"
            elif _flag(element, "nobndbox"):
                states.setdefault(name, "absent")
    gold = {name: ChainGold(state) for name, state in states.items() if name not in boxes}
    return gold | {name: ChainGold("boxes", tuple(sorted(of))) for name, of in boxes.items()}


def _box(element: Element) -> Box | None:
    bounds = element.find("bndbox")
    if bounds is None:
        return None
    x1, y1, x2, y2 = (int(bounds.findtext(name, "")) for name in ("xmin", "ymin", "xmax", "ymax"))
    box = max(x1 - 1, 0), max(y1 - 1, 0), x2, y2
    if box[0] >= x2 or box[1] >= y2:
        raise ValueError
    return box


def _flag(element: Element, name: str) -> bool:
    return element.findtext(name, "0").strip() == "1"


@dataclass(slots=True)
class _ImageFiles:
    """The captions of an image by number, and the gold of its chains."""

    size: tuple[int, int]
    lines: dict[int, str] = field(default_factory=dict)
    chains: dict[str, ChainGold] = field(default_factory=dict)


def write_folder(rows: Iterable[ExportRow], folder: Path) -> Json:
    """Write sentence and annotation files, and return counts of captions and split chains.

    A chain has one annotation in the format. If its phrases differ, the annotation of most phrases keeps
    the chain's id, and the others get an id with a suffix.
    """
    by_image: dict[str, list[tuple[Caption, tuple[int, int]]]] = defaultdict(list)
    count = 0
    for row in rows:
        image = image_of(row)
        by_image[image.name].append((caption_of(row), (image.width, image.height)))
        count += 1
    for subfolder in (SENTENCES, ANNOTATIONS):
        (folder / subfolder).mkdir(parents=True, exist_ok=True)
    split = 0
    for name, captions in by_image.items():
        files = _ImageFiles(captions[0][1])
        split += _add_captions(files, [caption for caption, _ in captions])
        stem = stem_of(name)
        last = max(files.lines) + 1
        lines = "".join(f"{files.lines.get(number, '')}\n" for number in range(last))
        (folder / SENTENCES / f"{stem}.txt").write_text(lines, "utf-8")
        (folder / ANNOTATIONS / f"{stem}.xml").write_bytes(_xml(name, files))
    return {"captions": count, "images": len(by_image), "split_chains": split}


def _add_captions(files: _ImageFiles, captions: Sequence[Caption]) -> int:
    """Add the captions with the final ids of their chains, and return the number of split chains."""
    numbered = list(_numbered(captions))
    answers: dict[str, list[ChainGold]] = defaultdict(list)
    for number, caption in numbered:
        for at, phrase in enumerate(caption.phrases or ()):
            answers[_chain(phrase, number, at)].append(_chain_gold(phrase))
    ids: dict[tuple[str, ChainGold], str] = {}
    for chain, golds in answers.items():
        ordered = sorted(dict.fromkeys(golds), key=lambda gold: -golds.count(gold))
        for position, gold in enumerate(ordered):
            ids[chain, gold] = chain if position == 0 else f"{chain}.{position + 1}"
    for number, caption in numbered:
        marks: dict[int, tuple[int, str]] = {}
        for at, phrase in enumerate(caption.phrases or ()):
            if any(start <= phrase.start < end for start, (end, _) in marks.items()):
                continue  # the format has no phrases within phrases
            gold = _chain_gold(phrase)
            name = ids[_chain(phrase, number, at), gold]
            files.chains[name] = gold
            marks[phrase.start] = (phrase.end, "/".join([name, *(phrase.types or ("other",))]))
        for other in caption.metadata.get("other_phrases", ()):
            types = "/".join([NOT_VISUAL, *(other["types"] or ["notvisual"])])
            marks[other["start"]] = (other["end"], types)
        files.lines[number] = _marked(caption.tokens, marks)
    return sum(len(set(golds)) > 1 for golds in answers.values())


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
        number = int(ending) if ending.isascii() and ending.isdigit() else free
        free = max(free, number) + 1
        yield number, caption


def _part(caption: Caption, start: int, end: int) -> Caption:
    """Return the caption of a span of a joined one."""
    phrases = [_moved(p, -start) for p in caption.phrases or () if start <= p.start < end]
    others = [
        {**other, "start": other["start"] - start, "end": other["end"] - start}
        for other in caption.metadata.get("other_phrases", ())
        if start <= other["start"] < end
    ]
    metadata = {"other_phrases": others}
    return replace(caption, tokens=caption.tokens[start:end], phrases=phrases, metadata=metadata)


def _marked(tokens: Sequence[str], marks: Mapping[int, tuple[int, str]]) -> str:
    """Return the words with the phrases in brackets. `marks` has end and label by start."""
    ends = {end for end, _ in marks.values()}
    words = []
    for at, token in enumerate(tokens):
        opening = f"[/EN#{marks[at][1]} " if at in marks else ""
        words.append(f"{opening}{token}{']' if at + 1 in ends else ''}")
    return " ".join(words)


def _xml(image: str, files: _ImageFiles) -> bytes:
    root = Element("annotation")
    SubElement(root, "filename").text = image
    size = SubElement(root, "size")
    for name, value in zip(("width", "height", "depth"), (*files.size, 3), strict=True):
        SubElement(size, name).text = str(value)
    names_of_boxes: dict[Box, list[str]] = defaultdict(list)
    for chain, gold in sorted(files.chains.items()):
        for box in gold.boxes:
            names_of_boxes[box].append(chain)
        if gold.state in ("scene", "absent"):
            element = _object(root, [chain])
            is_scene = gold.state == "scene"
            SubElement(element, "scene").text = str(int(is_scene))
            SubElement(element, "nobndbox").text = str(int(not is_scene))
    for box, names in sorted(names_of_boxes.items()):
        bounds = SubElement(_object(root, names), "bndbox")
        x1, y1, x2, y2 = box
        for name, value in zip(
            ("xmin", "ymin", "xmax", "ymax"), (x1 + 1, y1 + 1, x2, y2), strict=True
        ):
            SubElement(bounds, name).text = str(value)
    indent(root)
    return bytes(tostring(root, encoding="utf-8")) + b"\n"


def _object(root: Element, names: Iterable[str]) -> Element:
    element = SubElement(root, "object")
    for name in names:
        SubElement(element, "name").text = name
    return element
