"""Strategies that earn money without work: eight for each scheme.

A strategy returns the content of an item from what its page shows. It may know everything about the
template and the pay, and reads neither the sentence nor the picture.
"""

from collections.abc import Callable, Mapping
from itertools import count
from random import Random

from schemes.contract.items import ItemContext
from schemes.contract.values import Json

# `previous` are the strategy's own contents so far.
Strategy = Callable[[ItemContext, Random, list[Json]], Json]

# --- questions and answers

_TEMPLATES = (
    "Who {past} something?",
    "What did someone {stem}?",
    "Where did someone {stem} something?",
    "When did someone {stem} something?",
    "Why did someone {stem} something?",
    "How did someone {stem} something?",
    "Who might {stem} something?",
    "What might someone {stem}?",
    "Where might someone {stem} something?",
    "When might someone {stem} something?",
    "Why might someone {stem} something?",
    "How might someone {stem} something?",
)
_PARAPHRASES = (
    "Who {past} something?",
    "Who might {stem} something?",
    "Who would {stem} something?",
    "Who should {stem} something?",
    "Who will {stem} something?",
    "Who didn't {stem} something?",
)


def _asked(context: ItemContext, templates: tuple[str, ...], spans: list[tuple[int, int]]) -> Json:
    """Return the questions whose answers share no word, because the page refuses others."""
    forms, taken, questions = context.target["forms"], set[int](), []
    for text, span in zip(templates, spans, strict=True):
        words = set(range(*span))
        if not taken & words:
            taken |= words
            question = text.format(past=forms["past"], stem=forms["stem"])
            questions.append({"question": question, "answers": [list(span)]})
    return {"questions": questions}


def _evenly(context: ItemContext, number: int) -> list[tuple[int, int]]:
    length = len(context.tokens)
    places = [min(length - 1, at * length // number) for at in range(number)]
    return [(place, place + 1) for place in places]


def _random_spans(context: ItemContext, dice: Random, number: int) -> list[tuple[int, int]]:
    length = len(context.tokens)
    starts = [dice.randrange(length) for _ in range(number)]
    return [(start, min(length, start + dice.randint(1, 4))) for start in starts]


def ask_nothing(context: ItemContext, dice: Random, previous: list[Json]) -> Json:
    return {"questions": [], "no_question": "There is nothing to ask."}


def ask_templates(context: ItemContext, dice: Random, previous: list[Json]) -> Json:
    """Ask six templates, with one-word answers at equal distances."""
    return _asked(context, _TEMPLATES[:6], _evenly(context, 6))


def ask_most(context: ItemContext, dice: Random, previous: list[Json]) -> Json:
    return _asked(context, _TEMPLATES, _random_spans(context, dice, len(_TEMPLATES)))


def ask_with_whole_sentences(context: ItemContext, dice: Random, previous: list[Json]) -> Json:
    return _asked(context, _TEMPLATES[:6], [(0, len(context.tokens))] * 6)


def ask_with_random_spans(context: ItemContext, dice: Random, previous: list[Json]) -> Json:
    return _asked(context, _TEMPLATES[:6], _random_spans(context, dice, 6))


def ask_about_neighbours(context: ItemContext, dice: Random, previous: list[Json]) -> Json:
    """Mark the words around the verb, where arguments often are."""
    verb, length = context.target["verb_idx"], len(context.tokens)
    places = [verb + at for at in (-2, -1, 1, 2, 3, 4) if 0 <= verb + at < length]
    return _asked(context, _TEMPLATES[: len(places)], [(place, place + 1) for place in places])


def ask_paraphrases(context: ItemContext, dice: Random, previous: list[Json]) -> Json:
    """Ask the same question in six ways, each with another word as the answer."""
    return _asked(context, _PARAPHRASES, _evenly(context, 6))


def copy_previous_answers(context: ItemContext, dice: Random, previous: list[Json]) -> Json:
    """Copy the positions of the previous answers, shifted by a word."""
    if not previous:
        return ask_with_random_spans(context, dice, previous)
    length = len(context.tokens)
    starts = [question["answers"][0][0] for question in previous[-1]["questions"]]
    spans = [((start + 1) % length, (start + 1) % length + 1) for start in starts]
    return _asked(context, _TEMPLATES[: len(spans)], spans)


# --- frames

# The most frequent roles.
_ROLES = ("Agent", "Theme", "Patient", "Topic", "Recipient", "Source")


def _record(context: ItemContext, heads: list[list[int]], dice: Random | None = None) -> Json:
    """Return a record of the heads in the first frame, with its core elements and frequent roles."""
    lexicon, lemma = context.resources["lexicon"], context.target["lemma"]
    frames = lexicon["frames"]
    fitting = [name for name, frame in frames.items() if f"{lemma}.v" in frame["units"]]
    frame = (fitting or list(frames))[0]
    core = [element["name"] for element in frames[frame]["elements"] if element["core"] == "Core"]
    known = [role["name"] for role in lexicon["roles"]]
    roles = [role for role in _ROLES if role in known]
    if dice:
        dice.shuffle(core)
        dice.shuffle(roles)
    return {
        "skip": "",
        "verb": context.target["verb"],
        "lemma": lemma,
        "frame": frame,
        "understood": True,
        "confidence": 5,
        "arguments": [
            {
                "head": head,
                "element": core[at] if at < len(core) else "",
                "role": roles[at % len(roles)],
            }
            for at, head in enumerate(heads)
        ],
    }


def skip_everything(context: ItemContext, dice: Random, previous: list[Json]) -> Json:
    return _record(context, []) | {"skip": "no-frame", "frame": ""}


def choose_the_first_frame(context: ItemContext, dice: Random, previous: list[Json]) -> Json:
    return _record(context, [])


def mark_every_word(context: ItemContext, dice: Random, previous: list[Json]) -> Json:
    return _record(context, [[at] for at in range(min(60, len(context.tokens)))])


def mark_random_words(context: ItemContext, dice: Random, previous: list[Json]) -> Json:
    places = dice.sample(range(len(context.tokens)), min(6, len(context.tokens)))
    return _record(context, [[place] for place in sorted(places)], dice)


def mark_neighbours(context: ItemContext, dice: Random, previous: list[Json]) -> Json:
    verb = context.target["verb"][0]
    places = [verb + at for at in (-2, -1, 1, 2, 3, 4) if 0 <= verb + at < len(context.tokens)]
    return _record(context, [[place] for place in places])


def mark_the_whole_sentence(context: ItemContext, dice: Random, previous: list[Json]) -> Json:
    return _record(context, [list(range(len(context.tokens)))])


def mark_repeats(context: ItemContext, dice: Random, previous: list[Json]) -> Json:
    """Mark the words before the verb in six overlapping heads."""
    verb = max(1, context.target["verb"][0])
    heads = [list(range(start, verb)) for start in range(max(0, verb - 6), verb)]
    return _record(context, heads)


def copy_previous_heads(context: ItemContext, dice: Random, previous: list[Json]) -> Json:
    if not previous:
        return mark_random_words(context, dice, previous)
    length = len(context.tokens)
    heads = {(argument["head"][0] + 1) % length for argument in previous[-1]["arguments"]}
    return _record(context, [[head] for head in sorted(heads)])


# --- boxes


def _grounding(context: ItemContext, boxes: Callable[[int], list[list[int]]]) -> Json:
    """Return the boxes of each phrase by its position, and "absent" for a phrase without any."""
    phrases = []
    for at, phrase in enumerate(context.target["phrases"]):
        own = sorted({tuple(box) for box in boxes(at)})
        state = "boxes" if own else "absent"
        phrases.append({"id": phrase["id"], "state": state, "boxes": [list(box) for box in own]})
    return {"phrases": phrases}


def _size(context: ItemContext) -> tuple[int, int]:
    assert context.image
    return context.image.width, context.image.height


def call_everything_absent(context: ItemContext, dice: Random, previous: list[Json]) -> Json:
    return _grounding(context, lambda at: [])


def draw_tiny_boxes(context: ItemContext, dice: Random, previous: list[Json]) -> Json:
    """Draw a grid of boxes of 8 pixels, as many as a caption may have."""
    width, _ = _size(context)
    most = min(50, 200 // max(1, len(context.target["phrases"])), width // 10)
    return _grounding(context, lambda at: [[10 * x, 0, 10 * x + 8, 8] for x in range(most)])


def draw_the_whole_picture(context: ItemContext, dice: Random, previous: list[Json]) -> Json:
    width, height = _size(context)
    return _grounding(context, lambda at: [[0, 0, width, height]])


def draw_random_boxes(context: ItemContext, dice: Random, previous: list[Json]) -> Json:
    width, height = _size(context)

    def box(at: int) -> list[list[int]]:
        x, y = dice.randrange(width // 2), dice.randrange(height // 2)
        return [[x, y, x + dice.randint(10, width // 2), y + dice.randint(10, height // 2)]]

    return _grounding(context, box)


def draw_the_middle(context: ItemContext, dice: Random, previous: list[Json]) -> Json:
    width, height = _size(context)
    return _grounding(
        context, lambda at: [[width // 4, height // 4, 3 * width // 4, 3 * height // 4]]
    )


def draw_halves(context: ItemContext, dice: Random, previous: list[Json]) -> Json:
    width, height = _size(context)
    left, right = [0, 0, width // 2, height], [width // 2, 0, width, height]
    return _grounding(context, lambda at: [left, right])


def draw_repeats(context: ItemContext, dice: Random, previous: list[Json]) -> Json:
    """Draw the middle again and again, each time a pixel further."""
    width, height = _size(context)
    return _grounding(
        context,
        lambda at: [
            [width // 4 + n, height // 4, 3 * width // 4 + n, 3 * height // 4] for n in range(6)
        ],
    )


def copy_previous_boxes(context: ItemContext, dice: Random, previous: list[Json]) -> Json:
    if not previous:
        return draw_random_boxes(context, dice, previous)
    width, height = _size(context)
    boxes = [
        [min(x1 + 5, width - 12), min(y1 + 5, height - 12), min(x2 + 5, width), min(y2 + 5, height)]
        for phrase in previous[-1]["phrases"]
        for x1, y1, x2, y2 in phrase["boxes"]
    ]
    numbers = count()
    return _grounding(context, lambda at: [boxes[next(numbers) % len(boxes)]] if boxes else [])


STRATEGIES: Mapping[str, tuple[Strategy, ...]] = {
    "qasrl": (
        ask_nothing,
        ask_templates,
        ask_most,
        ask_with_whole_sentences,
        ask_with_random_spans,
        ask_about_neighbours,
        ask_paraphrases,
        copy_previous_answers,
    ),
    "frames": (
        skip_everything,
        choose_the_first_frame,
        mark_every_word,
        mark_random_words,
        mark_neighbours,
        mark_the_whole_sentence,
        mark_repeats,
        copy_previous_heads,
    ),
    "grounding": (
        call_everything_absent,
        draw_tiny_boxes,
        draw_the_whole_picture,
        draw_random_boxes,
        draw_the_middle,
        draw_halves,
        draw_repeats,
        copy_previous_boxes,
    ),
}
