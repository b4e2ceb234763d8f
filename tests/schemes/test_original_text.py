"""The alignment of tokens with the text that they were written in."""

import unicodedata
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemes.conllu_files import read_conllu
from schemes.original_text import (
    align,
    align_words,
    excerpt,
    known_text,
    shown_ranges,
    shown_tokens,
    span_text,
    words_text,
)

UD = Path(__file__).resolve().parents[3] / "shared" / "data" / "ud"
QUOTE = ["He", "said", ":", "``", "I", "ca", "n't", ".", "''"]
# Letters with accents, of other scripts and beyond 16 bits, and blanks and invisible characters.
VISIBLE = st.sampled_from([*"abcABC'.,\"()-", "é", "e\u0301", "ß", "ي", "ש", "가", "の", "👩", "`"])
GAPS = st.text(st.sampled_from(" \t\n\u00a0\u200b\u200f\u3000\u00ad"), max_size=3)
WORDS = st.lists(VISIBLE, min_size=1, max_size=5).map("".join)


@given(st.lists(st.tuples(GAPS, WORDS), max_size=12), GAPS)
def test_alignment_finds_the_exact_places(parts, rest):
    text, places = "", []
    for gap, word in parts:
        text += gap
        places.append((len(text), len(text) + len(word)))
        text += word
    assert align([word for _, word in parts], text + rest) == places


@given(st.lists(st.tuples(GAPS, WORDS), min_size=1, max_size=12))
def test_alignment_ignores_the_encoding_of_accents(parts):
    words = [unicodedata.normalize("NFC", word) for _, word in parts]
    text = "".join(gap + unicodedata.normalize("NFD", word) for gap, word in parts)
    offsets = align(words, text)
    assert offsets is not None
    shown = [unicodedata.normalize("NFC", text[start:end]) for start, end in offsets]
    assert shown == words


@given(st.lists(st.tuples(GAPS, WORDS), min_size=1, max_size=8), st.integers(0, 7))
def test_other_tokens_are_not_aligned(parts, at):
    words = [word for _, word in parts]
    words.insert(min(at, len(words)), "z")
    assert align(words, "".join(gap + word for gap, word in parts)) is None


@pytest.mark.parametrize(
    ("tokens", "text", "slices"),
    [
        (QUOTE, "He said: “I can't.”", ["He", "said", ":", "“", "I", "ca", "n't", ".", "”"]),
        (QUOTE, 'He said: "I can’t."', ["He", "said", ":", '"', "I", "ca", "n’t", ".", '"']),
        (["-LRB-", "or", "not", "-RRB-"], "(or not)", ["(", "or", "not", ")"]),
        (["a", "--", "b", "..."], "a—b…", ["a", "—", "b", "…"]),
        (["1\\/2", "cup"], "1/2 cup", ["1/2", "cup"]),
        (["10\u00a0000", "km"], "10 000 km", ["10 000", "km"]),
        (["co\u00adop"], "coop", ["coop"]),
        (["soft", "ware"], "soft\u00adware", ["soft", "ware"]),
        ([], "", []),
        ([], " \n", []),
    ],
)
def test_tokens_are_aligned_with_what_they_stand_for(tokens, text, slices):
    offsets = align(tokens, text)
    assert offsets is not None
    assert [text[start:end] for start, end in offsets] == slices


@pytest.mark.parametrize(
    ("tokens", "text"),
    [
        (["He", "says"], "He said"),
        (["He", "said"], "He said so"),
        (["He", "said", "so"], "He said"),
        (["e"], "e\u0301"),
        (["said", "He"], "He said"),
        (["-LRB-"], "["),
        ([], "text"),
        (["text"], ""),
    ],
)
def test_text_of_other_words_is_not_aligned(tokens, text):
    assert align(tokens, text) is None


def test_words_of_a_written_word_share_its_range_unless_they_spell_it():
    surfaces = [("zum", ["zu", "dem"]), ("Arzt", ["Arzt"]), ("can't", ["ca", "n't"]), (".", ["."])]
    assert align_words(surfaces, "zum Arzt can't.") == [
        (0, 3), (0, 3), (4, 8), (9, 11), (11, 14), (14, 15),
    ]  # fmt: skip
    assert align_words(surfaces, "zur Arzt can't.") is None


@pytest.mark.parametrize(
    ("written", "words", "parts"),
    [
        ("zum", ["zu", "dem"], ["zu", "m"]),
        ("du", ["de", "le"], ["d", "u"]),
        ("dámelo", ["da", "me", "lo"], ["dá", "me", "lo"]),
        ("Vámonos", ["vamos", "nos"], ["Vámo", "nos"]),
        ("للولايات", ["ل", "الولايات"], ["ل", "لولايات"]),
        ("à", ["a", "a"], ["à", ""]),
        ("a\u0300", ["a", "a"], ["a\u0300", ""]),
        ("ab", ["x", "y", "z"], ["a", "b", ""]),
    ],
)
def test_parts_of_a_written_word_show_its_words_once(written, words, parts):
    text = f"({written})"
    offsets = [(0, 1), *[(1, 1 + len(written))] * len(words), (1 + len(written), len(text))]
    tokens = ["(", *words, ")"]
    ranges = shown_ranges(tokens, text, offsets)
    assert [text[start:end] for start, end in ranges] == ["(", *parts, ")"]
    assert span_text(tokens, text, offsets, 1, 2) == written
    shown = shown_tokens(tokens, text, offsets)
    assert "".join(token.gap + token.text for token in shown) == text


def test_spans_are_written_as_in_the_text():
    text = "He said:\n“I can't.”"
    offsets = align(QUOTE, text)
    assert offsets
    assert span_text(QUOTE, text, offsets, 1, 5) == "said: “I"
    assert span_text(QUOTE, text, offsets, 4, 99) == "I can't.”"
    assert words_text(QUOTE, text, offsets, [0, 1, 5, 6]) == "He said can't"
    assert words_text(QUOTE, text, offsets, [1, 4], " … ") == "said … I"
    assert excerpt(shown_tokens(QUOTE, text, offsets), marked=[5], around=2) == "… “I [ca]n't. …"
    assert span_text(QUOTE, "", (), 4, 7) == words_text(QUOTE, "", (), [4, 5, 6]) == "I ca n't"


def test_controls_of_the_direction_stay_in_the_sentence():
    text = "a \u202eb\u202c c"
    offsets = align(["a", "\u202eb\u202c", "c"], text)
    assert offsets == [(0, 1), (2, 5), (6, 7)]
    assert span_text(["a", "\u202eb\u202c", "c"], text, offsets, 1, 3) == "b c"


def test_joined_tokens_are_no_text():
    assert known_text("I ca n't .", ["I", "ca", "n't", "."]) == ""
    assert known_text(" I can't. ", ["I", "ca", "n't", "."]) == "I can't."
    assert known_text(None, ["I"]) == ""


@pytest.mark.skipif(not UD.exists(), reason="the treebanks are not here")
@pytest.mark.parametrize("name", ["en_ewt-ud-dev", "ar_pud-ud-test"])
def test_every_sentence_of_a_treebank_is_aligned(name):
    path = UD / f"{name}.conllu"
    sentences = read_conllu(path, on_error=pytest.fail, metadata=lambda words: {})
    counts = Counter((bool(record.text), bool(record.offsets)) for record in sentences)
    assert list(counts) == [(True, True)]
