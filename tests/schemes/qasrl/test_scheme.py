import csv
import gzip
import json
import time
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemes.contract.errors import ContentError, FileError
from schemes.contract.items import ItemContext, Suggestions
from schemes.contract.records import ExportRow, ItemRecord, Stated, StatedWords
from schemes.english.verbs import verb_forms
from schemes.registry import get_scheme

from .published_data import GOLD, SENTENCES, needs_published_data

SCHEME = get_scheme("qasrl")
CORPUS = SCHEME.corpus
TOKENS = tuple("Perry Cut the ribbon with scissors .".split())  # noqa: SIM905
TARGET = {"verb_idx": 1, "verb": "cut", "forms": verb_forms("cut").by_name()}
CONTEXT = ItemContext(TOKENS, TARGET)
SENTENCE = ItemContext(TOKENS)
GOLD_HEADER = (
    "qasrl_id,verb_idx,verb,worker_id,assign_id,source_assign_id,question,is_redundant,"
    "answer_range,answer\n"
)


def raised(error):
    raise error


# --- items


def test_items_come_from_the_tagger_or_the_sentence():
    tokens = ["He", "has", "left", "."]
    assert CORPUS.find_items("s1", ItemContext(tokens)) == [ItemRecord("s1", "2", {"verb_idx": 2})]
    given_items = {"items": [{"verb_idx": 1}]}
    assert CORPUS.find_items("s1", ItemContext(tokens, metadata=given_items)) == [
        ItemRecord("s1", "1", {"verb_idx": 1})
    ]
    assert CORPUS.find_items("s1", ItemContext(tokens, metadata={"items": []})) == []


def test_item_is_completed_with_verb_and_forms():
    item = CORPUS.complete_item(
        ItemRecord("s1", "1", {"verb_idx": 1, "verb": "?"}, 7), ItemContext(TOKENS)
    )
    assert item == ItemRecord("s1", "1", TARGET, 7)


def test_forms_of_a_file_are_kept():
    forms = {**verb_forms("cut").by_name(), "past": "cutted"}
    given_item = ItemRecord("s1", "1", {"verb_idx": 1, "forms": forms})
    assert CORPUS.complete_item(given_item, SENTENCE).target["forms"]["past"] == "cutted"


@pytest.mark.parametrize("verb_idx", [-1, 7, 10**9, None, "1", True, 1.0])
def test_item_outside_the_sentence_is_refused(verb_idx):
    with pytest.raises(ContentError, match="is on no token; the sentence has 7") as excinfo:
        CORPUS.complete_item(ItemRecord("s1", "1", {"verb_idx": verb_idx}), ItemContext(TOKENS))
    assert excinfo.value.path == "verb_idx"


def test_headline_shows_the_verb_among_its_neighbours():
    assert CORPUS.headline(CONTEXT) == "Perry [Cut] the ribbon with …"
    assert CORPUS.headline(ItemContext(TOKENS, {"verb_idx": 5})) == "… the ribbon with [scissors] ."


@pytest.mark.parametrize("kind", Suggestions)
def test_page_data_is_small_json(kind):
    context = replace(CONTEXT, suggestions=kind)
    shared = json.dumps(SCHEME.pages.shared([context]), separators=(",", ":"))
    item_data = json.dumps(SCHEME.pages.item(context), separators=(",", ":"))
    assert len(shared) + len(item_data) < 12_000
    assert list(json.loads(shared)["suggestions"]) == ([] if kind == Suggestions.OFF else [kind])
    assert set(json.loads(item_data)) == {
        "item",
        "ranking",
        "suggestions",
        "asksImplied",
    }


# --- content, which test_content.py tests in detail


def test_content_passes_through_all_steps():
    who = {"question": "who cut something", "answers": [[0, 1]]}
    what = {"question": "What was cut?", "answers": [[2, 4]]}
    sources = [
        SCHEME.content.parse_generation({"questions": questions}, CONTEXT)
        for questions in ([who, what], [who])
    ]
    assert [SCHEME.content.count_units(source, "generator") for source in sources] == [2, 1]
    rows = [group["rows"] for group in SCHEME.merging.lay_out(sources, CONTEXT)["groups"]]
    assert [[row["agrees"] for row in group] for group in rows] == [[True, True], [False]]
    judgments = [
        {**who, "source": {"submission": 0, "question": 0}, "verdict": "keep", "same_as": None},
        {**what, "source": {"submission": 0, "question": 1}, "verdict": "keep", "same_as": None},
        {**who, "source": {"submission": 1, "question": 0}, "verdict": "redundant", "same_as": 0},
    ]
    parsed = SCHEME.merging.parse({"questions": judgments}, CONTEXT, sources)
    assert SCHEME.content.count_units(parsed, "consolidator") == 3
    gold, origins = SCHEME.merging.gold_of(parsed, sources)
    assert [origin["state"] for origin in origins] == ["kept", "kept"]
    assert SCHEME.content.parse_gold(gold, CONTEXT) == gold
    comparison = SCHEME.comparison.compare(gold, sources[1], CONTEXT)
    assert comparison.measures["UA"] == {"tp": 1, "fp": 0, "fn": 1}


# --- files


def test_error_for_an_unknown_format_lists_the_formats(tmp_path):
    with pytest.raises(
        FileError, match=r"'xml' is not a format .* qasrl-csv, qasrl-bank, conllu, text"
    ):
        CORPUS.read_sentences(tmp_path / "x", "xml", raised)
    with pytest.raises(FileError, match="is not a format"):
        CORPUS.read_gold([tmp_path / "x"], "text", raised)
    with pytest.raises(FileError, match="is not a format"):
        SCHEME.exports.write([], tmp_path / "x", "text")


def gold_file(tmp_path, rows):
    path = tmp_path / "gold.csv"
    path.write_text(GOLD_HEADER + rows)
    return path


def test_rows_of_the_same_question_are_joined(tmp_path):
    path = gold_file(
        tmp_path,
        "s1,1,cut,w1,a1,Some(g1),Who cut something?,False,0:1,\n"
        "s1,1,cut,w1,a1,g2,who  cut something?,False,3:4~!~0:1,\n"
        "s1,1,cut,w1,a1,g2,What was cut?,False,2:3,\n"
        "s1,1,cut,w1,a1,g2,What got cut?,True,2:3,\n"
        "s1,2,said,,,,,,,\n",
    )
    first, second = CORPUS.read_gold([path], "qasrl-csv", raised)
    verb = StatedWords("verb", (1,), "cut", is_lemma=True, line=2)
    target = {"verb_idx": 1, "verb": "cut"}
    item = replace(first.item, stated=Stated(words=first.item.stated.words[:1]))
    assert item == ItemRecord("s1", "1", target, 2, "gold.csv", Stated(words=(verb,)))
    assert first.content == {
        "questions": [
            {"question": "Who cut something?", "answers": [[0, 1], [3, 4]]},
            {"question": "What was cut?", "answers": [[2, 3]]},
        ]
    }
    ids = {"worker_id": "w1", "assign_id": "a1"}
    assert first.provenance == [
        {
            **ids,
            "source_assign_id": "g1",
            "rows": [
                {**ids, "source_assign_id": "g1", "answers": [[0, 1]]},
                {**ids, "source_assign_id": "g2", "answers": [[3, 4], [0, 1]]},
            ],
        },
        {**ids, "source_assign_id": "g2"},
    ]
    assert second.content == {"questions": []}


def test_scattered_rows_of_a_predicate_are_gathered(tmp_path):
    path = gold_file(
        tmp_path,
        "s1,1,cut,,,,Who cut something?,False,0:1,\n"
        "s2,1,ran,,,,Who ran?,False,0:1,\n"
        "s1,1,cut,,,,What was cut?,False,2:3,\n",
    )
    records = list(CORPUS.read_gold([path], "qasrl-csv", raised))
    assert [(record.item.external_id, len(record.content["questions"])) for record in records] == [
        ("s2", 1),
        ("s1", 2),
    ]


def test_items_of_a_file_are_distinct_and_have_their_line(tmp_path):
    path = gold_file(tmp_path, "s1,1,cut,,,,A?,,0:1,\ns1,1,cut,,,,B?,,1:2,\ns1,3,ran,,,,C?,,0:1,\n")
    assert list(CORPUS.read_items([path], raised)) == [
        ItemRecord(
            "s1",
            str(at),
            {"verb_idx": at, "verb": verb},
            line,
            "gold.csv",
            Stated(words=(StatedWords("verb", (at,), verb, is_lemma=True, line=line),)),
        )
        for at, verb, line in ((1, "cut", 2), (3, "ran", 4))
    ]


def export_row(**changes):
    content = SCHEME.content.parse_gold(
        {
            "questions": [
                {"question": "Who cut something?", "answers": [[0, 1]]},
                {"question": "What might not be cut?", "answers": [[4, 6], [2, 4]]},
                {"question": "Which ribbon?", "answers": [[6, 7]]},
            ]
        },
        CONTEXT,
    )
    ids = [{"worker_id": f"w{n}", "assign_id": "a", "source_assign_id": "g"} for n in range(3)]
    return replace(ExportRow("s1", TOKENS, TARGET, content, ids), **changes)


def empty_row(**changes):
    return export_row(content={"questions": []}, provenance=[], **changes)


@pytest.mark.slow
@pytest.mark.parametrize("fmt", ["qasrl-csv", "qasrl-bank"])
def test_written_gold_is_deterministic_and_read_back_unchanged(tmp_path, fmt):
    rows = [export_row(), export_row(external_id="s2")]
    name = {"qasrl-csv": "gold.csv", "qasrl-bank": "gold.jsonl.gz"}[fmt]
    written = SCHEME.exports.write(iter(rows), tmp_path / name, fmt)
    assert written == {"qasrl-csv": 6, "qasrl-bank": 2}[fmt]
    first = (tmp_path / name).read_bytes()
    time.sleep(1.1)  # a timestamp in the file would differ
    SCHEME.exports.write(iter(rows), tmp_path / name, fmt)
    assert (tmp_path / name).read_bytes() == first
    records = list(CORPUS.read_gold([tmp_path / name], fmt, raised))
    assert [record.item.external_id for record in records] == ["s1", "s2"]
    for record in records:
        item = CORPUS.complete_item(record.item, SENTENCE)
        assert item.target == TARGET
        parsed = SCHEME.content.parse_gold(record.content, ItemContext(TOKENS, item.target))
        assert parsed == export_row().content
        assert [origin["worker_id"] for origin in record.provenance] == ["w0", "w1", "w2"]


def test_csv_has_the_published_columns_and_answers_as_text(tmp_path):
    SCHEME.exports.write(
        [export_row(), empty_row(external_id="s3")], tmp_path / "g.csv", "qasrl-csv"
    )
    with (tmp_path / "g.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 3
    assert rows[1] == {
        "qasrl_id": "s1",
        "verb_idx": "1",
        "verb": "cut",
        "worker_id": "w1",
        "assign_id": "a",
        "source_assign_id": "g",
        "question": "What might not be cut?",
        "is_redundant": "False",
        "answer_range": "2:4~!~4:6",
        "answer": "the ribbon~!~with scissors",
        "wh": "what",
        "subj": "",
        "obj": "",
        "obj2": "",
        "aux": "might",
        "prep": "",
        "verb_prefix": "not~!~be",
        "is_passive": "True",
        "is_negated": "True",
        "verb_slot_inflection": "Stem",
    }


def bank_lines(path):
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def test_bank_describes_each_question(tmp_path):
    path = tmp_path / "g.jsonl.gz"
    other = export_row(target={**TARGET, "verb_idx": 0})
    SCHEME.exports.write([export_row(), other, empty_row(external_id="s2")], path, "qasrl-bank")
    first, second = bank_lines(path)
    assert (first["sentenceId"], first["sentenceTokens"]) == ("s1", list(TOKENS))
    assert list(first["verbEntries"]) == ["0", "1"]
    entry = first["verbEntries"]["1"]
    assert (entry["verbIndex"], entry["verbInflectedForms"]) == (1, TARGET["forms"])
    assert entry["questionLabels"]["What might not be cut?"] == {
        "questionString": "What might not be cut?",
        "questionSources": ["turk-w1"],
        "answerJudgments": [{"sourceId": "turk-w1", "isValid": True, "spans": [[2, 4], [4, 6]]}],
        "questionSlots": {
            "wh": "what",
            "aux": "might",
            "subj": "_",
            "obj": "_",
            "prep": "_",
            "obj2": "_",
            "verb": "not be pastParticiple",
        },
        "tense": "might",
        "isPerfect": False,
        "isProgressive": False,
        "isNegated": True,
        "isPassive": True,
    }
    assert second["verbEntries"]["1"]["questionLabels"] == {}


def test_bank_refuses_scattered_rows_of_a_sentence(tmp_path):
    rows = [export_row(), export_row(external_id="s2"), export_row()]
    with pytest.raises(ValueError, match="must stand together"):
        SCHEME.exports.write(rows, tmp_path / "g.jsonl.gz", "qasrl-bank")


def test_bank_is_read_as_sentences_with_items(tmp_path):
    path = tmp_path / "g.jsonl.gz"
    SCHEME.exports.write([export_row()], path, "qasrl-bank")
    (sentence,) = CORPUS.read_sentences(path, "qasrl-bank", raised)
    assert (sentence.external_id, sentence.tokens) == ("s1", TOKENS)
    (item,) = CORPUS.find_items("s1", ItemContext(TOKENS, metadata=sentence.metadata))
    assert item.target == {"verb_idx": 1, "forms": TARGET["forms"]}
    assert [record.target for record in CORPUS.read_items([path], raised)] == [item.target]


def bank_entry(**changes):
    judgment = {"sourceId": "w", "isValid": True, "spans": [[0, 1]]}
    label = {"questionSources": ["turk-w"], "answerJudgments": [judgment, {"isValid": False}]}
    verb = {
        "verbIndex": 1,
        "verbInflectedForms": TARGET["forms"],
        "questionLabels": {"Who cut?": label},
    }
    entry = {"sentenceId": "s1", "sentenceTokens": list(TOKENS), "verbEntries": {"1": verb}}
    return {**entry, **changes}


def verb_entry(**changes):
    verb = bank_entry()["verbEntries"]["1"]
    return bank_entry(verbEntries={"1": {**verb, **changes}})


@pytest.mark.parametrize(
    ("entry", "field"),
    [
        ([], ""),
        (bank_entry(sentenceId=3), "sentenceId"),
        (bank_entry(sentenceId="a\0"), "sentenceId"),
        (bank_entry(sentenceTokens="text"), "sentenceTokens"),
        (bank_entry(sentenceTokens=["a", ""]), "sentenceTokens"),
        (bank_entry(sentenceTokens=["a", "\ud800"]), "sentenceTokens[1]"),
        (bank_entry(verbEntries=[]), "verbEntries"),
        (bank_entry(verbEntries={"1": 3}), "verbEntries"),
        (verb_entry(verbIndex="1"), "verbIndex"),
        (verb_entry(verbIndex=99), "verbIndex"),
        (verb_entry(verbInflectedForms={}), "verbInflectedForms"),
        (verb_entry(verbInflectedForms=None), "verbInflectedForms"),
        (verb_entry(questionLabels=None), "questionLabels"),
        (verb_entry(questionLabels={"Who?": {}}), "answerJudgments"),
        (verb_entry(questionLabels={"Who?": {"answerJudgments": 3}}), "answerJudgments"),
        (
            verb_entry(
                questionLabels={"Who?": {"answerJudgments": [{"isValid": True, "spans": 3}]}}
            ),
            "spans",
        ),
        (
            verb_entry(
                questionLabels={
                    "Who?": {"answerJudgments": [{"isValid": True, "spans": [[0, 99]]}]}
                }
            ),
            "spans",
        ),
    ],
)
def test_bad_bank_line_is_reported_and_skipped(tmp_path, entry, field):
    path = tmp_path / "bank.jsonl"
    lines = [bank_entry(sentenceId="s0"), entry, bank_entry(sentenceId="s2")]
    path.write_text("\n".join(json.dumps(line) for line in lines))
    errors = []
    records = list(CORPUS.read_gold([path], "qasrl-bank", errors.append))
    assert [record.item.external_id for record in records] == ["s0", "s2"]
    assert records[0].content == {"questions": [{"question": "Who cut?", "answers": [[0, 1]]}]}
    assert records[0].provenance[0]["worker_id"] == "w"
    assert [(error.line, error.field) for error in errors] == [(2, field)]


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (gzip.compress(b"{}\n" * 1000)[:-20], "damaged"),
        (b"\x1f\x8bnonsense", "damaged"),
        (b"x" * (9 << 20), "longer than 8 MiB"),
        (gzip.compress(b" " * (50 << 20)), "longer than 8 MiB"),
    ],
    ids=["empty", "cut short", "not gzip", "long line", "long line in gzip"],
)
def test_unreadable_bank_file_is_refused_with_a_reason(tmp_path, content, words):
    path = tmp_path / "bank.jsonl.gz"
    path.write_bytes(content)
    with pytest.raises(FileError, match=words):
        list(CORPUS.read_sentences(path, "qasrl-bank", lambda error: None))


@pytest.mark.parametrize("line", [b"[" * 100_000, b"not json", b"\xff\xfe", b'{"a": 1', b"NaN"])
def test_bank_line_without_an_object_is_reported(tmp_path, line):
    path = tmp_path / "bank.jsonl"
    path.write_bytes(line + b"\n" + json.dumps(bank_entry()).encode())
    errors = []
    sentences = list(CORPUS.read_sentences(path, "qasrl-bank", errors.append))
    assert [sentence.external_id for sentence in sentences] == ["s1"]
    assert [error.line for error in errors] == [1]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)


@given(
    st.dictionaries(st.sampled_from(["sentenceId", "sentenceTokens", "verbEntries"]), JSON),
    st.dictionaries(
        st.sampled_from(["verbIndex", "verbInflectedForms", "questionLabels"]), JSON, max_size=2
    ),
)
def test_any_bank_entry_is_read_or_reported(tmp_path_factory, changes, verb_changes):
    path = tmp_path_factory.mktemp("bank") / "bank.jsonl"
    path.write_text(json.dumps({**verb_entry(**verb_changes), **changes}))
    errors = []
    list(CORPUS.read_gold([path], "qasrl-bank", errors.append))
    list(CORPUS.read_sentences(path, "qasrl-bank", errors.append))
    assert all(error.line == 1 for error in errors)


@needs_published_data
def test_published_gold_survives_a_round_trip(tmp_path):
    tokens = {
        sentence.external_id: sentence.tokens
        for sentence in CORPUS.read_sentences(SENTENCES, "qasrl-csv", raised)
    }
    items = {(item.external_id, item.local_key) for item in CORPUS.read_items([GOLD], raised)}
    rows = []
    for record in CORPUS.read_gold([GOLD], "qasrl-csv", raised):
        sentence = tokens[record.item.external_id]
        item = CORPUS.complete_item(record.item, ItemContext(sentence))
        content = SCHEME.content.parse_gold(record.content, ItemContext(sentence, item.target))
        rows.append(ExportRow(item.external_id, sentence, item.target, content, record.provenance))
    assert {(row.external_id, str(row.target["verb_idx"])) for row in rows} == items
    questions = [question for row in rows for question in row.content["questions"]]
    assert len(rows) == 1264
    assert len(questions) == 3713
    assert sum(len(question["answers"]) for question in questions) == 4315
    assert all(question["slots"] for question in questions)
    assert SCHEME.exports.write(rows, tmp_path / "out.csv", "qasrl-csv") == 3713
    records_read = list(CORPUS.read_gold([tmp_path / "out.csv"], "qasrl-csv", raised))
    assert [record.content for record in records_read] == [row.content for row in rows]
