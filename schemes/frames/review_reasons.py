"""Reasons why a person should check the arguments of a record before their bonus is paid.

`tests/schemes/frames/test_review_reasons.py` measures how many records of people have one.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby

from schemes.contract.content import CheckedWork, ReviewReason
from schemes.contract.items import ItemContext
from schemes.contract.texts import Translatable
from schemes.contract.values import Json, Noun
from schemes.frames.content import CORE
from schemes.review_reasons import are_equally_spaced, more_than_others

ARGUMENT = Noun("argument", "arguments")
# From this number on, arguments are compared with the words of the sentence.
SEVERAL = 5
MAX_WORDS = 0.6  # of the words beside the verb
NEIGHBOURS = 4  # consecutive words that are arguments of their own
SHARING = 3  # arguments with the same word
BEYOND_CORE = 5  # arguments beyond the number of the frame's core elements


def review_reasons(work: CheckedWork) -> list[ReviewReason]:
    """Return the reasons to review an annotator's arguments. Others judge those of annotators."""
    record = work.content
    if work.role != "generator" or not record["arguments"]:
        return []
    heads = sorted(argument["head"] for argument in record["arguments"])
    return [
        *_nearly_all_words(heads, record, work.context),
        *_neighbours(heads, work.context),
        *_equal_distances(heads),
        *_shared_words(heads, work.context),
        *_beyond_core(record, work.context),
        *more_than_others(
            len(heads), (len(other.get("arguments", ())) for other in work.others), ARGUMENT
        ),
    ]


def _nearly_all_words(
    heads: Sequence[Sequence[int]], record: Json, context: ItemContext
) -> Iterator[ReviewReason]:
    verb = set(record["verb"])
    words = {at for at, token in enumerate(context.tokens) if token[:1].isalnum()} - verb
    marked = {at for head in heads for at in head} & words
    if len(heads) >= SEVERAL and len(marked) >= MAX_WORDS * len(words):
        text = Translatable(
            "%(marked)s of the %(words)s words beside the verb are arguments.",
            marked=len(marked),
            words=len(words),
        )
        yield ReviewReason("nearly-all-words", text)


def _neighbours(heads: Sequence[Sequence[int]], context: ItemContext) -> Iterator[ReviewReason]:
    """Report neighbouring words that are arguments of their own, such as each word of a phrase."""
    single = sorted({head[0] for head in heads if len(head) == 1})
    for _, group in groupby(enumerate(single), lambda place: place[1] - place[0]):
        run = [at for _, at in group]
        if len(run) >= NEIGHBOURS:
            words = context.span_text(run[0], run[-1] + 1)
            text = Translatable("Each word of “%(words)s” is an argument of its own.", words=words)
            yield ReviewReason("neighbours", text)
            return


def _equal_distances(heads: Sequence[Sequence[int]]) -> Iterator[ReviewReason]:
    if len(heads) >= SEVERAL and are_equally_spaced([head[0] for head in heads]):
        text = Translatable(
            "%(count)s arguments are at equal distances in the sentence.", count=len(heads)
        )
        yield ReviewReason("equal-distances", text)


def _shared_words(heads: Sequence[Sequence[int]], context: ItemContext) -> Iterator[ReviewReason]:
    counts = Counter(at for head in heads for at in set(head))
    ((word, count),) = counts.most_common(1)
    if count >= SHARING:
        text = Translatable(
            "“%(word)s” is part of %(count)s arguments.",
            word=context.words_text([word]),
            count=count,
        )
        yield ReviewReason("shared-words", text)


def _beyond_core(record: Json, context: ItemContext) -> Iterator[ReviewReason]:
    """Report many more arguments than core elements. Without the lexicon's frame, there are none."""
    lexicon = context.resources.get("lexicon")
    frame = lexicon["frames"].get(record["frame"]) if lexicon else None
    if frame is None:
        return
    core = sum(element["core"] in CORE for element in frame["elements"])
    count = len(record["arguments"])
    if count > core + BEYOND_CORE:
        text = Translatable(
            "%(arguments)s arguments. The frame %(frame)s has %(count)s core element.",
            plural="%(arguments)s arguments. The frame %(frame)s has %(count)s core elements.",
            arguments=count,
            frame=record["frame"],
            count=core,
        )
        yield ReviewReason("beyond-core", text)
