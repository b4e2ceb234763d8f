"""Captions in JSON Lines, one per line.

    {"id": "1.jpg#0", "image": "1.jpg", "tokens": ["Two", "dogs", "run", "."],
     "phrases": [{"start": 0, "end": 2, "plural": true, "cardinality": 2, "state": "boxes",
                  "boxes": [[10, 20, 60, 80], [70, 22, 118, 80]]}]}

`caption` is the text as it was written. Without `tokens`, its words are those at blanks. Without an
`id`, captions are numbered within their images. A phrase may also have `id`, `chain` and `types`.
Without `plural`, number is found by the tagger. `state` and `boxes` are gold (see
`schemes.grounding.content`).
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from schemes.contract.errors import ErrorSink, FieldError
from schemes.grounding.captions import Caption, CaptionPhrase, check_caption
from schemes.grounding.content import STATES
from schemes.json_values import json_object
from schemes.original_text import known_text
from schemes.text_lines import numbered_lines

_METADATA = ("captions", "other_phrases")


def read_captions(path: Path, on_error: ErrorSink) -> Iterator[Caption]:
    """Yield the captions of a file. Bad lines go to the error sink. Raise FileError."""
    numbers: Counter[str] = Counter()
    for line, text in numbered_lines(path):
        if not text.strip():
            continue
        try:
            caption = check_caption(_caption(json_object(text), line, path.name, numbers))
        except FieldError as error:
            on_error(error.at(path, line))
            continue
        yield caption


def write_captions(captions: Iterable[Caption], path: Path) -> int:
    """Write captions with gold, and return their number."""
    count = 0
    with path.open("w", encoding="utf-8") as file:
        for caption in captions:
            entry = {
                "id": caption.external_id,
                "image": caption.image,
                "tokens": caption.tokens,
                **({"caption": caption.text} if caption.text else {}),
                "phrases": [_written(phrase) for phrase in caption.phrases or ()],
                **caption.metadata,
            }
            file.write(json.dumps(entry, ensure_ascii=False) + "\n")
            count += 1
    return count


def _written(phrase: CaptionPhrase) -> dict[str, Any]:
    gold = {"state": phrase.state, "boxes": phrase.boxes} if phrase.state else {}
    return {**phrase.target(), **gold, **({} if phrase.complete else {"complete": False})}


def _caption(entry: dict[str, Any], line: int, file: str, numbers: Counter[str]) -> Caption:
    image = entry.get("image")
    if not isinstance(image, str) or not image:
        raise FieldError("image", "must be the name of an image file.")
    tokens = _tokens(entry)
    number = numbers[image]
    numbers[image] += 1
    external_id = entry.get("id", f"{image}#{number}")
    if not isinstance(external_id, str) or not 0 < len(external_id) <= 200:
        raise FieldError("id", "must be a text of at most 200 characters.")
    phrases = entry.get("phrases")
    if phrases is not None and not isinstance(phrases, list):
        raise FieldError("phrases", "must be a list.")
    return Caption(
        external_id,
        tokens,
        image,
        None
        if phrases is None
        else [
            phrase_of(phrase, f"phrases[{at}]", len(tokens)) for at, phrase in enumerate(phrases)
        ],
        {name: entry[name] for name in _METADATA if name in entry},
        line,
        file,
        known_text(entry.get("caption"), tokens),
    )


def _tokens(entry: dict[str, Any]) -> tuple[str, ...]:
    tokens = entry.get("tokens")
    if tokens is None and isinstance(entry.get("caption"), str):
        tokens = entry["caption"].split()
    if not isinstance(tokens, list) or not tokens:
        raise FieldError("tokens", "must be a list of words, or give the caption as a text.")
    if not all(isinstance(token, str) and token.strip() for token in tokens):
        raise FieldError("tokens", "must be a list of words.")
    return tuple(tokens)


def phrase_of(entry: Any, path: str, length: int) -> CaptionPhrase:
    """Return a phrase of a JSON object. Raise FieldError."""
    if not isinstance(entry, dict):
        raise FieldError(path, "must be an object.")
    start, end = entry.get("start"), entry.get("end")
    if type(start) is not int or type(end) is not int or not 0 <= start < end <= length:
        raise FieldError(path, f"tokens {start} to {end} don't exist; there are {length} tokens.")
    state = entry.get("state") or ("boxes" if entry.get("boxes") else "")
    if state and state not in STATES:
        raise FieldError(f"{path}.state", f"must be one of {', '.join(STATES)}.")
    return CaptionPhrase(
        start=start,
        end=end,
        id=_text(entry, "id", path),
        plural=_typed(entry, "plural", bool, path),
        cardinality=_typed(entry, "cardinality", int, path),
        chain=_text(entry, "chain", path),
        types=tuple(_texts(entry, "types", path)),
        state=state,
        boxes=tuple(_box(box, f"{path}.boxes[{at}]") for at, box in enumerate(_list(entry, path))),
        complete=_typed(entry, "complete", bool, path) is not False,
    )


def _typed(entry: dict[str, Any], name: str, kind: type, path: str) -> Any:
    value = entry.get(name)
    if value is None or type(value) is kind:
        return value
    raise FieldError(
        f"{path}.{name}", f"must be {'true or false' if kind is bool else 'a number'}."
    )


def _text(entry: dict[str, Any], name: str, path: str) -> str:
    value = entry.get(name) or ""
    if not isinstance(value, str):
        raise FieldError(f"{path}.{name}", "must be a text.")
    return value


def _texts(entry: dict[str, Any], name: str, path: str) -> list[str]:
    values = entry.get(name) or []
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise FieldError(f"{path}.{name}", "must be a list of texts.")
    return values


def _list(entry: dict[str, Any], path: str) -> list[Any]:
    boxes = entry.get("boxes") or []
    if not isinstance(boxes, list):
        raise FieldError(f"{path}.boxes", "must be a list.")
    return boxes


def _box(box: Any, path: str) -> tuple[int, int, int, int]:
    if not isinstance(box, list) or len(box) != 4 or not all(type(side) is int for side in box):
        raise FieldError(path, "must be [x1, y1, x2, y2] in whole pixels.")
    x1, y1, x2, y2 = box
    return x1, y1, x2, y2
