"""Tests of new versions of a definition while there is work: what stays, is mapped, or is incomplete."""

import json
from copy import deepcopy
from datetime import timedelta
from io import StringIO

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command

from annotation.domain.corpus.item_context import context_of
from annotation.domain.corpus.parse_generation import parse_generation
from annotation.domain.publishing.publish import publish_batch
from annotation.domain.work.drafts import (
    FormChangedError,
    InvalidContentError,
    PageState,
    save_draft,
    submit_draft,
)
from annotation.domain.work.open_page import item_data
from annotation.domain.work.record_assignment import record_assignment
from annotation.domain.work.worker_page import PageToken
from annotation.models import Draft, Item, Submission
from consolidation.domain.case_records import sources_of
from consolidation.domain.cases.open_cases import open_case, publish_case
from consolidation.domain.cases.record_work import parse_for_case
from consolidation.domain.experts.expert_work import open_queued, save_queued, submit_queued
from consolidation.domain.experts.queue_resource import queue_resource
from consolidation.domain.gold.add_gold import add_gold
from consolidation.domain.gold.current_gold import current_gold
from consolidation.domain.gold.save_version import save_version
from consolidation.domain.gold.version_effects import describe_effects, effects_of
from consolidation.enums import GoldSource
from consolidation.models import Case, Gold, GoldEntry, Judgment, Review, SystemAnnotation
from consolidation.protocols.validation import settle, validations_of
from datasets.domain.exports.export_gold import ExportOptions, export_gold
from datasets.domain.exports.export_submissions import SubmissionOptions, export_submissions
from projects.command import InputError
from projects.domain.choose_protocol import choose_protocol
from projects.enums import Protocol, Role
from projects.models import Project
from schemes.contract.scheme import DEFINITION
from schemes.custom.parse_definition import parse_definition
from tests.annotation.factories import make_task
from tests.annotation.uploads import run_jobs
from tests.browser.custom import NAMES, make_custom_project, make_texts
from tests.consolidation.experts import make_expert, make_queue
from tests.consolidation.factories import make_generation
from tests.crowd.factories import NOW, make_assignment, make_worker

pytestmark = pytest.mark.django_db

LATER, STILL_LATER = NOW + timedelta(hours=1), NOW + timedelta(hours=2)
ADA = {"start": 0, "end": 2, "label": "PER", "attributes": {"sure": "certain"}}
ACME = {"start": 6, "end": 7, "label": "ORG", "attributes": {"sure": "unsure"}}
JOB = {"label": "works_for", "from": 0, "to": 1}
CONTENT = {"answers": {"names": [ADA, ACME], "jobs": [JOB]}}


@pytest.fixture
def project() -> Project:
    return make_custom_project(NAMES)


def renamed_label(value):
    """Rename PER to HUMAN."""
    names, jobs = value["fields"]
    names["labels"][0] = {"key": "HUMAN", "label": "Person"}
    for label in jobs["labels"]:
        for side in ("from", "to"):
            label[side] = ["HUMAN" if key == "PER" else key for key in label[side]]
    value["renamed"] = {"labels": {"names": {"PER": "HUMAN"}}}


def renamed_field(value):
    value["fields"][0]["key"] = "entities"
    value["renamed"] = {"fields": {"names": "entities"}}


def removed_label(value):
    """Remove ORG, and the labels of relations that need it."""
    names, jobs = value["fields"]
    del names["labels"][1]
    del jobs["labels"][:2]


def tightened_minimum(value):
    value["fields"][0]["min"] = 3


def optional_field(value):
    value["fields"].append({"key": "note", "type": "text", "required": False})


def required_field(value):
    value["fields"].append({"key": "tone", "type": "choice", "options": ["good", "bad"]})


def changed_type(value):
    """Make the relations a text."""
    value["fields"][1] = {"key": "jobs", "type": "text", "required": False}


def version(change, value=NAMES):
    changed = deepcopy(value)
    changed.pop("renamed", None)
    change(changed)
    return parse_definition(changed).value


def save(project, value, now=LATER):
    return save_version(project=project, name=DEFINITION, value=value, actor="me", now=now)


def counts(effects):
    return (
        effects.unchanged,
        effects.mapped,
        effects.lost.annotations,
        effects.missing.annotations,
    )


@pytest.mark.parametrize(
    ("change", "expected", "content", "reasons"),
    [
        (
            renamed_label,
            (0, 1, 0, 0),
            {"names": [{**ADA, "label": "HUMAN"}, ACME], "jobs": [JOB]},
            [],
        ),
        (renamed_field, (0, 1, 0, 0), {"entities": [ADA, ACME], "jobs": [JOB]}, []),
        (
            removed_label,
            (0, 1, 1, 0),
            {"names": [ADA]},
            ["The field jobs has no label works_for.", "The field names has no label ORG."],
        ),
        (
            tightened_minimum,
            (1, 0, 0, 1),
            CONTENT["answers"],
            ["The field names needs at least 3."],
        ),
        (optional_field, (1, 0, 0, 0), CONTENT["answers"], []),
        (required_field, (1, 0, 0, 1), CONTENT["answers"], ["The field tone is missing."]),
        (changed_type, (0, 1, 1, 0), {"names": [ADA, ACME]}, ["The field jobs has another type."]),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_effects_are_shown_before_a_version_is_saved_and_then_happen(
    project, change, expected, content, reasons
):
    submission = make_generation(make_texts(project, NAMES), CONTENT)
    value = version(change)
    effects = effects_of(project=project, value=value)
    assert counts(effects) == expected
    assert [part.text for part in [*effects.lost.parts, *effects.missing.parts]] == reasons
    submission.refresh_from_db()
    assert (submission.content, submission.original) == (CONTENT, None)
    save(project, value)
    submission.refresh_from_db()
    assert submission.content == {"answers": content}
    if content == CONTENT["answers"]:
        assert (submission.original, submission.original_version) == (None, None)
    else:
        assert (submission.original, submission.original_version) == (CONTENT, 1)
    assert counts(effects_of(project=project)) == expected


def test_effects_are_described(project):
    make_generation(make_texts(project, NAMES), CONTENT)
    item = Item.objects.get()
    assert describe_effects(effects_of(project=project, value=version(removed_label))) == [
        "Unchanged: 0 annotations.",
        "Mapped to the form of this version: 1 annotation. The originals are kept.",
        "Without a place for all parts: 1 annotation. Lost parts stay in the originals, and a later "
        "version that has a place for them gets them back.",
        f"The field jobs has no label works_for. 1 annotation, for example of {item.key}.",
        f"The field names has no label ORG. 1 annotation, for example of {item.key}.",
    ]


def test_lost_parts_return_with_a_version_that_has_a_place_for_them(project):
    submission = make_generation(make_texts(project, NAMES), CONTENT)
    save(project, version(removed_label))
    save(project, version(lambda value: None), STILL_LATER)
    submission.refresh_from_db()
    assert (submission.content, submission.original) == (CONTENT, None)
    assert counts(effects_of(project=project)) == (1, 0, 0, 0)


def test_names_that_change_twice_are_followed_from_the_original(project):
    submission = make_generation(make_texts(project, NAMES), CONTENT)
    save(project, version(renamed_field))

    def again(value):
        value["fields"][0]["key"] = "spans"
        value["renamed"] = {"fields": {"entities": "spans"}}

    save(project, version(again), STILL_LATER)
    submission.refresh_from_db()
    assert submission.content == {"answers": {"spans": [ADA, ACME], "jobs": [JOB]}}
    assert submission.original == CONTENT


def exchanged(value):
    """Exchange the keys PER and ORG, so that content of either version fits both."""
    value["fields"][1] = {"key": "jobs", "type": "relations", "labels": ["works_for"]}
    value["renamed"] = {"labels": {"names": {"PER": "ORG", "ORG": "PER"}}}


def test_exchanged_labels_are_exchanged_once(project):
    submission = make_generation(make_texts(project, NAMES), CONTENT)
    save(project, version(exchanged))
    submission.refresh_from_db()
    labels = [span["label"] for span in submission.content["answers"]["names"]]
    assert labels == ["ORG", "PER"]

    def with_a_note(value):
        exchanged(value)
        optional_field(value)

    save(project, version(with_a_note), STILL_LATER)
    submission.refresh_from_db()
    assert [span["label"] for span in submission.content["answers"]["names"]] == labels


def test_gold_gets_a_new_version_with_its_provenance_and_reviews(project):
    item = make_texts(project, NAMES)
    provenance = [{"source": 0, "state": "kept", "nr": number} for number in range(3)]
    first = add_gold(
        item=item, source=GoldSource.EXPERT, content=CONTENT, provenance=provenance, now=NOW
    )
    review = Review.objects.create(gold=first, drawn_at=NOW)
    save(project, version(removed_label))
    newest = current_gold(project, GoldSource.EXPERT).get()
    assert newest.content == {"answers": {"names": [ADA]}}
    assert newest.provenance == provenance[:1]
    assert (newest.version, newest.mapped_from) == (2, first)
    assert Gold.objects.get(pk=first.pk).content == CONTENT
    review.refresh_from_db()
    assert review.gold == newest
    assert GoldEntry.objects.get().gold == newest
    save(project, version(lambda value: None), STILL_LATER)
    restored = current_gold(project, GoldSource.EXPERT).get()
    assert (restored.content, restored.provenance) == (CONTENT, provenance)
    assert restored.mapped_from == first


def test_annotations_of_programs_are_mapped(project):
    row = SystemAnnotation.objects.create(
        item=make_texts(project, NAMES),
        system="tagger",
        content=CONTENT,
        schema_version=1,
        imported_at=NOW,
    )
    save(project, version(renamed_field))
    row.refresh_from_db()
    assert row.content["answers"]["entities"] == [ADA, ACME]
    assert (row.original, row.original_version) == (CONTENT, 1)


def test_refused_work_stays_as_it_is(project):
    submission = make_generation(make_texts(project, NAMES), CONTENT)
    Submission.objects.update(content={"refused": {"answers": 3}}, problem="must be an object")
    save(project, version(renamed_field))
    submission.refresh_from_db()
    assert submission.content == {"refused": {"answers": 3}}


# --- Work in progress ---------------------------------------------------------------------------


def page_of(task, assignment):
    return PageToken(str(task.public_id), assignment.external_id, assignment.worker.external_id)


def state(item, content, revision=0, definition=""):
    return PageState(
        revision=revision,
        content={str(item.pk): content},
        active_seconds=60,
        definition=definition,
    )


def begin(project, content=CONTENT, definition=""):
    """Save an unfinished page. Return its item, task and assignment."""
    item = make_texts(project, NAMES)
    task = make_task([item])
    assignment = make_assignment(task.hit, make_worker())
    begun = state(item, content, definition=definition)
    save_draft(claim=page_of(task, assignment), state=begun, now=NOW)
    return item, task, assignment


def fresh(item):
    return Item.objects.select_related("project", "sentence__image").get(pk=item.pk)


def test_unfinished_page_is_counted_and_continues_in_the_new_form(project):
    item, *_ = begin(project)
    value = version(renamed_field)
    assert effects_of(project=project, value=value).open_pages == 1
    save(project, value)
    item, draft = fresh(item), Draft.objects.get()
    data = item_data(item, context_of(item), draft, Role.GENERATOR)
    assert data["content"] == {"answers": {"entities": [ADA, ACME], "jobs": [JOB]}}


def test_draft_that_a_page_saved_in_the_new_form_stays_as_it_is(project):
    item, task, assignment = begin(project)
    save(project, version(renamed_label))
    human = {"answers": {"names": [{**ADA, "label": "HUMAN"}]}}
    save_draft(claim=page_of(task, assignment), state=state(item, human, 1), now=LATER)
    item = fresh(item)
    data = item_data(item, context_of(item), Draft.objects.get(), Role.GENERATOR)
    assert data["content"] == human


@pytest.mark.parametrize("change", [renamed_label, renamed_field, required_field, removed_label])
@pytest.mark.parametrize("is_before", [True, False])
def test_work_counts_as_its_page_asked_for_it(project, change, is_before):
    """The version changes before the page is submitted, or before the assignment is recorded."""
    item, task, assignment = begin(project)
    value = version(change)
    if is_before:
        save(project, value)
    answer = submit_draft(
        claim=page_of(task, assignment),
        state=state(item, CONTENT, 1),
        parse=parse_generation,
        now=LATER,
    )
    assert json.loads(answer) == {str(item.pk): CONTENT}
    if not is_before:
        save(project, value)
    assignment.answer = {"content": answer}
    assignment.save()
    (submission,) = record_assignment(
        assignment_id=assignment.pk, parse=parse_generation, now=STILL_LATER
    )
    expected = effects_of(project=project)
    assert submission.problem == ""
    assert (submission.original, submission.original_version) == (CONTENT, 1)
    assert submission.other_version is None
    assert counts(expected)[0] + counts(expected)[1] == 1
    if change is renamed_field:
        assert submission.content["answers"]["entities"] == [ADA, ACME]


def test_page_that_was_opened_after_the_change_needs_the_new_form(project):
    save(project, version(required_field))
    item = make_texts(project, NAMES)
    task = make_task([item])
    assignment = make_assignment(task.hit, make_worker())
    with pytest.raises(InvalidContentError, match=r"answers.tone: is missing|is missing"):
        submit_draft(
            claim=page_of(task, assignment),
            state=state(item, CONTENT),
            parse=parse_generation,
            now=STILL_LATER,
        )


def test_work_that_fits_no_version_is_refused(project):
    item, task, assignment = begin(project)
    save(project, version(renamed_field))
    wrong = {"answers": {"names": [{**ADA, "label": "GOD"}]}}
    with pytest.raises(InvalidContentError):
        submit_draft(
            claim=page_of(task, assignment),
            state=state(item, wrong, 1),
            parse=parse_generation,
            now=LATER,
        )


# --- Exchanged names, which either version can read ----------------------------------------------

SWAPPED = {"answers": {"names": [{**ADA, "label": "ORG"}, {**ACME, "label": "PER"}], "jobs": [JOB]}}


def digest_of(project):
    return Project.objects.get(pk=project.pk).definition_digest


def submit(begun, content, definition):
    item, task, assignment = begun
    return submit_draft(
        claim=page_of(task, assignment),
        state=state(item, content, 1, definition),
        parse=parse_generation,
        now=STILL_LATER,
    )


def record(assignment, **answer):
    assignment.answer = answer
    assignment.save()
    (submission,) = record_assignment(
        assignment_id=assignment.pk, parse=parse_generation, now=STILL_LATER
    )
    return submission


@pytest.mark.parametrize("is_before", [True, False])
def test_work_of_an_old_page_is_read_in_its_own_version(project, is_before):
    """The names are exchanged before the page is submitted, or before the assignment is recorded."""
    old = digest_of(project)
    item, task, assignment = begin(project, definition=old)
    if is_before:
        save(project, version(exchanged))
    answer = submit((item, task, assignment), CONTENT, old)
    if not is_before:
        save(project, version(exchanged))
    submission = record(assignment, content=answer, definition=old)
    assert (submission.content, submission.problem) == (SWAPPED, "")
    assert (submission.original, submission.original_version) == (CONTENT, 1)
    assert submission.other_version is None


def test_work_of_a_new_page_is_read_in_the_new_version(project):
    old = digest_of(project)
    item, task, assignment = begin(project, definition=old)
    save(project, version(exchanged))
    item, new = fresh(item), digest_of(project)
    data = item_data(item, context_of(item), Draft.objects.get(), Role.GENERATOR)
    assert data["content"] == SWAPPED
    answer = submit((item, task, assignment), SWAPPED, new)
    submission = record(assignment, content=answer, definition=new)
    assert (submission.content, submission.original) == (SWAPPED, None)


@pytest.mark.parametrize("names", ["old", "new"])
def test_copy_of_the_marketplace_alone_is_read_in_its_own_version(project, names):
    digests = {"old": digest_of(project)}
    item, _, assignment = begin(project, definition=digests["old"])
    Draft.objects.all().delete()
    save(project, version(exchanged))
    digests["new"] = digest_of(project)
    copy = json.dumps({str(item.pk): CONTENT})
    submission = record(assignment, content=copy, definition=digests[names])
    assert submission.content == (SWAPPED if names == "old" else CONTENT)
    assert submission.problem == ""


def test_copies_of_two_versions_are_the_same_if_they_mean_the_same(project):
    old = digest_of(project)
    item, task, assignment = begin(project, definition=old)
    answer = submit((item, task, assignment), CONTENT, old)
    save(project, version(exchanged))
    listed = json.dumps({**json.loads(answer)}, indent=2)
    assert record(assignment, content=listed, definition=old).other_version is None


@pytest.mark.parametrize("digest", ["0" * 64, "no digest"])
def test_work_of_an_unknown_version_is_refused_with_a_message(project, digest):
    item, task, assignment = begin(project, definition=digest)
    with pytest.raises(FormChangedError, match="Reload the page"):
        submit((item, task, assignment), CONTENT, digest)
    Draft.objects.all().delete()
    copy = json.dumps({str(item.pk): CONTENT})
    submission = record(assignment, content=copy, definition=digest)
    assert submission.content == {"refused": CONTENT}
    assert "an earlier version of the form" in submission.problem


def test_page_does_not_show_newer_work_of_another_form(project):
    old = digest_of(project)
    item, task, assignment = begin(project, definition=old)
    save(project, version(exchanged))
    newer = state(item, SWAPPED, 1, digest_of(project))
    save_draft(claim=page_of(task, assignment), state=newer, now=LATER)
    late = state(item, {"answers": {"names": [ADA]}}, 1, old)
    with pytest.raises(FormChangedError):
        save_draft(claim=page_of(task, assignment), state=late, now=STILL_LATER)
    assert Draft.objects.get().content == {str(item.pk): SWAPPED}


def test_judgments_about_another_form_are_refused_and_start_again(project):
    case = make_validation_case(project)
    old = digest_of(project)
    worker = make_worker()
    assignment = make_assignment(_case_task(case).hit, worker)
    verdicts = {"verdicts": [True, True, False]}
    begun = state(case.item, verdicts, definition=old)
    claim = page_of(case.task, assignment)
    save_draft(claim=claim, state=begun, now=NOW)
    save(project, version(moved_field))
    case = Case.objects.get(pk=case.pk)
    with pytest.raises(FormChangedError):
        submit_draft(
            claim=claim,
            state=state(case.item, verdicts, 1, old),
            parse=parse_for_case(case, case.task),
            now=STILL_LATER,
        )
    item = fresh(case.item)
    data = item_data(item, context_of(item), Draft.objects.get(), Role.VALIDATOR)
    assert data["content"] is None


def test_expert_is_asked_to_load_the_page_again(project):
    item = make_texts(project, NAMES)
    queue = make_queue(project, [item], kind="annotate", sources=[])
    expert, queued = make_expert("erik"), queue.queued.get()
    old = digest_of(project)
    page = state(item, CONTENT, definition=old)
    save_queued(queued=queued, expert=expert, state=page, now=NOW)
    save(project, version(exchanged))
    queued = type(queued).objects.get(pk=queued.pk)
    page = state(item, CONTENT, 1, old)
    with pytest.raises(FormChangedError, match="Reload the page"):
        submit_queued(queued=queued, expert=expert, state=page, now=LATER)
    opened = open_queued(queued=queued, expert=expert, now=LATER)
    assert opened["items"][0]["content"] == SWAPPED
    page = state(item, SWAPPED, 1, opened["definition"])
    submit_queued(queued=queued, expert=expert, state=page, now=STILL_LATER)
    assert Submission.objects.get(role=Role.EXPERT).content == SWAPPED


# --- Cases --------------------------------------------------------------------------------------


def make_validation_case(project):
    """Return a case whose annotation two validators judged, all parts valid except the relation."""
    project = choose_protocol(
        project=project, protocol=Protocol.VALIDATION, validators=2, agree=2, actor="me", now=NOW
    )
    item = make_texts(project, NAMES)
    publish_batch(project=project, now=NOW)
    make_generation(item, CONTENT)
    assert open_case(item=item, now=NOW)
    case = Case.objects.get()
    for _ in range(2):
        worker = make_worker()
        Submission.objects.create(
            item=item,
            role=Role.VALIDATOR,
            worker=worker,
            assignment=make_assignment(_case_task(case).hit, worker),
            content={"verdicts": [True, True, False]},
            schema_version=1,
            state="accepted",
            opened_at=NOW,
            submitted_at=NOW,
        )
    return case


def _case_task(case):
    if case.task is None:
        assert publish_case(case_id=case.pk, now=NOW)
        case.refresh_from_db()
    return case.task


def moved_field(value):
    """Put the relations first, so that they are judged first."""
    value["fields"].reverse()
    value["unit"] = "names"


@pytest.mark.parametrize(
    ("change", "verdicts", "gold"),
    [
        (renamed_field, [True, True, False], {"entities": [ADA, ACME]}),
        (moved_field, [False, True, True], {"names": [ADA, ACME]}),
        (removed_label, [True], {"names": [ADA]}),
    ],
)
def test_verdicts_stay_with_the_parts_that_they_judge(project, change, verdicts, gold):
    case = make_validation_case(project)
    save(project, version(change))
    rows = Submission.objects.filter(role=Role.VALIDATOR)
    assert [row.content for row in rows] == [{"verdicts": verdicts}] * 2
    case = Case.objects.get(pk=case.pk)
    settle(case=case, validations=validations_of(case), now=LATER)
    assert current_gold(project, GoldSource.VALIDATED).get().content == {"answers": gold}
    assert sources_of(case) == [Submission.objects.get(role=Role.GENERATOR).content]


def test_judgments_and_verdicts_return_with_the_earlier_version(project):
    case = make_validation_case(project)
    settle(case=case, validations=validations_of(case), now=NOW)
    save(project, version(removed_label))
    save(project, version(lambda value: None), STILL_LATER)
    gold = current_gold(project, GoldSource.VALIDATED).get()
    assert gold.content == {"answers": {"names": [ADA, ACME]}}
    assert [entry["valid"] for entry in gold.provenance] == [2, 2]
    assert Judgment.objects.filter(gold=gold).count() == 2
    rows = Submission.objects.filter(role=Role.VALIDATOR)
    assert [row.content for row in rows] == [{"verdicts": [True, True, False]}] * 2


def test_given_annotations_of_a_training_case_are_shown_in_the_new_form(project):
    case = Case(item=make_texts(project, NAMES), given=[CONTENT], opened_at=NOW)
    assert sources_of(case) == [CONTENT]
    save(project, version(renamed_field))
    case.item = fresh(case.item)
    assert sources_of(case) == [{"answers": {"entities": [ADA, ACME], "jobs": [JOB]}}]


# --- Commands -----------------------------------------------------------------------------------


def import_definition(project, value, tmp_path, *options):
    path = tmp_path / "definition.json"
    path.write_text(json.dumps(value))
    output = StringIO()
    call_command(
        "import_lexicon", project.slug, str(path), "--format", "json", *options, stdout=output
    )
    return output.getvalue()


def test_command_shows_effects_and_asks_for_agreement(project, tmp_path):
    submission = make_generation(make_texts(project, NAMES), CONTENT)
    value = version(removed_label)
    effects = json.loads(import_definition(project, value, tmp_path, "--dry-run", "--json"))
    assert (effects["unchanged"], effects["mapped"]) == (0, 1)
    assert [part["text"] for part in effects["lost"]["parts"]] == [
        "The field jobs has no label works_for.",
        "The field names has no label ORG.",
    ]
    with pytest.raises(
        InputError, match=r"no label ORG\. 1 annotation, .* To import it, add --yes\."
    ):
        import_definition(project, value, tmp_path)
    assert project.resources.count() == 1
    text = import_definition(project, value, tmp_path, "--yes")
    assert text.startswith("Version 2 is current (")
    assert "The field names has no label ORG. 1 annotation, for example of" in text
    submission.refresh_from_db()
    assert submission.content == {"answers": {"names": [ADA]}}


def test_command_imports_a_version_that_loses_nothing_without_agreement(project, tmp_path):
    make_generation(make_texts(project, NAMES), CONTENT)
    text = import_definition(project, version(renamed_field), tmp_path)
    assert "Mapped to the form of this version: 1 annotation." in text


def test_upload_of_a_version_that_annotations_do_not_fit_fails(project, tmp_path):
    make_generation(make_texts(project, NAMES), CONTENT)
    job = queue_resource(
        project=project,
        name=DEFINITION,
        file=SimpleUploadedFile("d.json", json.dumps(version(removed_label)).encode()),
        fmt="json",
        switches={},
        presets={},
        actor="me",
        now=LATER,
    )
    run_jobs()
    job.refresh_from_db()
    assert "The field names has no label ORG." in job.problem
    assert project.resources.count() == 1


# --- Exports ------------------------------------------------------------------------------------


def test_export_has_the_new_form_and_names_the_version(project, tmp_path):
    item = make_texts(project, NAMES)
    add_gold(item=item, source=GoldSource.EXPERT, content=CONTENT, provenance=[], now=NOW)
    save(project, version(renamed_label))
    options = ExportOptions(fmt="jsonl", source=GoldSource.EXPERT)
    export_gold(project=project, options=options, folder=tmp_path)
    (file,) = tmp_path.glob("*.jsonl")
    (row,) = map(json.loads, file.read_text().splitlines())
    assert row["content"]["answers"]["names"][0]["label"] == "HUMAN"
    manifest = json.loads((tmp_path / "manifest.json").read_text())
    project.refresh_from_db()
    assert manifest["definition"] == {"version": 2, "sha256": project.definition_digest}
    assert f"definition version 2 (SHA-256 `{project.definition_digest}`)" in (
        tmp_path / "README.md"
    ).read_text().replace("\n", " ")


def test_exported_submissions_have_their_originals(project, tmp_path):
    make_generation(make_texts(project, NAMES), CONTENT)
    make_generation(make_texts(project, NAMES), {"answers": {"names": [ACME]}})
    save(project, version(renamed_label))
    export_submissions(project=project, options=SubmissionOptions(fmt="jsonl"), folder=tmp_path)
    (file,) = tmp_path.glob("*.jsonl")
    first, second = map(json.loads, file.read_text().splitlines())
    assert (first["original"], first["original_version"]) == (CONTENT, 1)
    assert first["content"]["answers"]["names"][0]["label"] == "HUMAN"
    assert "original" not in second
