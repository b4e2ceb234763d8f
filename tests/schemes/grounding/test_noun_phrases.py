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
    "Everyone watches Twenty-four coins and someone": {
        "Everyone": SEVERAL,
        "Twenty-four coins": (True, 24),
        "someone": ONE,
    },
    "Thirty five birds , forty - two eggs , a hundred leaves and two dozen eggs": {
        "Thirty five birds": (True, 35),
        "forty - two eggs": (True, 42),
        "a hundred leaves": (True, 100),
        "two dozen eggs": (True, 24),
    },
    "Two or three dogs follow 3-4 birds": {"Two or three dogs": SEVERAL, "3-4 birds": SEVERAL},
    "Five or more people see ten to twelve kids and a dozen or so ducks": {
        "Five or more people": SEVERAL,
        "ten to twelve kids": SEVERAL,
        "a dozen or so ducks": SEVERAL,
    },
    "A man and a motorcycle stand in front of a house .": {
        "A man": ONE,
        "a motorcycle": ONE,
        "a house": ONE,
    },
    "Two men repair a car and a bike stand .": {
        "Two men": (True, 2),
        "a car": ONE,
        "a bike stand": ONE,
    },
    "A man and woman walk on a beach": {"A man and woman": SEVERAL, "a beach": ONE},
    "The men and women watch a dog and its owner": {
        "The men and women": SEVERAL,
        "a dog": ONE,
        "its owner": ONE,
    },
    "Men and women in a two-story house": {
        "Men": SEVERAL,
        "women": SEVERAL,
        "a two-story house": ONE,
    },
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
