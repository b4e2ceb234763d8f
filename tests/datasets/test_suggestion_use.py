"""Typed and picked questions, as the manifest, the data card and the statistics report them."""

import json

import pytest

from annotation.domain.work.drafts import PageState
from consolidation.domain.experts.expert_queues import take_next
from consolidation.domain.experts.expert_work import (
    open_correction,
    open_queued,
    submit_correction,
    submit_queued,
)
from consolidation.domain.experts.monitor import request_review
from consolidation.models import Case, Gold
from datasets.domain.exports.export_gold import ExportOptions, export_gold
from datasets.domain.exports.statistics import statistics_of
from datasets.domain.quality.suggestion_use import suggestion_use
from projects.enums import MemberRole
from projects.models import Membership, Project
from schemes.registry import get_scheme
from tests.consolidation.experts import make_expert, make_queue
from tests.consolidation.factories import (
    IDENTIFIED,
    SURVEY,
    make_generation,
    make_item,
    make_project,
    source,
)
from tests.consolidation.gold import make_gold_project
from tests.crowd.factories import NOW

pytestmark = pytest.mark.django_db


def asked(*ranks: int | None):
    """Return an annotator's content with a question per rank."""
    texts = (
        "Who identified something?",
        "What did someone identify?",
        "When did someone identify it?",
    )
    words = ("the U.S. Geological Survey", "a basin", "1996")
    content = source(SURVEY, *((text, [word]) for text, word in zip(texts, words, strict=True)))
    questions = content["questions"][: len(ranks)]
    questions[-1]["question"] = questions[-1]["question"].replace(" it?", " something?")
    for question, rank in zip(questions, ranks, strict=True):
        question["picked"] = rank
    return {**content, "questions": questions}


@pytest.fixture
def project() -> Project:
    project = make_project()
    item = make_item(SURVEY, IDENTIFIED, project)
    make_generation(item, asked(1, 3, None))
    make_generation(item, asked(1, None))
    return project


def test_use_counts_questions_by_rank(project):
    use = suggestion_use(project=project)
    assert (use.setting, use.typed, use.picked) == ("by-partition", 2, {1: 2, 3: 1})
    assert use.share_picked == 0.6


def own_question(rank, *, at):
    """Return one of the three questions, as a consolidator or an expert writes it."""
    question = asked(rank, rank, rank)["questions"][at]
    return {**question, "source": None, "verdict": "keep", "same_as": None}


def by_page(item, content) -> PageState:
    return PageState(revision=0, content={str(item.pk): content})


def judged(page, own):
    """Return the page's consolidation, which judges every question invalid and adds one of its own."""
    [item] = page["items"]
    questions = [
        {
            **question,
            "source": {"submission": at, "question": number},
            "verdict": "invalid",
            "same_as": None,
        }
        for at, source in enumerate(item["sources"])
        for number, question in enumerate(source["questions"])
    ]
    return {"questions": [*questions, own]}


def test_questions_of_experts_are_counted_in_annotations_merges_and_corrections(project):
    expert = make_expert("eva")
    Membership.objects.create(project=project, user=expert, role=MemberRole.EXPERT)
    own = make_item(SURVEY, IDENTIFIED, project)
    queue = make_queue(project, [own], kind="annotate", sources=(), makes_gold=True)
    queued = take_next(queue=queue, expert=expert, now=NOW)
    submit_queued(queued=queued, expert=expert, state=by_page(own, asked(4)), now=NOW)
    assert suggestion_use(project=project).picked == {1: 2, 3: 1, 4: 1}

    merged = project.items.exclude(pk=own.pk).get()
    queue = make_queue(project, [merged])
    queued = take_next(queue=queue, expert=expert, now=NOW)
    content = judged(open_queued(queued=queued, expert=expert, now=NOW), own_question(5, at=0))
    assert suggestion_use(project=project).picked == {1: 2, 3: 1, 4: 1}
    submit_queued(queued=queued, expert=expert, state=by_page(merged, content), now=NOW)
    assert suggestion_use(project=project).picked == {1: 2, 3: 1, 4: 1, 5: 1}

    gold = Gold.objects.get(item=merged)
    review = request_review(gold=gold, actor="eva", now=NOW)
    content = judged(open_correction(review=review, expert=expert), own_question(None, at=1))
    submit_correction(review=review, expert=expert, state=by_page(merged, content), now=NOW)
    use = suggestion_use(project=project)
    assert (use.typed, use.picked) == (3, {1: 2, 3: 1, 4: 1, 5: 1})


def test_questions_without_a_record_are_not_counted():
    project = make_project()
    content = source(SURVEY, ("Who identified something?", ["USGS"]))
    submission = make_generation(make_item(SURVEY, IDENTIFIED, project), content)
    assert "picked" not in submission.content["questions"][0]
    use = suggestion_use(project=project)
    assert (use.recorded, use.share_picked) == (0, None)
    assert "typed or picked" not in str(statistics_of(project=project).tables)


def test_scheme_without_suggestions_has_no_use(project):
    project.scheme = "frames"
    assert suggestion_use(project=project) is None


def test_statistics_have_a_row_per_rank(project):
    table = statistics_of(project=project).tables[-1]
    assert table.caption == "Questions typed or picked"
    assert [tuple(row) for row in table.rows] == [
        ("typed", 2, "40.0"),
        ("picked, suggestion 1", 2, "40.0"),
        ("picked, suggestion 3", 1, "20.0"),
    ]


def test_card_and_manifest_describe_the_suggestions(tmp_path):
    project = make_gold_project()
    project.suggestions = "learned"
    project.save()
    item = project.items.get()
    case = Case.objects.get()
    stored = case.sources.first().submission
    for question, rank in zip(stored.content["questions"], (2, None), strict=False):
        question["picked"] = rank
    stored.save()
    export_gold(project=project, options=ExportOptions(fmt="qasrl-csv"), folder=tmp_path)
    manifest = json.loads((tmp_path / "manifest.json").read_text("utf-8"))
    assert manifest["suggestions"] == {
        "setting": "learned",
        "typed": 1,
        "picked_by_rank": {"2": 1},
    }
    card = (tmp_path / "README.md").read_text("utf-8")
    assert "Suggested questions: learned. Learned suggestions come from" in card
    written = "Of 2 questions by workers and experts, 50.0 % were picked from suggestions"
    assert f"{written} (1 at rank 2)." in card
    assert item.submissions.exists()


def test_gold_and_sources_of_a_merge_do_not_have_ranks(project):
    scheme = get_scheme("qasrl")
    content = project.items.get().submissions.first().content
    assert [question["picked"] for question in content["questions"]] == [1, 3, None]
    assert all(
        "picked" not in question for question in scheme.merging.as_source(content)["questions"]
    )
    kept = scheme.merging.keep_all(content)
    assert all("picked" not in question for question in kept["questions"])
