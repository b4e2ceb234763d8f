"""Generated captions with phrases, chains and boxes, which are the same on each call."""

import random
from dataclasses import replace
from pathlib import Path

from schemes.contract.items import ItemContext
from schemes.contract.records import ExportRow, SentenceRecord
from schemes.contract.values import Image
from schemes.grounding.captions import Caption, CaptionPhrase
from schemes.grounding.corpus import CORPUS

SIZE = (500, 375)
WORDS = ["two", "dogs", "chase", "a", "ball", "across", "the", "meadow", "while", "people", "watch"]


def make_captions(images: int, *, seed: int = 3) -> list[Caption]:
    """Return five captions for each image. The phrases of a chain have the same gold."""
    rng = random.Random(seed)
    captions = []
    for image in range(images):
        chains = {str(1000 * image + at + 1): _gold(rng) for at in range(4)}
        name = f"{1_000_092_000 + image}.jpg"
        captions += [_caption(rng, f"{name}#{number}", name, chains) for number in range(5)]
    return captions


def _caption(rng: random.Random, external_id: str, image: str, chains: dict) -> Caption:
    tokens = tuple(rng.choices(WORDS, k=9))
    starts = sorted(rng.sample([0, 3, 6], k=rng.randint(1, 3)))
    chosen = rng.sample(sorted(chains), k=len(starts))
    phrases = []
    for at, (start, chain) in enumerate(zip(starts, chosen, strict=True)):
        state, boxes = chains[chain]
        phrases.append(
            CaptionPhrase(
                start=start,
                end=start + rng.randint(1, 3),
                id=f"p{at}",
                plural=len(boxes) > 1,
                cardinality=len(boxes) or None,
                chain=chain,
                types=("people", "animals")[: rng.randint(1, 2)],
                state=state,
                boxes=boxes,
            )
        )
    return Caption(external_id, tokens, image, phrases)


def _gold(rng: random.Random) -> tuple[str, tuple[tuple[int, int, int, int], ...]]:
    state = rng.choice(["boxes", "boxes", "boxes", "scene", "absent"])
    if state != "boxes":
        return state, ()
    boxes = set()
    for _ in range(rng.randint(1, 4)):
        x, y = rng.randrange(0, 400), rng.randrange(0, 300)
        boxes.add((x, y, x + rng.randint(5, SIZE[0] - x), y + rng.randint(5, SIZE[1] - y)))
    return state, tuple(sorted(boxes))


def with_group(captions: list[Caption]) -> list[Caption]:
    """Return the captions with the single boxes of their first phrases as groups."""
    changed = []
    for caption in captions:
        first, *others = caption.phrases
        if len(first.boxes) == 1:
            first = replace(first, state="group")
        changed.append(replace(caption, phrases=[first, *others]))
    return changed


def rows_of(captions: list[Caption]) -> list[ExportRow]:
    """Return gold rows like those that an export reads from the database."""
    rows = []
    for caption in captions:
        sentence, gold = caption.sentence(), caption.gold()
        [item] = items_of(sentence)
        rows.append(
            ExportRow(
                caption.external_id,
                caption.tokens,
                item.target,
                gold.content,
                gold.provenance,
                metadata=sentence.metadata,
                image=Image(caption.image, *SIZE),
            )
        )
    return rows


def items_of(sentence: SentenceRecord) -> list:
    context = ItemContext(sentence.tokens, metadata=sentence.metadata)
    items = CORPUS.find_items(sentence.external_id, context)
    return [CORPUS.complete_item(item, ItemContext(sentence.tokens)) for item in items]


def read_rows(paths: list[Path], fmt: str) -> dict[str, tuple]:
    """Return (tokens, image, target, content) by id, as in a project that imported the files."""
    errors: list[object] = []
    sentence_format = fmt.replace("phrases-jsonl", "captions-jsonl")
    result = {}
    for sentence in CORPUS.read_sentences(paths[0], sentence_format, errors.append):
        for item in items_of(sentence):
            result[sentence.external_id] = [sentence.tokens, sentence.image, item.target, {}]
    for gold in CORPUS.read_gold(paths, fmt, errors.append):
        result[gold.item.external_id][3] = gold.content
    assert errors == []
    return {name: tuple(values) for name, values in result.items()}


def expected_rows(captions: list[Caption]) -> dict[str, tuple]:
    return {
        row.external_id: (row.tokens, row.image.name, row.target, row.content)
        for row in rows_of(captions)
    }
