"""Noun phrases that the tagger finds in captions, with their number."""

import pytest

from schemes.contract.items import ItemContext
from schemes.grounding.corpus import CORPUS

ONE, SEVERAL = (False, 1), (True, None)
CAPTIONS = {
    "Three young women and a dog watch a group of children .": {
        "Three young women": (True, 3),
        "a dog": ONE,
        "a group of children": SEVERAL,
    },
    "The crowd holds a couple of large colorful balloons": {
        "The crowd": SEVERAL,
        "a couple of large colorful balloons": (True, 2),
    },
    "A pair of sunglasses and some sheep near several people": {
        "A pair of sunglasses": ONE,
        "some sheep": SEVERAL,
        "several people": SEVERAL,
    },
    "Both boys in jeans see an orange and white cat": {
        "Both boys": (True, 2),
        "jeans": ONE,
        "an orange and white cat": ONE,
    },
    "A dozen eggs and lots of flowers": {"A dozen eggs": (True, 12), "lots of flowers": SEVERAL},
    "One of the men holds 3 balls and two pairs of shoes": {
        "One of the men": ONE,
        "3 balls": (True, 3),
        "two pairs of shoes": (True, 2),
    },
    "A trio of musicians sits on top of a bench": {
        "A trio of musicians": (True, 3),
        "a bench": ONE,
    },
    "A vase of flowers and a bowl of fruit": {
        "A vase": ONE,
        "flowers": SEVERAL,
        "a bowl": ONE,
        "fruit": ONE,
    },
    "He sees her": {},
}


@pytest.mark.parametrize("caption", CAPTIONS)
def test_phrases_are_found_with_their_number(caption):
    context = ItemContext(tuple(caption.split()))
    numbers = {}
    for item in CORPUS.find_items("s", context):
        for phrase in CORPUS.complete_item(item, context).target["phrases"]:
            words = context.tokens[phrase["start"] : phrase["end"]]
            numbers[" ".join(words)] = (phrase["plural"], phrase["cardinality"])
    assert numbers == CAPTIONS[caption]
