import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemes.contract.errors import FileError
from schemes.qasrl.conll2009 import argument_span, read_conll2009
from schemes.qasrl.propbank_arguments import PropBankArgument

# Form, part of speech, head, predicate or _, then one column per predicate.
FARMER = [
    ("The", "DT", 3, "_", "_", "_"),
    ("old", "JJ", 3, "_", "_", "_"),
    ("farmer", "NN", 8, "_", "A0", "A0"),
    ("who", "WP", 5, "_", "R-A0", "_"),
    ("grew", "VBD", 3, "grow.03", "_", "_"),
    ("apples", "NNS", 5, "_", "A1", "_"),
    ("yesterday", "RB", 8, "_", "_", "AM-TMP"),
    ("sold", "VBD", 0, "sell.01", "_", "_"),
    ("them", "PRP", 8, "_", "_", "A1"),
    ("to", "IN", 8, "_", "_", "A2"),
    ("a", "DT", 12, "_", "_", "_"),
    ("shop", "NN", 10, "_", "_", "_"),
    (".", ".", 8, "_", "_", "_"),
]


def _block(rows):
    lines = []
    for number, (form, pos, head, sense, *arguments) in enumerate(rows, start=1):
        filled = "_" if sense == "_" else "Y"
        columns = [
            number,
            form,
            form,
            form,
            pos,
            pos,
            "_",
            "_",
            head,
            head,
            "X",
            "X",
            filled,
            sense,
        ]
        lines.append("\t".join(map(str, [*columns, *arguments])))
    return "\n".join(lines) + "\n"


@pytest.fixture
def read(tmp_path):
    def read_text(text):
        path = tmp_path / "sample.conll"
        path.write_text(text, encoding="utf-8")
        errors: list[FileError] = []
        return list(read_conll2009(path, on_error=errors.append)), errors

    return read_text


def test_predicates_and_arguments_are_read_with_their_spans(read):
    (sentence,), errors = read(_block(FARMER))
    assert errors == []
    assert sentence.tokens[:3] == ("The", "old", "farmer")
    grew, sold = sentence.predicates
    assert (grew.index, grew.sense, grew.pos) == (4, "grow.03", "VBD")
    # The predicate is in the subtree of its subject, so its branch is cut off.
    assert grew.arguments == (
        PropBankArgument("A0", (0, 3)),
        PropBankArgument("R-A0", (3, 4)),
        PropBankArgument("A1", (5, 6)),
    )
    assert sold.arguments == (
        PropBankArgument("A0", (0, 6)),
        PropBankArgument("AM-TMP", (6, 7)),
        PropBankArgument("A1", (8, 9)),
        PropBankArgument("A2", (9, 12)),
    )


def test_sentences_have_their_line_numbers(read):
    no_predicate = _block([("Yes", "UH", 0, "_"), (".", ".", 1, "_")])
    sentences, errors = read(f"\n{no_predicate}\n\n{_block(FARMER)}\n{no_predicate}")
    assert errors == []
    assert [
        (len(sentence.tokens), sentence.line, len(sentence.predicates)) for sentence in sentences
    ] == [
        (2, 2, 0),
        (13, 6, 2),
        (2, 20, 0),
    ]


def test_predicate_as_its_own_argument_is_a_single_token():
    assert argument_span([1, -1, 1], head=1, predicate=1) == (1, 2)


def test_discontinuous_subtree_is_reduced_to_the_tokens_around_its_head():
    # Token 4 depends on token 0 across the predicate at 2.
    assert argument_span([2, 0, -1, 2, 0], head=0, predicate=2) == (0, 2)


@given(st.integers(0, 10**6), st.integers(1, 12))
def test_spans_include_their_head_but_not_the_predicate(seed, length):
    rng = random.Random(seed)
    order = rng.sample(range(length), length)
    heads = [-1] * length
    for place, token in enumerate(order[1:], start=1):
        heads[token] = rng.choice(order[:place])
    head, predicate = rng.randrange(length), rng.randrange(length)
    start, end = argument_span(heads, head=head, predicate=predicate)
    assert start <= head < end
    assert head == predicate or not start <= predicate < end
    for token in range(start, end):
        ancestor = token
        while ancestor != head:
            ancestor = heads[ancestor]
            assert ancestor >= 0


@pytest.mark.parametrize(
    ("change", "line", "complaint"),
    [
        (lambda rows: rows[2].__setitem__(0, "7"), 3, "ID: '7' should be 3"),
        (lambda rows: rows[3].__setitem__(8, "44"), 4, "HEAD: '44' is not a token"),
        (lambda rows: rows[3].__setitem__(8, "x"), 4, "HEAD: 'x' is not a token"),
        (lambda rows: rows[7].__setitem__(8, "9"), 8, "HEAD: the heads form a cycle"),
        (lambda rows: rows[5].pop(), 6, "has 15 columns; 16 are needed"),
        (
            lambda rows: rows[7].__setitem__(12, "_"),
            1,
            "APRED: 1 predicates are marked but there are 2",
        ),
    ],
)
def test_malformed_sentence_is_reported_and_skipped(read, change, line, complaint):
    rows = [text.split("\t") for text in _block(FARMER).splitlines()]
    change(rows)
    broken = "\n".join("\t".join(row) for row in rows)
    sentences, errors = read(f"{broken}\n\n{_block(FARMER)}")
    assert len(sentences) == 1
    (error,) = errors
    assert str(error).startswith(f"sample.conll, line {line}: ")
    assert complaint in str(error)
