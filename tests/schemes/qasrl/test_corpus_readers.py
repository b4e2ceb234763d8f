"""Readers of plain text and CoNLL-U."""

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemes.conllu_files import read_conllu as read_conllu_with
from schemes.contract.errors import FileError
from schemes.plain_text import read_text
from schemes.qasrl.items import items_of_words


def test_ids_of_texts_are_stable(tmp_path):
    path = tmp_path / "news.txt"
    path.write_text("\ufeffOne came. Two left.\n\n  \nThree stayed.\n", encoding="utf-8")
    first = list(read_text(path, on_error=raised))
    assert [(sentence.external_id, sentence.line) for sentence in first] == [
        ("news:1:0", 1),
        ("news:1:1", 1),
        ("news:4:0", 4),
    ]
    assert first[2].tokens == ("Three", "stayed", ".")
    assert [sentence.text for sentence in first] == ["One came.", "Two left.", "Three stayed."]
    assert list(read_text(path, on_error=raised)) == first


def raised(error):
    raise error


def test_oversized_paragraph_is_reported_and_skipped(tmp_path):
    path = tmp_path / "news.txt"
    path.write_text("One came.\n" + "x " * 100_001 + "\nTwo left.\n")
    errors = []
    assert len(list(read_text(path, on_error=errors.append))) == 2
    assert [error.line for error in errors] == [2]


read_conllu = partial(read_conllu_with, metadata=items_of_words)


@pytest.mark.parametrize("content", [b"", b"\n \n", b"\x89PNG\r\n\x1a\n", b"caf\xe9 is open."])
@pytest.mark.parametrize("reader", [read_text, read_conllu])
def test_file_without_text_is_refused(tmp_path, content, reader):
    path = tmp_path / "news.txt"
    path.write_bytes(content)
    with pytest.raises(FileError):
        list(reader(path, on_error=lambda error: None))


WORD = "{}\t{}\t_\t{}\t_\t_\t0\t_\t_\t_"
GOOD = "\n".join(
    [
        "# sent_id = weblog-1",
        "# text = He didn't go.",
        WORD.format(1, "He", "PRON"),
        "2-3\tdidn't\t_\t_\t_\t_\t_\t_\t_\t_",
        WORD.format(2, "did", "AUX"),
        WORD.format(3, "n't", "PART"),
        WORD.format(4, "go", "VERB"),
        "4.1\tgo\t_\tVERB\t_\t_\t_\t_\t_\t_",
        WORD.format(5, "10 000", "NUM"),
    ]
)


def test_conllu_is_read_with_words_and_verbs(tmp_path):
    path = tmp_path / "en.conllu"
    path.write_text(f"{GOOD}\n\n\n{WORD.format(1, 'Go', 'VERB')}\n")
    first, second = read_conllu(path, on_error=raised)
    assert first.external_id == "weblog-1"
    assert first.tokens == ("He", "did", "n't", "go", "10\u00a0000")
    assert first.metadata == {"items": [{"verb_idx": 3}]}
    assert (second.external_id, second.line) == ("en:2", 12)


@pytest.mark.parametrize(
    ("block", "words"),
    [
        ("x\ty", "is not CoNLL-U"),
        ("nothing at all", "is not CoNLL-U"),
        ("# sent_id = weblog-9", "contains no word"),
        (GOOD, "is repeated"),
    ],
)
def test_bad_block_is_reported_and_skipped(tmp_path, block, words):
    path = tmp_path / "en.conllu"
    path.write_text(f"{GOOD}\n\n{block}\n\n{WORD.format(1, 'Go', 'VERB')}\n")
    errors = []
    sentences_read = list(read_conllu(path, on_error=errors.append))
    assert [sentence.external_id for sentence in sentences_read] == ["weblog-1", "en:3"]
    (error,) = errors
    assert error.line == 11
    assert words in error.message


@given(st.text(st.sampled_from("1234-. \t\n#=_aVERB"), max_size=120))
def test_any_text_is_read_or_reported(tmp_path_factory, text):
    path = tmp_path_factory.mktemp("c") / "x.conllu"
    path.write_text(text)
    errors = []
    try:
        sentences_read = list(read_conllu(path, on_error=errors.append))
    except FileError as error:
        sentences_read, errors = [], [*errors, error]
    assert sentences_read or errors
    assert all(sentence.tokens and all(sentence.tokens) for sentence in sentences_read)
