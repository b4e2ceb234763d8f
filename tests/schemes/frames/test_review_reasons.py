"""Arguments that a person checks before their bonus is paid."""

import json
from collections import Counter

import pytest

from schemes.contract.content import CheckedWork
from schemes.contract.errors import refuse
from schemes.contract.items import ItemContext
from schemes.contract.values import Json
from schemes.frames.content import parse_generation, parse_gold
from schemes.frames.pay import ARGUMENTS_WITHOUT_REVIEW
from schemes.frames.review_reasons import review_reasons
from schemes.registry import get_scheme
from schemes.simulated_person import Person
from tests.environment import ROOT
from tests.schemes.frames.projects import SAMPLE
from tests.schemes.qasrl.test_review_reasons import DATA, published_gold

UD = DATA.parent / "ud" / "en_ewt-ud-dev.conllu"
LEXICON = {"frames": json.loads(SAMPLE.read_text("utf-8"))["frames"], "roles": [{"name": "Theme"}]}
TOKENS = ["The", "old", "fund", "sold", *(f"thing{at}" for at in range(60)), "."]
CONTEXT = ItemContext(TOKENS, {"verb": [3], "lemma": "sell"})
WITH_LEXICON = ItemContext(TOKENS, CONTEXT.target, resources={"lexicon": LEXICON})


def record(*heads: list[int], frame: str = "Commerce_sell") -> Json:
    arguments = [{"head": head, "role": "Theme"} for head in heads]
    return {"frame": frame, "arguments": arguments, "confidence": 4}


def codes(*heads: list[int], context: ItemContext = CONTEXT, others=(), role="generator"):
    parsed = parse_generation(record(*heads), context)
    return [reason.code for reason in review_reasons(CheckedWork(parsed, context, role, others))]


def test_sixty_arguments_need_review():
    """As many as the content allows, on every word of the sentence."""
    parsed = parse_generation(record(*([at] for at in range(4, 64))), WITH_LEXICON)
    other = parse_generation(record([2], [4]), WITH_LEXICON)
    found = review_reasons(CheckedWork(parsed, WITH_LEXICON, "generator", [other]))
    assert [reason.code for reason in found] == [
        "nearly-all-words",
        "neighbours",
        "equal-distances",
        "beyond-core",
        "more-than-others",
    ]
    assert [reason.text for reason in found if reason.code != "neighbours"] == [
        "60 of the 63 words beside the verb are arguments.",
        "60 arguments are at equal distances in the sentence.",
        "60 arguments. The frame Commerce_sell has 2 core elements.",
        "60 arguments, where another annotator has 2.",
    ]


@pytest.mark.parametrize(
    ("heads", "expected"),
    [
        ([[2], [4]], []),
        ([[0, 1, 2], [4], [9], [14, 15], [30]], []),
        # Each word of a phrase instead of its head
        ([[2], [10], [11], [12]], []),
        ([[2], [10], [11], [12], [13]], ["neighbours"]),
        ([[4], [7], [10], [13]], []),
        ([[4], [7], [10], [13], [16]], ["equal-distances"]),
        # The same word with others
        ([[4], [4, 5]], []),
        ([[4], [4, 5], [4, 6]], ["shared-words"]),
    ],
)
def test_patterns_need_review(heads, expected):
    assert codes(*heads) == expected


def test_short_sentence_may_consist_of_arguments():
    short = ItemContext(TOKENS[:8], CONTEXT.target)
    assert codes([2], [4], [5], context=short) == []
    assert codes([0], [2], [4], [5], [7], context=short) == ["nearly-all-words"]


def test_arguments_beyond_the_core_need_a_frame_of_the_lexicon():
    heads = [[0], [2], [4], [9], [11], [20], [33], [41]]  # two core elements, and six more
    assert codes(*heads[:7], context=WITH_LEXICON) == []
    assert codes(*heads, context=WITH_LEXICON) == ["beyond-core"]
    assert codes(*heads) == []


@pytest.mark.parametrize(
    ("others", "expected"),
    [
        ([], []),
        ([0], []),  # skipped
        ([1], ["more-than-others"]),
        ([2], []),
        ([0, 1], ["more-than-others"]),
        ([1, 2], []),
    ],
)
def test_arguments_are_compared_with_those_of_others(others, expected):
    heads = [[0], [2], [4], [9], [11], [20], [33]]
    contents = [parse_gold(record(*heads[:count]), CONTEXT) for count in others]
    assert codes(*heads, others=contents) == expected


def test_judged_arguments_need_no_review():
    assert codes(*([at] for at in range(4, 34)), role="consolidator") == []
    skipped = {"skip": "other", "arguments": []}
    assert review_reasons(CheckedWork(skipped, CONTEXT, "generator")) == []


# --- how rarely people's work needs review


def test_expert_gold_and_simulated_work_need_no_review():
    """The 39 records of the sample, and 20 simulated annotators of each."""
    scheme, samples = get_scheme("frames"), ROOT / "schemes/frames/samples"
    sentences = scheme.corpus.read_sentences(samples / "sentences.conllu", "conllu", refuse)
    by_id = {sentence.external_id: sentence for sentence in sentences}
    lexicon = scheme.resources["lexicon"]
    value = lexicon.parse(lexicon.formats["json"](SAMPLE, None))
    gold = list(scheme.corpus.read_gold(scheme.sample.gold, "semeval", refuse))
    assert len(gold) == 39
    held: Counter[str] = Counter()
    for row in gold:
        sentence = by_id[row.item.external_id]
        bare = ItemContext(sentence.tokens, metadata=sentence.metadata)
        target = scheme.corpus.complete_item(row.item, bare).target
        context = ItemContext(sentence.tokens, target, resources={"lexicon": value})
        reference = scheme.content.parse_gold(row.content, context)
        people = [
            scheme.get_simulation().generate(
                reference, context, Person.drawn(0.8, f"{seed}"), f"{seed}"
            )
            for seed in range(20)
        ]
        for own in (reference, *people):
            others = [people[0], people[1]]
            held.update(reason.code for reason in review_reasons(_work(own, context, others)))
    assert held == {}


def _work(content: Json, context: ItemContext, others=()) -> CheckedWork:
    return CheckedWork(content, context, "generator", others)


@pytest.mark.skipif(not DATA.exists(), reason="the published files are missing")
def test_arguments_of_published_questions_are_rarely_held():
    """The last word of each answer of the QA-SRL gold is the head of an argument."""
    held: Counter[str] = Counter()
    for content, context, _ in published_gold():
        answers = [span for question in content["questions"] for span in question["answers"]]
        heads = [[end - 1] for _, end in sorted(answers)]
        held.update(_codes_of_heads(heads, [context.target["verb_idx"]], context))
        held["records"] += 1
    assert held == {"records": 1264, "units": 6, "beyond-core": 11, "any": 11}  # 0.9 %


@pytest.mark.skipif(not UD.exists(), reason="the published treebank is missing")
def test_dependents_of_verbs_in_a_treebank_are_rarely_held():
    """Participants, adverbs and clauses of each verb are arguments."""
    relations = {
        *("nsubj", "nsubj:pass", "csubj", "obj", "iobj", "ccomp", "xcomp", "advcl", "advmod"),
        *("obl", "obl:agent", "obl:npmod", "obl:tmod", "obl:unmarked"),
    }
    held: Counter[str] = Counter()
    for block in UD.read_text("utf-8").strip().split("\n\n"):
        rows = [line.split("\t") for line in block.splitlines() if line[:1].isdigit()]
        words = [row for row in rows if row[0].isdigit()]
        context = ItemContext([row[1] for row in words])
        for verb in (row for row in words if row[3] == "VERB"):
            heads = [
                [int(row[0]) - 1] for row in words if row[6] == verb[0] and row[7] in relations
            ]
            held.update(_codes_of_heads(heads, [int(verb[0]) - 1], context))
            held["records"] += 1
    assert held == {"records": 2707, "nearly-all-words": 4, "any": 4}  # 0.1 %


def _codes_of_heads(heads: list[list[int]], verb: list[int], context: ItemContext) -> set[str]:
    """Return why a record with these heads would be held. A frame has two core elements."""
    content = {"verb": verb, "frame": "Commerce_sell", "arguments": [{"head": at} for at in heads]}
    work = _work(content, ItemContext(context.tokens, resources={"lexicon": LEXICON}))
    codes = {reason.code for reason in review_reasons(work)}
    if len(heads) > ARGUMENTS_WITHOUT_REVIEW:
        codes.add("units")
    return codes | ({"any"} if codes else set())
