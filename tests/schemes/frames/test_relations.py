"""Relations of arguments to their verbs, in exports and against a plain second implementation."""

from pathlib import Path

import pytest

from schemes.contract.items import ItemContext
from schemes.contract.records import ExportRow
from schemes.frames.corpus import CORPUS
from schemes.frames.exports import BLIND, ENDINGS, TASK_B1, TASK_B2, blind, write_semeval
from schemes.frames.records import read_records
from schemes.frames.relations import relation_to_verb
from tests.environment import ROOT

EWT = ROOT.parent / "shared" / "data" / "ud" / "en_ewt-ud-dev.conllu"
FALLEN = """\
# sent_id = wsj
1\tPrices\tprice\tNOUN\t_\t_\t2\tnsubj\t2:nsubj|5:nsubj:xsubj\t_
2\tseem\tseem\tVERB\t_\t_\t0\troot\t0:root\t_
3\tto\tto\tPART\t_\t_\t5\tmark\t5:mark\t_
4\thave\thave\tAUX\t_\t_\t5\taux\t5:aux\t_
5\tfallen\tfall\tVERB\t_\t_\t2\txcomp\t2:xcomp\t_
6\tfrom\tfrom\tADP\t_\t_\t9\tcase\t9:case\t_
7\tWall\tWall\tPROPN\t_\t_\t9\tcompound\t9:compound\t_
8\tStreet\tStreet\tPROPN\t_\t_\t7\tflat\t7:flat\t_
9\thighs\thigh\tNOUN\t_\t_\t5\tobl\t5:obl:from\t_
"""
HEADS = {"Prices": [0], "highs": [8], "Wall Street": [6, 7], "seem": [1]}
FALL = [4]


def fail(error):
    raise error


def without_deps(text: str) -> str:
    """Return the file with an empty column DEPS."""
    lines = []
    for line in text.splitlines():
        columns = line.split("\t")
        if len(columns) == 10:
            columns[8] = "_"
        lines.append("\t".join(columns))
    return "\n".join(lines) + "\n"


def read(path: Path):
    return list(CORPUS.read_sentences(path, "conllu", fail))


def context_of(tmp_path: Path, text: str) -> ItemContext:
    path = tmp_path / "fallen.conllu"
    path.write_text(text, "utf-8")
    (sentence,) = read(path)
    return ItemContext(sentence.tokens, metadata=sentence.metadata)


def relations(context: ItemContext) -> dict[str, str]:
    return {name: relation_to_verb(head, FALL, context) for name, head in HEADS.items()}


def test_raised_subjects_have_their_enhanced_relation(tmp_path):
    assert relations(context_of(tmp_path, FALLEN)) == {
        "Prices": "nsubj:xsubj",
        "highs": "obl:from",
        "Wall Street": "rscmpx",
        "seem": "lscmpx",
    }


def test_basic_tree_has_the_relations_of_direct_dependents(tmp_path):
    assert relations(context_of(tmp_path, without_deps(FALLEN))) == {
        "Prices": "lscmpx",
        "highs": "obl",
        "Wall Street": "rscmpx",
        "seem": "lscmpx",
    }


def test_words_without_a_known_relation_have_none(tmp_path):
    text = without_deps(FALLEN).replace("\t5\tobl\t", "\t_\t_\t")
    assert relations(context_of(tmp_path, text))["highs"] == ""
    assert relation_to_verb([0], FALL, ItemContext(["It", "fell"])) == ""


def test_dependents_of_a_particle_belong_to_the_verb(tmp_path):
    context = context_of(tmp_path, FALLEN)
    assert relation_to_verb([5], [4, 8], context) == "case"
    assert relation_to_verb([0], [4, 8], context) == "nsubj:xsubj"


def test_empty_nodes_are_no_words(tmp_path):
    text = FALLEN.replace("5:obl:from", "5.1:obl:from")
    context = context_of(tmp_path, text)
    assert context.metadata["deps"][8] == []
    assert relations(context)["highs"] == "rscmpx"


def test_projected_heads_of_old_files_are_no_enhanced_dependencies(tmp_path):
    text = without_deps(FALLEN).replace("\tobl\t_\t", "\tobl\t5\t")
    assert "deps" not in context_of(tmp_path, text).metadata


def test_exported_sentences_keep_enhanced_dependencies(tmp_path):
    source = tmp_path / "fallen.conllu"
    source.write_text(FALLEN, "utf-8")
    (sentence,) = read(source)
    content = {"skip": "", "verb": FALL, "lemma": "fall", "frame": "", "arguments": []}
    paths = {ending: tmp_path / f"out.{ending}" for ending in ENDINGS}
    row = ExportRow("wsj", sentence.tokens, {}, content, [], metadata=sentence.metadata)
    write_semeval([row], paths)
    (exported,) = read(paths["conllu"])
    assert exported.metadata == sentence.metadata


def plain_relations(lines: list[list[str]], verb: list[int]) -> dict[int, str]:
    """Return the relation of each word outside the verb, from the columns of a sentence's words.

    `verb` has ids, which count from 1, as the keys of the result do.
    """
    by_word = {}
    has_deps = any(line[8] != "_" for line in lines)
    for line in lines:
        number = int(line[0])
        if number in verb:
            continue
        arcs = line[8].split("|") if has_deps else [f"{line[6]}:{line[7]}"]
        labels = dict(reversed([arc.split(":", 1) for arc in arcs if arc != "_"]))
        side = "lscmpx" if number < verb[0] else "rscmpx"
        by_word[number] = next((labels[str(at)] for at in verb if str(at) in labels), side)
    return by_word


def plain_sentences(text: str) -> list[list[list[str]]]:
    """Return the columns of words, without multiword tokens and empty nodes, by sentence."""
    return [
        [
            line.split("\t")
            for line in block.splitlines()
            if line[:1] != "#" and line.split("\t")[0].isdigit()
        ]
        for block in text.strip().split("\n\n")
    ]


@pytest.mark.skipif(not EWT.exists(), reason="needs the data of Universal Dependencies")
@pytest.mark.parametrize(("is_enhanced", "raised"), [(True, 251), (False, 0)])
def test_exported_relations_equal_those_of_a_plain_reader(tmp_path, is_enhanced, raised):
    text = EWT.read_text("utf-8")
    if not is_enhanced:
        text = without_deps(text)
    source = tmp_path / "ewt.conllu"
    source.write_text(text, "utf-8")
    rows, expected = [], []
    for sentence, lines in zip(read(source), plain_sentences(text), strict=True):
        context = ItemContext(sentence.tokens, metadata=sentence.metadata)
        for item in CORPUS.find_items(sentence.external_id, context):
            verb = item.target["verb"]
            arguments = [
                {"head": [at], "filler": "x", "element": "E", "role": "R"}
                for at in range(len(sentence.tokens))
                if at not in verb
            ]
            content = {"skip": "", "verb": verb, "lemma": "x", "frame": "F", "arguments": arguments}
            rows.append(
                ExportRow(
                    sentence.external_id,
                    sentence.tokens,
                    item.target,
                    content,
                    [],
                    metadata=sentence.metadata,
                )
            )
            if arguments:
                expected.append(plain_relations(lines, [at + 1 for at in verb]))
    assert len(rows) == 2707
    paths = {ending: tmp_path / f"out.{ending}" for ending in ENDINGS}
    write_semeval(rows, paths)
    for task in (TASK_B1, TASK_B2):
        records = list(read_records(paths[blind(task)], on_error=fail))
        exported = [
            {argument.positions[0]: argument.role for argument in record.arguments}
            for record in records
        ]
        assert exported == expected
        assert {record.frame for record in records} == {BLIND}
    labels = [label for by_word in expected for label in by_word.values()]
    assert labels.count("nsubj:xsubj") == raised
