"""CoNLL-U as its specification says, CoNLL-U Plus, CoNLL-X, and damaged files."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemes.conllu_files import read_conllu
from schemes.contract.errors import FileError
from schemes.contract.items import ItemContext
from schemes.frames.corpus import CORPUS, columns_of_words
from schemes.qasrl.items import find_verbs, items_of_words
from tests.environment import ROOT

UD = ROOT.parent / "shared" / "data" / "ud"


def forms(words):
    """Return metadata with what a damaged line could change."""
    names = ("form", "lemma", "upos", "head", "deprel")
    return {"words": [[word.get(name) for name in names] for word in words]}


def row(number, form, *, lemma="_", upos="_", xpos="_", head="_", deprel="_", misc="_"):
    return "\t".join([str(number), form, lemma, upos, xpos, "_", str(head), deprel, "_", misc])


def read(tmp_path, text, metadata=forms):
    path = tmp_path / "x.conllu"
    path.write_bytes(text.encode())
    errors = []
    try:
        records = list(read_conllu(path, on_error=errors.append, metadata=metadata))
    except FileError as error:
        records, errors = [], [*errors, error]
    return records, errors


def sentence(name, *rows):
    return "\n".join([f"# sent_id = {name}", *rows]) + "\n\n"


THREE = (row(1, "Ann", head=2), row(2, "sold", head=0), row(3, "hats", head=2))


@pytest.mark.parametrize(
    "rows",
    [
        ("1-2\tdu\t_\t_\t_\t_\t_\t_\t_\t_", row(1, "de"), row(2, "le"), row(3, "chat")),
        ("0.1\ta\t_\t_\t_\t_\t_\t_\t0:root\t_", row(1, "de"), row(2, "le"), row(3, "chat")),
        (row(1, "de"), row(2, "le"), row("2.1", "a"), row("2.2", "b"), row(3, "chat")),
        (row("1-2", "x"), row(1, "de"), row("1.1", "a"), row(2, "le"), row(3, "chat")),
        (row(1, "de"), row(2, "le"), row(3, "chat"), row("3.1", "a")),
    ],
)
def test_words_are_read_among_multiword_tokens_and_empty_nodes(tmp_path, rows):
    (record,), errors = read(tmp_path, sentence("a", *rows))
    assert (record.tokens, errors) == (("de", "le", "chat"), [])


@pytest.mark.parametrize(
    ("rows", "at", "message"),
    [
        ((*THREE, *THREE), 5, "a blank line is missing before this sentence"),
        ((*THREE, "# sent_id = b", *THREE), 5, "a blank line is missing"),
        (("# sent_id = b", *THREE), 2, "is a second sent_id"),
        ((THREE[0], THREE[2], THREE[1]), 3, "has the id 3 where 2 is expected"),
        ((*THREE, row(3, "hats")), 5, "has the id 3 where 4 is expected"),
        ((*THREE, row(5, "hats")), 5, "has the id 5 where 4 is expected"),
        ((row(0, "hats"),), 2, "'0' is not an id"),
        ((row("01", "hats"),), 2, "'01' is not an id"),
        ((row("١", "hats"),), 2, "is not an id"),
        ((row("2-3", "x"), *THREE), 2, "is not the id of a multiword token"),
        ((row("2-1", "x"), *THREE), 2, "is not the id of a multiword token"),
        ((row("1-2", "x"), row("1-3", "x"), *THREE), 3, "overlaps"),
        ((*THREE[:2], row("3-4", "x"), THREE[2]), 5, "a multiword token ends at 4"),
        ((THREE[0], row("2.1", "x"), *THREE[1:]), 3, "2.1 is an empty node where 1.1 is expected"),
        ((*THREE, row("3.2", "x")), 5, "3.2 is an empty node where 3.1 is expected"),
        ((*THREE[:2], row(3, "hats", head=4)), 4, "HEAD '4' is neither 0 nor the id of a word"),
        ((*THREE[:2], row(3, "hats", head=-1)), 4, "HEAD '-1' is neither"),
        ((*THREE[:2], row(3, "hats", head="x")), 4, "HEAD 'x' is neither"),
        ((*THREE[:2], row(3, "hats", head=3)), 4, "HEAD 3 is the id of the word itself"),
        ((*THREE[:2], row(3, "", head=2)), 4, "has a word without a form"),
        ((*THREE[:2], row(3, "hats", head=2, upos="")), 4, "UPOS is empty"),
        ((*THREE[:2], row(3, "hats", head=2, deprel="a b")), 4, "DEPREL contains a blank"),
        ((*THREE[:2], row(3, "ha\u2028ts", head=2)), 4, "U+2028 in the form"),
        ((*THREE[:2], row(3, "ha\x85ts", head=2)), 4, "U+0085 in the form"),
        ((*THREE[:2], row(3, "ha\x0cts", head=2)), 4, "U+000C in the form"),
        (
            (*THREE[:2], row(3, "hats").rsplit("\t", 3)[0]),
            4,
            "it has 7 columns, and 10 are expected",
        ),
        ((*THREE[:2], row(3, "hats") + "\t_"), 4, "it has 11 columns, and 10 are expected"),
        ((*THREE[:2], "3 hats"), 4, "it has 2 columns, and 10 are expected"),
        ((*THREE[:2], row(3, "hats", head=2, deprel="2")), 4, "DEPREL 2 is a number"),
        ((*THREE[:2], "3\thats\t_\t_\t_\t_\t2\t_\tobj\t_"), 4, "DEPS 'obj' begins with no number"),
        ((*THREE, "\x0c"), 5, "it has 1 column, and 10 are expected"),
    ],
)
def test_faults_are_named_and_other_sentences_are_read(tmp_path, rows, at, message):
    text = sentence("a", *rows) + sentence("z", *THREE)
    (record,), (error,) = read(tmp_path, text)
    assert (record.external_id, record.tokens) == ("z", ("Ann", "sold", "hats"))
    assert (error.line, error.message.endswith("Sentence left out.")) == (at, True)
    assert message in error.message


def test_several_words_may_be_roots_or_without_a_head(tmp_path):
    rows = (row(1, "Go", head=0, deprel="root"), row(2, "now", head=0, deprel="root"), row(3, "!"))
    (record,), errors = read(tmp_path, sentence("a", *rows), columns_of_words)
    assert (record.metadata["heads"], errors) == ([-1, -1, -1], [])


@pytest.mark.parametrize("mark", ["# newdoc", "# newdoc id = d1", "# newpar\n# newpar id = p"])
def test_marks_of_documents_may_stand_alone(tmp_path, mark):
    records, errors = read(tmp_path, f"{mark}\n\n# newdoc\n{row(1, 'Go')}\n\n# a = b\n\n")
    assert ([record.external_id for record in records], errors) == (["x:2"], [])


def test_id_that_was_joined_with_the_next_comment_is_named(tmp_path):
    records, errors = read(tmp_path, sentence("a", *THREE) + sentence("b# text = Go", *THREE))
    assert [record.external_id for record in records] == ["a"]
    assert "has a sent_id with a blank; are two lines joined?" in str(errors[0])


@pytest.mark.parametrize("comment", ["# sent_id = a", "# text = Go!"])
def test_sentence_without_words_is_named(tmp_path, comment):
    _, errors = read(tmp_path, f"{comment}\n\n{row(1, 'Go')}\n")
    assert [error.message for error in errors] == ["contains no word. Sentence left out."]


def test_text_and_blanks_in_columns_are_kept(tmp_path):
    rows = (row(1, "20 000", lemma="20  000", misc="Gloss=many  things"), row(2, "ل\u200cن"))
    (record,), errors = read(tmp_path, "# text = 20 000 ل\u200cن \n" + "\n".join(rows))
    assert (record.text, record.tokens) == ("20 000 ل\u200cن", ("20\u00a0000", "ل\u200cن"))
    assert (record.metadata["words"][0][1], errors) == ("20  000", [])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1\tAnn\tAnn\n2\tran\trun\n\n1\tGo\tgo\n", [("Ann", "ran"), ("Go",)]),
        ("1\tAnn\n2\tran\n\n1\tGo\n", [("Ann", "ran"), ("Go",)]),
        (f"{'  '.join(row(1, 'Go').split(chr(9)))}\n", [("Go",)]),
        (f"{' '.join(row(1, 'Go').split(chr(9)))}\n", [("Go",)]),
    ],
    ids=["three columns", "two columns", "two blanks", "one blank"],
)
def test_other_layouts_are_read(tmp_path, text, expected):
    records, errors = read(tmp_path, text)
    assert ([record.tokens for record in records], errors) == (expected, [])


@pytest.mark.parametrize("first", ["1\tAnn\n", "1\tAnn\n2\tran\n"])
def test_first_lines_that_are_cut_off_do_not_set_the_columns(tmp_path, first):
    records, errors = read(tmp_path, f"{first}\n{row(1, 'Go')}\n\n{row(1, 'Go')}\n")
    assert [record.tokens for record in records] == [("Go",), ("Go",)]
    assert [error.line for error in errors] == [1]


def test_declared_columns_hold_for_the_file(tmp_path):
    text = (
        "# global.columns = UPOS ID FORM X:Y\n\nN\t1\tAnn\ta b\nVERB\t2\tran\t_\n\nVERB\t1\tGo\t_\n"
    )
    records, errors = read(tmp_path, text)
    assert [record.metadata["words"] for record in records] == [
        [["Ann", None, "N", None, None], ["ran", None, "VERB", None, None]],
        [["Go", None, "VERB", None, None]],
    ]
    assert errors == []


@pytest.mark.parametrize("columns", ["ID UPOS", "FORM", "ID FORM FORM", ""])
def test_declared_columns_without_id_or_form_are_named(tmp_path, columns):
    _, errors = read(tmp_path, f"# global.columns = {columns}\n1\ta\n")
    assert "must name ID, FORM" in errors[0].message


def test_old_line_ends_are_read(tmp_path):
    text = sentence("a", *THREE)
    assert read(tmp_path, text.replace("\n", "\r")) == read(tmp_path, text)


def test_an_old_line_end_among_others_is_named(tmp_path):
    _, (error,) = read(tmp_path, sentence("a", *THREE).replace("\n", "\r", 1))
    assert (error.line, "line ends LF or CRLF" in error.message) == (1, True)


def items(tmp_path, rows):
    """Return the verbs of both schemes that read CoNLL-U."""
    text = sentence("a", *rows)
    (verbs,), errors = read(tmp_path, text, items_of_words)
    (frames,), _ = read(tmp_path, text, columns_of_words)
    assert not errors
    contexts = [ItemContext(record.tokens, metadata=record.metadata) for record in (verbs, frames)]
    return (
        [item.target["verb_idx"] for item in find_verbs("a", contexts[0])],
        [item.target["verb"] for item in CORPUS.find_items("a", contexts[1])],
    )


TAGGED = [("She", "PRP"), ("has", "VBZ"), ("n't", "RB"), ("sold", "VBN"), ("it", "PRP")]
MODAL = [("It", "PRP"), ("cannot", "MD"), ("go", "VB"), ("on", "RP"), ("being", "VBG")]


@pytest.mark.parametrize(
    ("words", "verbs", "frames"), [(TAGGED, [3], [[3]]), (MODAL, [2], [[2]])], ids=["have", "modal"]
)
@pytest.mark.parametrize("columns", [["xpos"], ["upos", "xpos"], ["upos"], []])
def test_verbs_are_found_without_universal_tags(tmp_path, words, verbs, frames, columns):
    rows = [
        row(number, form, **dict.fromkeys(columns, tag))
        for number, (form, tag) in enumerate(words, start=1)
    ]
    plain, with_particles = items(tmp_path, rows)
    assert (plain, [verb[:1] for verb in with_particles]) == (verbs, frames)


def test_particles_of_older_files_belong_to_their_verbs(tmp_path):
    rows = (row(1, "Give", xpos="VB", head=0), row(2, "up", xpos="RP", head=1, deprel="PRT"))
    assert items(tmp_path, rows) == ([0], [[0, 1]])


def test_universal_tags_without_a_verb_have_no_item(tmp_path):
    assert items(tmp_path, (row(1, "Run", upos="NOUN", xpos="VB"),)) == ([], [])


@pytest.mark.parametrize(
    ("file", "sentences", "verbs"), [("en_ewt-ud-dev", 2001, 2707), ("ar_pud-ud-test", 1000, 1750)]
)
def test_treebanks_are_read_whole(file, sentences, verbs):
    path = UD / f"{file}.conllu"
    if not path.exists():
        pytest.skip("needs the data of Universal Dependencies")
    for metadata, find in (
        (items_of_words, find_verbs),
        (columns_of_words, CORPUS.find_items),
    ):
        errors = []
        records = list(read_conllu(path, on_error=errors.append, metadata=metadata))
        verb_items = [
            item
            for record in records
            for item in find("a", ItemContext(record.tokens, metadata=record.metadata))
        ]
        assert (len(records), len(verb_items), errors) == (sentences, verbs, [])
        assert all(record.text for record in records)


def lines_of(number, size):
    """Return the lines of a sentence of distinct words, each with its head in the sentence."""
    return [
        f"# sent_id = s{number}",
        *(
            row(
                at,
                f"w{number}.{at}" if at % 3 else f"two words{at}",
                lemma=f"l{number}.{at}",
                upos="VERB" if at % 2 else "NOUN",
                head=at - 1,
                deprel="root" if at == 1 else "dep",
            )
            for at in range(1, size + 1)
        ),
    ]


def swap_ids(lines, at, other):
    cells = [line.split("\t", 1) for line in lines]
    if not lines[at] or not lines[other] or len(cells[at]) < 2 or len(cells[other]) < 2:
        return lines
    swapped = list(lines)
    swapped[at] = f"{cells[other][0]}\t{cells[at][1]}"
    swapped[other] = f"{cells[at][0]}\t{cells[other][1]}"
    return swapped


def drop_blank_line(lines, at, other):
    blanks = [place for place, line in enumerate(lines) if not line]
    place = blanks[at % len(blanks)]
    return lines[:place] + lines[place + 1 :]


def tabs_to_blanks(lines, at, other):
    return [*lines[:at], lines[at].replace("\t", " " * (1 + other % 3)), *lines[at + 1 :]]


def cut_off(lines, at, other):
    if "\t" not in lines[at]:
        return lines
    return [*lines[:at], lines[at][: 1 + other % (len(lines[at]) - 1)], *lines[at + 1 :]]


def shift_columns(lines, at, other):
    cells = lines[at].split("\t")
    place = other % len(cells)
    shifted = [*cells[:place], "_", *cells[place:]][: len(cells) + other % 2]
    return [*lines[:at], "\t".join(shifted), *lines[at + 1 :]] if len(cells) > 1 else lines


def repeat_block(lines, at, other):
    text = "\n".join(lines).split("\n\n")
    return "\n\n".join([*text[: at % len(text) + 1], *text[at % len(text) :]]).split("\n")


DAMAGES = [swap_ids, drop_blank_line, tabs_to_blanks, cut_off, repeat_block, shift_columns]


@given(
    sizes=st.lists(st.integers(2, 5), min_size=2, max_size=4),
    damage=st.sampled_from(DAMAGES),
    at=st.integers(0, 30),
    other=st.integers(0, 60),
)
def test_damage_is_named_or_changes_nothing(tmp_path_factory, sizes, damage, at, other):
    blocks = [[*lines_of(number, size), ""] for number, size in enumerate(sizes)]
    lines = [line for block in blocks for line in block]
    folder = tmp_path_factory.mktemp("c")
    intact, _ = read(folder, "\n".join(lines))
    records, errors = read(folder, "\n".join(damage(lines, at % len(lines), other % len(lines))))
    right = {record.external_id: (record.tokens, record.metadata) for record in intact}
    read_back = {record.external_id: (record.tokens, record.metadata) for record in records}
    assert read_back.items() <= right.items() if errors else read_back == right
