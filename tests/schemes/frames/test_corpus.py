"""The corpus of records, including CoNLL-U, joined record files, blind items and the sample."""

import json
from dataclasses import replace

import pytest

from schemes.contract.errors import ContentError, FileError
from schemes.contract.items import ItemContext
from schemes.contract.records import ItemRecord, Stated, StatedWords
from schemes.frames.corpus import CORPUS
from schemes.frames.exports import TASK_A, TASK_B1, TASK_B2
from schemes.frames.lexicon import LEXICON
from schemes.frames.scheme import SCHEME
from schemes.stated import contradictions
from tests.schemes.frames.corpus_files import write_corpus

SENTENCE = """\
#20671029
1\tShe\tshe\tPRON\t_\t_\t2\tnsubj\t_\t_
2\tgave\tgive\tVERB\t_\t_\t0\troot\t_\t_
3\tit\tit\tPRON\t_\t_\t2\tobj\t_\t_
4\tup\tup\tADP\t_\t_\t2\tcompound:prt\t_\t_
5\t.\t.\tPUNCT\t_\t_\t2\tpunct\t_\t_
"""


def raised(error):
    raise error


def write(tmp_path, name, text):
    path = tmp_path / name
    path.write_text(text)
    return path


def gold(paths, on_error=raised):
    return list(CORPUS.read_gold(paths, "semeval", on_error))


def test_sentences_keep_their_columns(tmp_path):
    path = write(tmp_path, "x.conllu", SENTENCE)
    (sentence,) = CORPUS.read_sentences(path, "conllu", raised)
    assert sentence.external_id == "20671029"
    assert sentence.metadata == {
        "lemmas": ["she", "give", "it", "up", "."],
        "upos": ["PRON", "VERB", "PRON", "ADP", "PUNCT"],
        "deprels": ["nsubj", "root", "obj", "compound:prt", "punct"],
        "heads": [1, -1, 1, 1, 1],
    }


def test_verbs_include_their_particles(tmp_path):
    (sentence,) = CORPUS.read_sentences(write(tmp_path, "x.conllu", SENTENCE), "conllu", raised)
    context = ItemContext(sentence.tokens, metadata=sentence.metadata)
    (item,) = CORPUS.find_items(sentence.external_id, context)
    assert (item.local_key, item.target) == ("2", {"verb": [1, 3], "lemma": "give_up"})


def test_tagger_finds_verbs_and_particles_in_plain_text():
    tokens = "She gave the whole plan up and came from Norway .".split()  # noqa: SIM905
    items = [
        CORPUS.complete_item(item, ItemContext(tokens))
        for item in CORPUS.find_items("t", ItemContext(tokens))
    ]
    assert [item.target for item in items] == [
        {"verb": [1, 5], "lemma": "give_up"},
        {"verb": [7], "lemma": "come"},
    ]


def test_files_of_the_three_tasks_are_joined(tmp_path):
    a = write(tmp_path, "a.txt", "#1 2_4 give_up.Activity_stop\n")
    b1 = write(tmp_path, "b1.txt", "#1 2_4 give_up.Activity_stop it-:-3-:-Activity\n")
    b2 = write(tmp_path, "b2.txt", "#1 2_4 give_up.na she-:-1-:-Agent it-:-3-:-Theme\n")
    blind = write(tmp_path, "blind.txt", "#1 2_4 give_up.unkn she-:-1-:-nsubj it-:-3-:-obj\n")
    confidence = write(tmp_path, "c.txt", "#1 2_4 3\n")
    (record,) = gold([b2, a, confidence, blind, b1])
    assert record.item == ItemRecord(
        "1",
        "2",
        {"verb": [1, 3], "lemma": "give_up", "fillers": {"1": "she", "3": "it"}},
        1,
        "b2.txt",
        Stated(
            words=(
                StatedWords("verb", (1, 3), "give_up", is_lemma=True, line=1, place="2_4"),
                StatedWords("argument", (0,), "she", is_lemma=True, line=1, place="1"),
                StatedWords("argument", (2,), "it", is_lemma=True, line=1, place="3"),
            )
        ),
    )
    assert record.content == {
        "skip": "",
        "verb": [1, 3],
        "lemma": "give_up",
        "frame": "Activity_stop",
        "arguments": [
            {"head": [0], "filler": "she", "element": "", "role": "Agent"},
            {"head": [2], "filler": "it", "element": "Activity", "role": "Theme"},
        ],
        "confidence": 3,
    }


@pytest.mark.parametrize(
    ("second", "words"),
    [
        ("#1 2_4 give_up.Giving", "the frame of #1 2_4 is Giving, but Activity_stop"),
        ("#1 2_4 give.Activity_stop", "the lemma of #1 2_4 is give, but give_up"),
        ("#1 2_4 give_up.Activity_stop it-:-3", "is not filler-:-position-:-role"),
        ("#1 2_4 give_up.na she-:-3-:-Theme", "the argument at 3 of #1 2_4 is she, but it in"),
        ("#1 2_4 x", "is not lemma.frame"),
        ("#1 2-4 give_up.Activity_stop", "Every record of #1 is left out."),
        ("#1 2_4 give_up.na she-:-1-:-Agent\n#1 2_4 give_up.na it-:-3-:-Theme", "is repeated"),
    ],
)
def test_record_with_a_bad_line_is_left_out_of_all_files(tmp_path, second, words):
    first = write(
        tmp_path, "a.txt", "#1 2_4 give_up.Activity_stop it-:-3-:-Activity\n#2 1 go.Motion\n"
    )
    other = write(tmp_path, "b.txt", second + "\n")
    errors = []
    (record,) = gold([first, other], errors.append)
    assert record.item.external_id == "2"
    (error,) = errors
    assert error.file == "b.txt"
    assert words in error.message
    assert error.message.endswith("left out.")


@pytest.mark.parametrize(
    ("second", "words"),
    [
        ("#1 2_4 give_up.na it-:-3-:-Theme\n#2 1 x", "is not lemma.frame"),
        ("#9 9 5", None),
    ],
)
def test_bad_line_of_another_record_is_reported_and_skipped(tmp_path, second, words):
    first = write(tmp_path, "a.txt", "#1 2_4 give_up.Activity_stop it-:-3-:-Activity\n")
    other = write(tmp_path, "b.txt", second + "\n")
    errors = []
    (record,) = gold([first, other], errors.append)
    assert record.content["frame"] == "Activity_stop"
    (error,) = errors
    assert error.file == "b.txt"
    assert (words or "there is no record of #9 9") in error.message


@pytest.mark.parametrize("text", ["", "\n\n"])
def test_file_without_a_record_is_refused(tmp_path, text):
    with pytest.raises(FileError, match="contains no record"):
        gold([write(tmp_path, "a.txt", text)])


def test_record_outside_the_sentence_is_refused():
    item = ItemRecord("1", "9", {"verb": [8], "lemma": "go"})
    with pytest.raises(ContentError, match="token 9 does not exist; the sentence has 2"):
        CORPUS.complete_item(item, ItemContext(("Go", "!")))


def test_generated_corpus_is_read_without_errors(tmp_path):
    files = write_corpus(tmp_path, records=50)
    records = gold([*files.records, files.confidence])
    assert len(records) == 50
    assert all(record.content["confidence"] for record in records)
    assert {len(record.content["verb"]) for record in records} == {1, 2}


def test_sample_matches_its_lexicon():
    sample = SCHEME.sample
    (fmt, path) = sample.resources["lexicon"]
    lexicon = LEXICON.parse(LEXICON.formats[fmt](path, None))
    sentences = {
        sentence.external_id: sentence
        for sentence in CORPUS.read_sentences(sample.sentences, sample.format, raised)
    }
    records = gold(sample.gold)
    assert len(records) >= 30
    for record in records:
        sentence = sentences[record.item.external_id]
        bare = ItemContext(sentence.tokens, metadata=sentence.metadata)
        target = CORPUS.complete_item(record.item, bare).target
        context = ItemContext(
            sentence.tokens, target, metadata=sentence.metadata, resources={"lexicon": lexicon}
        )
        parsed = SCHEME.content.parse_generation(record.content, context)
        assert parsed == record.content
    rounds = sample.rounds.read_text().splitlines()[1:]
    keys = {f"{r.item.external_id}/{r.item.local_key}" for r in records}
    assert {row.split(",")[0] for row in rounds} <= keys
    assert {TASK_A, TASK_B1, TASK_B2} == {
        path.name.removeprefix("expert.") for path in sample.gold[:3]
    }


FRAMES = "#1 2_4 give_up.Activity_stop\n#2 1 go.Motion\n#3 5 say.Statement\n"


@pytest.mark.parametrize(
    ("roles", "left"),
    [
        # Two lines that were joined
        ("#1 2_4 give_up.na it-:-3-:-Theme#2 1 go.na he-:-2-:-Agent\n#3 5 say.na I-:-1-:-Agent\n", ["3"]),
        # A line that was broken in two
        ("#1 2_4 give_up.na\nit-:-3-:-Theme\n#2 1 go.na he-:-2-:-Agent\n", ["2", "3"]),
        # A file that was cut off
        ("#1 2_4 give_up.na it-:-3-:-Theme\n#2 1 go.na he-:-2", ["1"]),
        ("2_4 give_up.na it-:-3-:-Theme\n#2 1 go.na he-:-2-:-Agent\n", ["2", "3"]),
        ("#1 2_4 give_up.na it-:-3-:-Theme\n#2 1 go.na he-:-2-:-Agent\n", ["1", "2", "3"]),
    ],
)  # fmt: skip
def test_record_that_may_have_lost_a_bad_line_is_left_out(tmp_path, roles, left):
    paths = [write(tmp_path, "a.txt", FRAMES), write(tmp_path, "b.txt", roles)]
    errors = []
    assert [record.item.external_id for record in gold(paths, errors.append)] == left
    assert bool(errors) == (len(left) < 3)


def test_two_verbs_at_one_token_leave_out_both(tmp_path):
    first = write(tmp_path, "a.txt", "#1 2_4 give_up.Activity_stop\n#2 1 go.Motion\n")
    second = write(tmp_path, "b.txt", "#1 2 give.Giving\n#2 1 go.Motion\n")
    errors = []
    (record,) = gold([first, second], errors.append)
    assert record.item.external_id == "2"
    assert "begins at the same token as" in str(errors[0])


def test_record_that_begins_within_another_may_be_that_of_a_third(tmp_path):
    frames = write(tmp_path, "a.txt", "#1 2 give.Giving\n#2 2_4 give_up.Activity_stop\n")
    roles = write(
        tmp_path, "b.txt", "#1 2 give.na he-:-1-:-Agent\n#1 2_4 give_up.na it-:-3-:-Theme\n"
    )
    errors = []
    (record,) = gold([frames, roles], errors.append)
    assert record.item.external_id == "1"
    assert len(errors) == 2


def test_confidence_that_is_repeated_otherwise_leaves_out_its_record(tmp_path):
    frames = write(tmp_path, "a.txt", FRAMES)
    confidences = write(tmp_path, "c.txt", "#1 2_4 5\n#2 1 4\n#2 1 4\n#1 2_4 3\n")
    errors = []
    assert [record.item.external_id for record in gold([frames, confidences], errors.append)] == [
        "2",
        "3",
    ]
    (error,) = errors
    assert "line 4: has another confidence than line 1." in str(error)


def test_record_of_one_file_only_names_those_that_it_may_belong_to(tmp_path):
    frames = write(tmp_path, "a.txt", FRAMES)
    roles = write(
        tmp_path, "b.txt", "#7 2_4 give_up.na it-:-3-:-Theme\n#2 1 go.na he-:-2-:-Agent\n"
    )
    by_id = {record.item.external_id: record.neighbours for record in gold([frames, roles])}
    assert by_id == {"1": (("7", "2"),), "2": (), "3": (("7", "2"),), "7": (("1", "2"), ("3", "5"))}


def test_argument_outside_the_sentence_makes_no_item():
    item = ItemRecord("1", "2", {"verb": [1], "fillers": {"1": "he", "9": "it"}})
    with pytest.raises(ContentError, match="token 9 does not exist; the sentence has 3"):
        CORPUS.complete_item(item, ItemContext(("He", "gave", "it")))


FRENCH = """\
# sent_id = f1
# text = La société a vendu ses usines, et les prix s'effondrent.
1\tLa\tle\tDET\t_\t_\t2\tdet\t_\t_
2\tsociété\tsociété\tNOUN\t_\t_\t4\tnsubj\t_\t_
3\ta\tavoir\tAUX\t_\t_\t4\taux:tense\t_\t_
4\tvendu\tvendre\tVERB\t_\t_\t0\troot\t_\t_
5\tses\tson\tDET\t_\t_\t6\tdet\t_\t_
6\tusines\tusine\tNOUN\t_\t_\t4\tobj\t_\tSpaceAfter=No
7\t,\t,\tPUNCT\t_\t_\t12\tpunct\t_\t_
8\tet\tet\tCCONJ\t_\t_\t12\tcc\t_\t_
9\tles\tle\tDET\t_\t_\t10\tdet\t_\t_
10\tprix\tprix\tNOUN\t_\t_\t12\tnsubj\t_\t_
11\ts'\tse\tPRON\t_\t_\t12\texpl\t_\tSpaceAfter=No
12\teffondrent\teffondrer\tVERB\t_\t_\t4\tconj\t_\tSpaceAfter=No
13\t.\t.\tPUNCT\t_\t_\t4\tpunct\t_\t_
"""


def test_other_languages_have_the_lemmas_of_their_file(tmp_path):
    (sentence,) = CORPUS.read_sentences(write(tmp_path, "fr.conllu", FRENCH), "conllu", raised)
    context = ItemContext(sentence.tokens, metadata=sentence.metadata)
    items = [
        CORPUS.complete_item(item, context)
        for item in CORPUS.find_items(sentence.external_id, context)
    ]
    assert [item.target for item in items] == [
        {"verb": [3], "lemma": "vendre"},
        {"verb": [11], "lemma": "effondrer"},
    ]
    frame = {"elements": [{"name": "Vendeur"}, {"name": "Biens"}], "units": ["vendre.v"]}
    lexicon = LEXICON.formats["json"](
        write(tmp_path, "fr.json", json.dumps({"frames": {"Vente": frame}})), None
    )
    [[_, _, verbs, *_]] = LEXICON.index(lexicon)["frames"]
    assert verbs == [items[0].target["lemma"]]
    files = [
        write(tmp_path, "b1.txt", "#f1 4 vendre.Vente société-:-2-:-Vendeur usine-:-6-:-Biens\n"),
    ]
    [record] = gold(files)
    assert list(contradictions(record.item.stated, context)) == []
    stored = replace(context, target=items[0].target, resources={"lexicon": lexicon})
    parsed = SCHEME.content.parse_gold(record.content, stored)
    fillers = [argument["filler"] for argument in parsed["arguments"]]
    assert (parsed["lemma"], parsed["frame"], fillers) == (
        "vendre",
        "Vente",
        ["société", "usine"],
    )
