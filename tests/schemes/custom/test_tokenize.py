import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemes.custom.items import item_of_texts, join_texts, text_range
from schemes.custom.parse_definition import parse_definition
from schemes.custom.tokenize import token_offsets, tokenize
from schemes.original_text import align
from tests.schemes.custom.definitions import FULL


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("Ada met Grace's friend.", ["Ada", "met", "Grace", "'s", "friend", "."]),
        ("She doesn't re-elect him.", ["She", "does", "n't", "re-elect", "him", "."]),
        ("New York-based, 1,5 km…", ["New", "York", "-", "based", ",", "1,5", "km", "…"]),
        ("l'homme d’aujourd’hui", ["l'homme", "d’aujourd’hui"]),
        ("Mr. Ito lives at a.b@c.org", ["Mr.", "Ito", "lives", "at", "a.b@c.org"]),
        ("مرحبا، كيف حالك؟", ["مرحبا", "،", "كيف", "حالك", "؟"]),
        ("می‌خواهم", ["می‌خواهم"]),
        ("東京タワー。", ["東", "京", "タ", "ワ", "ー", "。"]),
        ("ไทย ง่าย", ["ไ", "ท", "ย", "ง่", "า", "ย"]),
        ("हिन्दी में।", ["हिन्दी", "में", "।"]),
        ("한국어 텍스트", ["한국어", "텍스트"]),
        ("e\u0301te\u0301", ["e\u0301te\u0301"]),
        ("👩‍👩‍👧 👍🏽 🇩🇪🇫🇷", ["👩‍👩‍👧", "👍🏽", "🇩🇪", "🇫🇷"]),
        ("Python言語3", ["Python", "言", "語", "3"]),
        ("a_b <script>", ["a_b", "<", "script", ">"]),
        (" \t\n", []),
        ("", []),
    ],
)
def test_tokens_of_several_scripts(text, tokens):
    assert tokenize(text) == tokens


@given(st.text(max_size=80))
def test_tokens_are_all_visible_characters_in_order(text):
    offsets = token_offsets(text)
    tokens = tokenize(text)
    assert [text[start:end] for start, end in offsets] == tokens
    assert all(token and not token.isspace() for token in tokens)
    assert all(end <= start for (_, end), (start, _) in itertools.pairwise(offsets))


@pytest.mark.parametrize("text", ["Ada met Grace.", "東京 に。", "naïve café", "a\u200bb"])
def test_offsets_are_those_of_the_shared_alignment(text):
    assert align(tokenize(text), text) == token_offsets(text)


def test_texts_are_joined_line_by_line():
    definition = parse_definition(FULL)
    joined = join_texts(definition, {"source": "Ada kennt ihn.", "translation": "آدا تعرفه."})
    assert joined.target == {"texts": {"source": [0, 4], "translation": [4, 7]}}
    assert joined.text == "Ada kennt ihn.\nآدا تعرفه."
    assert [joined.text[start:end] for start, end in joined.offsets] == list(joined.tokens)
    item = item_of_texts(definition, {"source": "Ada", "translation": ""}, "dog.png")
    assert text_range(definition, "translation", item) == (1, 1)
    assert item.metadata == {"image": "dog.png"}
