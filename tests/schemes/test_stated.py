"""Comparison of what files state with what is stored."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemes.contract.errors import ContentError
from schemes.contract.items import ItemContext
from schemes.contract.records import Stated, StatedWords
from schemes.contract.values import Image
from schemes.english.lemmas import is_lemma_of
from schemes.stated import TokenMap, contradictions, same_tokens, same_words, spans_of

TOKENS = ("The", "fund", "sold", "off", "its", "bonds", ".")
word = st.text(st.characters(categories=["L", "N"]), min_size=1, max_size=6)
words = st.lists(word, min_size=1, max_size=8)


def messages(tokens=TOKENS, *, words, metadata=None) -> list[tuple[str, str]]:
    context = ItemContext(tokens, metadata=metadata or {})
    return [(found.field, found.message) for found in contradictions(Stated(words=words), context)]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("its bonds", ("its", "bonds")),
        ("ITS  bonds", ("its", "bonds")),
        ("don't", ("do", "n't")),
        ("S?o Paulo", ("São", "Paulo")),
        ("cafe\u0301", ("café",)),
        ("ﬁne", ("fine",)),
        ("STRASSE", ("Straße",)),
        ("( USGS )", ("-LRB-", "USGS", "-RRB-")),
        ('"Yes"', ("``", "Yes", "''")),
        ("“Yes”", ('"', "Yes", '"')),
        ("can’t", ("ca", "n't")),
        ("1?000", ("1?000",)),
        ("?", ("?",)),
        ("Wh? ?", ("Who", "?")),
        ("a\u00a0b", ("a", "b")),
    ],
)
def test_same_words(text, tokens):
    assert same_words(text, tokens)


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("sold", ("fund",)),
        ("?", ("a",)),
        ("?", (".",)),
        ("S?o", ("S.o",)),
        ("S??o", ("São",)),
        ("bond", ("bonds",)),
        ("", ("a",)),
        ("the fund", ("fund",)),
    ],
)
def test_other_words(text, tokens):
    assert not same_words(text, tokens)


def test_contradictions_name_what_is_stated_and_what_is_there():
    stated = (
        StatedWords("answer", (2, 3), "sold off"),
        StatedWords("answer", (1, 2), "its bonds", line=7),
        StatedWords("argument", (1, 4), "x", place="2_5"),
        StatedWords("answer", (90,), "beyond the sentence"),
    )
    assert messages(words=stated) == [
        ("answer", "1:3 is “fund sold”, not “its bonds”."),
        ("argument", "2_5 is “fund its”, not “x”."),
        ("answer", "90:91 is not in the sentence, which has 7 tokens."),
    ]


def test_words_without_positions_contradict_the_sentence():
    stated = (StatedWords("answer", (), "its bonds"), StatedWords("answer", (), ""))
    expected = "is “its bonds”, but the file has no positions of these words."
    assert messages(words=stated) == [("answer", expected)]


@pytest.mark.parametrize(
    ("lemma", "token"),
    [
        ("sell", "sold"), ("be", "'s"), ("not", "n't"), ("he", "him"), ("child", "children"),
        ("man", "men"), ("good", "better"), ("will", "wo"), ("US", "us"), ("fund", "Funds"),
        ("re-elect", "re-elected"), ("gehen", "geht"), ("data", "data"), ("%", "%"), ("be", "are"),
    ],
)  # fmt: skip
def test_lemma_of_a_word(lemma, token):
    assert is_lemma_of(lemma, token)


@pytest.mark.parametrize(
    ("lemma", "token"),
    [("sell", "off"), ("bond", "."), ("a", "an't"), ("the", "of"), ("sell", "its")],
)
def test_no_lemma_of_a_word(lemma, token):
    assert not is_lemma_of(lemma, token)


def test_lemmas_of_the_corpus_count():
    stated = (StatedWords("verb", (0, 1), "gehen_los", is_lemma=True),)
    assert messages(("ging", "los"), words=stated)
    assert not messages(("ging", "los"), words=stated, metadata={"lemmas": ["gehen", "los"]})


def test_lemmas_of_a_shifted_record_contradict_the_sentence():
    stated = (
        StatedWords("verb", (3, 4), "sell_off", is_lemma=True, place="4_5"),
        StatedWords("argument", (6,), "bond", is_lemma=True, place="7"),
    )
    assert messages(words=stated) == [
        ("verb", "4_5 is “off its”, not “sell_off”."),
        ("argument", "7 is “.”, not “bond”."),
    ]


@pytest.mark.parametrize(
    ("size", "words"),
    [((60, 40), None), ((40, 60), "it is turned"), ((30, 20), "it is resized")],
)
def test_size_of_an_image(size, words):
    context = ItemContext((), image=Image("1.jpg", 60, 40))
    found = [
        found.message for found in contradictions(Stated(image="1.jpg", image_size=size), context)
    ]
    assert bool(found) == bool(words)
    assert not words or words in found[0]


def test_name_of_an_image():
    context = ItemContext((), image=Image("a/cafe\u0301.jpg", 60, 40))
    assert not list(contradictions(Stated(image="a\\café.jpg"), context))
    (found,) = contradictions(Stated(image="b/café.jpg"), context)
    assert "names b/café.jpg" in found.message


@given(words, st.data())
def test_spans_are_moved_to_other_tokens_of_the_same_text(tokens, data):
    """Split each token at random. Every span keeps its words, or begins or ends inside a token."""
    pieces: list[str] = []
    bounds = [0]
    for token in tokens:
        cut = data.draw(st.integers(0, len(token) - 1))
        parts = [part for part in (token[:cut], token[cut:]) if part]
        pieces += parts
        bounds.append(len(pieces))
    there, back = TokenMap(tokens, pieces), TokenMap(pieces, tokens)
    start = data.draw(st.integers(0, len(tokens) - 1))
    end = data.draw(st.integers(start + 1, len(tokens)))
    moved = there.span(start, end, "answer")
    assert moved == (bounds[start], bounds[end])
    assert back.span(*moved, "answer") == (start, end)
    inner = data.draw(st.integers(0, len(pieces) - 1))
    if inner not in bounds:
        with pytest.raises(ContentError, match="inside a token"):
            back.span(inner, len(pieces), "answer")


def test_position_in_other_tokens_must_be_a_token():
    tokens = TokenMap(("I", "can't", "go"), ("I", "ca", "n't", "go"))
    assert tokens.position(2, "verb_idx") == 3
    with pytest.raises(ContentError, match="is 2 tokens here"):
        tokens.position(1, "verb_idx")


def test_other_text_can_not_be_aligned():
    with pytest.raises(ContentError, match="is not that of the sentence"):
        TokenMap(("Mary", "sold"), ("Mary", "Ann", "sold"))


@given(words)
def test_case_does_not_matter_for_tokens(tokens):
    assert same_tokens(tokens, [token.casefold() for token in tokens])
    assert not same_tokens(tokens, [*tokens, "x"])
    assert not same_tokens(tokens, [*tokens[:-1], f"{tokens[-1]}x"])


@pytest.mark.parametrize(
    ("text", "spans"),
    [
        ("its bonds", [(4, 6)]),
        ("off its", [(3, 5)]),
        ("ond", []),
        ("missing", []),
        ("", []),
        (".", [(6, 7)]),
    ],
)
def test_spans_of_a_text(text, spans):
    assert spans_of(text, TOKENS) == spans


def test_text_that_occurs_twice_has_two_spans():
    assert spans_of("the dog", ("The", "dog", "and", "the", "dog")) == [(0, 2), (3, 5)]
