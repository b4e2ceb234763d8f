"""Arms: their checks, the random assignment of items, and what people get to see in each."""

import json
from collections import Counter
from datetime import timedelta
from urllib.parse import urlencode

import pytest
from django.core.management import call_command
from django.urls import reverse

from annotation.domain.corpus.item_context import context_of
from annotation.domain.publishing.arms import (
    ArmPlan,
    ArmsError,
    assign_arms,
    check_arms,
    count_generators,
    draw_arms,
    preview_arms,
    systems_of,
)
from annotation.domain.publishing.batch_actions import top_up_batch
from annotation.domain.publishing.publish import publish_batch
from annotation.domain.publishing.publish_rest import publish_more
from annotation.domain.publishing.republish import short_attempts
from annotation.enums import Partition, SubmissionState
from annotation.models import Arm, ItemArm, Submission, TaskItem
from consolidation.domain.case_records import marked_source, sources_of
from consolidation.domain.cases.open_cases import open_due_cases, publish_open_cases
from consolidation.domain.gold.add_gold import add_gold
from consolidation.enums import GoldSource
from consolidation.models import Case, SystemAnnotation
from consolidation.protocols.consolidation import write_gold_of
from crowd.enums import HitState
from crowd.models import Hit
from projects.domain.schemes import scheme_of
from projects.enums import MemberRole, Protocol, Role
from tests.annotation.page_data import page_data
from tests.consolidation.factories import (
    CONTAIN,
    IDENTIFIED,
    SHORT_NAME,
    SURVEY,
    make_generation,
    make_item,
    make_project,
    source,
)
from tests.crowd.factories import NOW, make_assignment, make_worker
from tests.dashboard.campaign import make_user
from tests.signed import signed

pytestmark = pytest.mark.django_db
WHO = ("Who identified something?", [SHORT_NAME])
WHAT = ("What did someone identify?", ["a basin"])
MODEL = "parser"


@pytest.fixture
def project():
    return make_project()


def make_items(project, count, *, partition="", documents=1, model=None):
    """Create items, annotated by the model if `model` has its questions."""
    items = []
    for number in range(count):
        item = make_item(SURVEY, IDENTIFIED, project)
        item.sentence.group = f"document-{number % documents}"
        item.sentence.partition = partition
        item.sentence.save()
        if model is not None:
            SystemAnnotation.objects.create(
                item=item,
                system=MODEL,
                content=source(SURVEY, *model),
                schema_version=1,
                imported_at=NOW,
            )
        items.append(item)
    return items


def publish(project, *plans, **options):
    batch = publish_batch(project=project, arms=plans, now=NOW, **options)
    publish_hits()
    return batch


def publish_hits():
    for hit in Hit.objects.filter(state=HitState.PENDING):
        hit.state, hit.external_id = HitState.LIVE, f"HIT{hit.pk}"
        hit.save()


def open_case_of(item):
    """Open and publish the item's case after two people have annotated it."""
    for question in (WHO, WHAT):
        make_generation(item, source(SURVEY, question))
    assert open_due_cases(clock=clock) == publish_open_cases(clock=clock) == 1
    return Case.objects.select_related("item__project", "task__hit").get(item=item)


def clock():
    return NOW


def page_of(client, role, item):
    """Open the item's page as a worker who accepted the task, and return its response."""
    task = TaskItem.objects.filter(item=item, role=role).latest("pk").task
    view = {"generator": "annotation:generate", "consolidator": "consolidation:consolidate"}[role]
    claim = {"assignmentId": f"A{item.pk}", "hitId": "H1", "workerId": "W1"}
    query = urlencode({**claim, "turkSubmitTo": "http://127.0.0.1:8000"})
    response = client.get(signed(f"{reverse(view, args=[task.public_id])}?{query}"))
    assert response.status_code == 200, response.content.decode()
    return response


@pytest.mark.parametrize(
    ("plans", "problem"),
    [
        ([ArmPlan(50)], "add up to 100"),
        ([ArmPlan(101)], "add up to 100"),
        ([ArmPlan(100), ArmPlan(0, suggestions="off")], "at least 1"),
        ([ArmPlan(50), ArmPlan(50)], "the same"),
        ([ArmPlan(50), ArmPlan(50, system="nobody", use="source")], "no annotations by nobody"),
        ([ArmPlan(50), ArmPlan(50, system=MODEL)], "need a use"),
        ([ArmPlan(50), ArmPlan(50, use="source")], "need a use"),
        ([ArmPlan(20, suggestions=f"{at}") for at in range(9)], "at most 8"),
    ],
)
def test_arms_that_do_not_fit_are_refused(project, plans, problem):
    make_items(project, 2, model=[WHO])
    with pytest.raises(ArmsError, match=problem):
        check_arms(project, plans)
    assert not Arm.objects.exists()


def test_uses_must_fit_the_protocol(project):
    make_items(project, 1, model=[WHO])
    project.protocol, project.generators_per_item = Protocol.VALIDATION, 1
    with pytest.raises(ArmsError, match="choose pre-annotation"):
        check_arms(project, [ArmPlan(100, system=MODEL, use="source")])
    check_arms(project, [ArmPlan(100, system=MODEL, use="pre-annotation")])
    project.protocol = Protocol.CONSOLIDATION
    with pytest.raises(ArmsError, match="only annotator"):
        check_arms(project, [ArmPlan(100, system=MODEL, use="annotator")])


@pytest.mark.parametrize("code", ["", "source", "source:", "help:parser", "suggestions:some", ":x"])
def test_unknown_codes_are_refused(code):
    with pytest.raises(ArmsError, match="is not an arm"):
        ArmPlan.of_code(code, 50)


def test_codes_keep_colons_in_names():
    assert ArmPlan.of_code("source:qwen3:8b", 30) == ArmPlan(30, system="qwen3:8b", use="source")


@pytest.mark.parametrize("seed", range(20))
def test_shares_hold_in_each_document_and_over_portions(project, seed):
    items = make_items(project, 60, documents=3)
    arms = [Arm(pk=1, percent=50), Arm(pk=2, percent=30), Arm(pk=3, percent=20)]
    used: Counter[int] = Counter()
    by_document: dict[str, Counter[int]] = {}
    for portion in (items[:25], items[25:]):
        for item, arm in draw_arms(arms=arms, items=portion, used=used, seed=seed):
            used[arm.pk] += 1
            by_document.setdefault(item.sentence.group, Counter())[arm.pk] += 1
    assert used == {1: 30, 2: 18, 3: 12}
    for counts in by_document.values():
        assert all(
            abs(counts[arm.pk] - sum(counts.values()) * arm.percent / 100) <= 2.5 for arm in arms
        )


def test_draws_depend_on_the_seed_and_not_on_the_order_of_items(project):
    items = make_items(project, 30, documents=4)
    arms = [Arm(pk=1, percent=50), Arm(pk=2, percent=50)]

    def drawn(items, seed):
        rows = draw_arms(arms=arms, items=items, used={}, seed=seed)
        return {item.pk: arm.pk for item, arm in rows}

    assert drawn(items, 1) == drawn(items, 1)
    different = sum(drawn(items, 1)[pk] != arm for pk, arm in drawn(items, 2).items())
    assert 5 < different < 25


def test_test_items_get_no_arm_unless_the_batch_says_so(project):
    make_items(project, 3, partition=Partition.TEST)
    make_items(project, 3, partition=Partition.TRAIN)
    plans = [ArmPlan(50), ArmPlan(50, suggestions="off")]
    preview = preview_arms(project=project, plans=plans, count=6, assists_test_items=False)
    assert (preview.items, preview.test_items) == (6, 3)
    publish(project, *plans)
    assert set(ItemArm.objects.values_list("item__sentence__partition", flat=True)) == {"train"}
    other = make_project()
    make_items(other, 4, partition=Partition.TEST)
    publish(other, *plans, assists_test_items=True)
    assert ItemArm.objects.filter(item__project=other).count() == 4


def test_model_as_annotator_takes_the_place_of_one_person(project):
    [item] = make_items(project, 1, model=[WHO])
    publish(project, ArmPlan(100, system=MODEL, use="annotator"))
    assert Hit.objects.get().max_assignments == 1
    assert count_generators(item) == 1
    own = Submission.objects.get()
    assert (own.role, own.system, own.worker, own.state) == ("model", MODEL, None, "accepted")
    assert open_due_cases(clock=clock) == 0
    make_generation(item, source(SURVEY, WHAT))
    assert open_due_cases(clock=clock) == 1
    publish_open_cases(clock=clock)
    case = Case.objects.get()
    questions = {content["questions"][0]["question"] for content in sources_of(case)}
    assert questions == {WHO[0], WHAT[0]}
    assert marked_source(case) is None


def test_item_of_a_model_that_wrote_nothing_has_all_its_people(project):
    make_items(project, 1, model=[WHO])
    bare = make_item(SURVEY, CONTAIN, project)
    publish(project, ArmPlan(100, system=MODEL, use="annotator"))
    sizes = dict(TaskItem.objects.values_list("item", "task__hit__max_assignments"))
    assert sizes[bare.pk] == count_generators(bare) == 2
    assert bare.item_arm.content is None


def test_annotation_that_the_scheme_refuses_is_not_used(project):
    [item] = make_items(project, 1, model=[WHO])
    SystemAnnotation.objects.update(content={"questions": [{"question": "Who?", "answers": []}]})
    publish(project, ArmPlan(100, system=MODEL, use="annotator"))
    assert ItemArm.objects.get(item=item).content is None
    assert not Submission.objects.exists()
    assert Hit.objects.get().max_assignments == 2


@pytest.mark.parametrize("use", ["source", "shown-source"])
def test_extra_source_does_not_replace_a_person(project, use, client):
    [item] = make_items(project, 1, model=[WHO])
    publish(project, ArmPlan(100, system=MODEL, use=use))
    assert Hit.objects.get().max_assignments == count_generators(item) == 2
    make_generation(item, source(SURVEY, WHO))
    assert open_due_cases(clock=clock) == 0
    make_generation(item, source(SURVEY, WHAT))
    assert open_due_cases(clock=clock) == 1
    publish_open_cases(clock=clock)
    publish_hits()
    case = Case.objects.get()
    assert case.sources.count() == 3
    page = page_of(client, Role.CONSOLIDATOR, item).content.decode()
    letter = "ABC"[case.sources.get(submission__system=MODEL).position]
    assert (f"A program wrote annotation {letter}" in page) == (use == "shown-source")
    assert MODEL not in page


def test_pre_annotation_fills_the_page_until_there_is_a_draft(project, client):
    [item] = make_items(project, 1, model=[WHO])
    publish(project, ArmPlan(100, system=MODEL, use="pre-annotation"))
    response = page_of(client, Role.GENERATOR, item)
    [shown] = page_data(response.content.decode())["items"]
    assert shown["content"]["questions"][0]["question"] == WHO[0]
    assert "A program has prepared this annotation" in response.content.decode()
    assert Hit.objects.get().max_assignments == 2
    assert not Submission.objects.exists()


def test_other_arms_show_no_annotation(project, client):
    [item] = make_items(project, 1, model=[WHO])
    publish(project, ArmPlan(100, system=MODEL, use="source"))
    response = page_of(client, Role.GENERATOR, item)
    assert page_data(response.content.decode())["items"][0]["content"] is None
    assert "A program" not in response.content.decode()


@pytest.mark.parametrize("suggestions", ["off", "grammar", "learned"])
def test_arm_replaces_the_suggestions_of_the_project(project, client, suggestions):
    [item] = make_items(project, 1)
    publish(project, ArmPlan(100, suggestions=suggestions))
    page = page_data(page_of(client, Role.GENERATOR, item).content.decode())
    assert page["items"][0]["data"]["suggestions"] == suggestions
    # Other uses of the item's context keep the project's setting
    assert context_of(item).suggestions == "grammar"


def test_republication_counts_the_model(project):
    [item] = make_items(project, 1, model=[WHO])
    publish(project, ArmPlan(100, system=MODEL, use="annotator"))
    Hit.objects.update(state=HitState.EXPIRED)
    [short] = short_attempts(now=NOW + timedelta(days=30))
    assert (short.live, short.needed) == (0, 1)
    make_generation(item, source(SURVEY, WHAT))
    assert not short_attempts(now=NOW + timedelta(days=30)).exists()


def test_every_unit_of_gold_names_its_arm(project):
    [item] = make_items(project, 1, model=[WHO])
    publish(project, ArmPlan(100, system=MODEL, use="source"))
    case = open_case_of(item)
    merging = scheme_of(project).get_merging()
    contents = sources_of(case)
    content = merging.keep_all(merging.as_source(contents[0]))
    worker = make_worker()
    submission = Submission.objects.create(
        item=item,
        role=Role.CONSOLIDATOR,
        worker=worker,
        assignment=make_assignment(worker=worker, hit=case.task.hit),
        content=content,
        schema_version=1,
        state=SubmissionState.ACCEPTED,
        opened_at=NOW,
        submitted_at=NOW,
    )
    gold = write_gold_of(submission=submission, now=NOW)
    assert gold.provenance
    assert {unit["arm"] for unit in gold.provenance} == {f"{MODEL} as an unmarked source"}


def test_later_portions_and_top_ups_get_arms(project):
    make_items(project, 9)
    batch = publish(project, ArmPlan(34), ArmPlan(66, suggestions="off"), keep_open=3)
    assert ItemArm.objects.count() == 3
    Hit.objects.update(state=HitState.EXPIRED)
    assert top_up_batch(batch_id=batch.pk, now=NOW) == 3
    assert ItemArm.objects.count() == 6
    assert Counter(ItemArm.objects.values_list("arm__percent", flat=True)) == {34: 2, 66: 4}


def test_job_that_publishes_the_rest_assigns_arms(project, monkeypatch):
    monkeypatch.setattr("annotation.domain.publishing.publish.AT_A_TIME", 2)
    monkeypatch.setattr("annotation.domain.publishing.publish_rest.AT_A_TIME", 2)
    make_items(project, 5)
    batch = publish(project, ArmPlan(50), ArmPlan(50, suggestions="off"))
    while publish_more(batch_id=batch.pk, actor="tests", now=NOW):
        pass
    assert ItemArm.objects.count() == 5


def test_batch_without_arms_assigns_none(project):
    batch = publish(project, *[]) if make_items(project, 2) else None
    assert assign_arms(batch=batch, items=list(project.items.all()), now=NOW) == []
    assert not ItemArm.objects.exists()


def test_page_offers_arms_and_publishes_them(project, client):
    make_items(project, 4, model=[WHO])
    client.force_login(make_user("adam", project, MemberRole.ADMIN))
    url = reverse("annotation:publish", args=[project.slug])
    assert b"Compare kinds of help" in client.get(url).content
    data = {
        "count": "4",
        "arm_1": "suggestions:off",
        "percent_1": "70",
        "arm_2": f"pre-annotation:{MODEL}",
        "percent_2": "20",
    }
    wrong = client.post(url, data)
    assert wrong.status_code == 422
    assert "add up to 100" in wrong.content.decode()
    half = client.post(url, {**data, "percent_2": ""})
    assert "or leave both empty" in half.content.decode()
    data["percent_2"] = "30"
    confirm = client.post(url, data).content.decode()
    assert f"pre-annotation by {MODEL}" in confirm
    assert "has annotated" not in confirm
    client.post(url, {**data, "confirmed": "yes", "unpublished": "4"})
    assert list(Arm.objects.values_list("percent", "suggestions", "system", "use")) == [
        (70, "off", "", ""),
        (30, "", MODEL, "pre-annotation"),
    ]
    assert Counter(ItemArm.objects.values_list("arm__percent", flat=True)) == {70: 3, 30: 1}


def test_confirmation_says_how_many_items_the_model_lacks(project, client):
    make_items(project, 1, model=[WHO])
    make_items(project, 2)
    client.force_login(make_user("adam", project, MemberRole.ADMIN))
    data = {"count": "3", "arm_1": f"source:{MODEL}", "percent_1": "100"}
    page = client.post(reverse("annotation:publish", args=[project.slug]), data).content.decode()
    assert "It has annotated 1 of these 3 items." in page


def test_command_publishes_arms(project, capsys):
    make_items(project, 2, model=[WHO])
    call_command(
        "publish", project.slug, "--arm", "project", "50", "--arm", f"annotator:{MODEL}", "50"
    )
    assert [arm.name for arm in Arm.objects.all()] == [
        "project's settings",
        f"{MODEL} as an annotator",
    ]
    assert systems_of(project) == {MODEL: 2}


def consolidated(project, *, partition="", use="source"):
    """Publish an item with a model's source, and make gold of the source. Return the item."""
    [item] = make_items(project, 1, model=[WHO], partition=partition)
    publish(project, ArmPlan(100, system=MODEL, use=use), assists_test_items=True)
    case = open_case_of(item)
    model = case.sources.get(submission__system=MODEL).position
    content, provenance = sources_of(case)[model], [{"source": model, "state": "kept"}]
    add_gold(
        item=item,
        source=GoldSource.CONSOLIDATED,
        content=scheme_of(project)
        .get_merging()
        .gold_of(scheme_of(project).get_merging().keep_all(content), [content])[0],
        provenance=provenance,
        case=case,
        now=NOW,
    )
    return item


@pytest.mark.parametrize("partition", ["", Partition.TEST])
def test_export_and_card_name_the_arm_and_the_model(project, tmp_path, partition):
    consolidated(project, partition=partition)
    call_command(
        "export_gold", project.slug, out=str(tmp_path), format="jsonl", licence="CC-BY-4.0"
    )
    [path] = tmp_path.rglob("*.gold.jsonl")
    [row] = [json.loads(line) for line in path.read_text().splitlines()]
    assert row["provenance"][0]["arm"] == f"{MODEL} as an unmarked source"
    assert row["provenance"][0]["source_assign_id"] == f"model:{MODEL}"
    manifest = json.loads(next(tmp_path.rglob("manifest.json")).read_text())
    tests = 1 if partition else 0
    assert manifest["arms"] == {f"{MODEL} as an unmarked source": {"items": 1, "test_items": tests}}
    card = next(tmp_path.rglob("README.md")).read_text()
    assert f"{MODEL} as an unmarked source: 1 item" in card
    assert ("of the test partition had such help" in card) == bool(partition)


def test_individual_annotations_name_the_model(project, tmp_path):
    consolidated(project)
    call_command("export_submissions", project.slug, out=tmp_path, format="jsonl")
    [path] = tmp_path.rglob("*.model.jsonl")
    assert json.loads(path.read_text())["worker_id"] == f"model:{MODEL}"
    [path] = tmp_path.rglob("*.generator.jsonl")
    assert MODEL not in path.read_text()


def test_pages_name_the_model(project, client):
    item = consolidated(project)
    client.force_login(make_user("adam", project, MemberRole.ADMIN))
    page = client.get(reverse("consolidation:item", args=[project.slug, item.pk])).content.decode()
    assert f"{MODEL} (model)" in page
    assert "None" not in page
    gold = reverse("datasets:gold_sentence", args=[project.slug, item.sentence_id])
    assert f"by {MODEL} (model)" in client.get(gold).content.decode()
