"""Tests of the experts' pages, which must never reveal the authors of an annotation."""

import gzip
import json
from importlib import import_module

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from annotation.domain.corpus.item_context import context_of
from annotation.models import Submission
from consolidation.domain.experts.monitor import draw_due_reviews
from consolidation.domain.gold.add_gold import add_gold
from consolidation.models import ExpertDraft, ExpertQueue, Gold, Review, SystemAnnotation
from projects.enums import MemberRole
from projects.permissions import REVIEWERS, Access, page_rules
from schemes.registry import get_scheme
from tests.annotation.page_data import page_data
from tests.annotation.uploads import run_jobs
from tests.consolidation.experts import make_expert, make_queue, set_review_rate, submit_result
from tests.consolidation.factories import IDENTIFIED, SURVEY, make_generation, make_item
from tests.consolidation.gold import FIRST, SECOND, make_gold_item
from tests.crowd.factories import NOW
from tests.dashboard.campaign import make_user
from tests.view_names import VIEW_NAMES

pytestmark = pytest.mark.django_db
# Route name -> the arguments that its address needs besides the project.
PATTERNS = [
    pattern
    for app in (
        "consolidation",
        "dashboard",
        "datasets",
        "projects",
        "annotation",
        "rehearsal",
        "releases",
        "benchmarks",
    )
    for pattern in import_module(f"{app}.urls").urlpatterns
]
ROUTES = {pattern.name: set(pattern.pattern.converters) - {"slug"} for pattern in PATTERNS}
RULES = {name: page_rules()[full] for name, full in VIEW_NAMES.items()}


@pytest.fixture
def gold():
    """Create a consolidated item in a project that has staff and an expert."""
    return make_gold_item()


@pytest.fixture
def project(gold):
    return gold.item.project


@pytest.fixture
def item(gold):
    return gold.item


@pytest.fixture
def sign_in(project):
    def of(name: str, *roles: MemberRole, **options) -> Client:
        client = Client(**options)
        client.force_login(make_user(name, project, *roles))
        return client

    return of


@pytest.fixture
def office(sign_in):
    return sign_in("rita", MemberRole.REQUESTER)


@pytest.fixture
def expert(sign_in):
    return sign_in("eva", MemberRole.EXPERT)


def url(name: str, project, *more) -> str:
    return reverse(VIEW_NAMES[name], args=[project.slug, *more])


def text_of(response) -> str:
    raw = response.getvalue()
    return (gzip.decompress(raw) if raw[:2] == b"\x1f\x8b" else raw).decode()


def data_of(response) -> dict:
    return page_data(text_of(response))


def send(client, address: str, item, content, revision=0, **more):
    message = {"token": "", "revision": revision, "content": {str(item.pk): content}}
    return client.post(address, json.dumps(message), content_type="text/plain", **more)


# --- setup ---------------------------------------------------------------------------------------


def form(kind: str, **fields):
    defaults = {"title": "First set", "items": "sample", "count": "5", "experts_per_item": "2"}
    return {f"{kind}-{name}": value for name, value in {**defaults, **fields}.items()}


def test_queue_set_up_by_staff_is_listed_for_experts(office, expert, project, item):
    page = office.post(url("expert_set_up", project, "annotate"), form("annotate"), follow=True)
    assert "“First set” is set up: 1 items." in text_of(page)
    listed = text_of(expert.get(url("experts", project)))
    assert "First set" in listed
    assert "Finished by all" not in listed
    assert "Finished by all" in text_of(office.get(url("experts", project)))
    queue = ExpertQueue.objects.get()
    merges = form("merge", title="Merged", items=f"queue-{queue.pk}", sources=["generator"])
    assert office.post(url("expert_set_up", project, "merge"), merges).status_code == 302
    assert ExpertQueue.objects.get(kind="merge").queued.get().merge.sources.count() == 2


def test_queue_takes_items_of_a_file_or_consolidated_items(office, project, item, job_files):
    item.key = f"{item.sentence.external_id}/{IDENTIFIED}"
    item.save(update_fields=["key"])
    rows = f"qasrl_id,verb_idx\n{item.sentence.external_id},{IDENTIFIED}\n"
    file = SimpleUploadedFile("items.csv", rows.encode())
    address = url("expert_set_up", project, "annotate")
    page = office.post(address, form("annotate", items="file", file=file), follow=True)
    assert "Reading items.csv" in text_of(page)
    assert not ExpertQueue.objects.exists()
    run_jobs()
    assert ExpertQueue.objects.get().queued.get().item == item
    page = office.get(page.redirect_chain[-1][0])
    assert "“First set” is set up: 1 items." in text_of(page)
    more = form("annotate", title="More", items="sample-consolidated", makes_gold="on")
    assert office.post(address, {**more, "annotate-experts_per_item": "1"}).status_code == 422
    merges = form("merge", items="sample-consolidated", title="M", sources=["consolidated"])
    assert office.post(url("expert_set_up", project, "merge"), merges).status_code == 302


@pytest.mark.parametrize(
    ("kind", "fields", "message"),
    [
        ("annotate", {"title": ""}, "This field is required"),
        ("annotate", {"items": "round-99"}, "Select a valid choice"),
        ("annotate", {"items": "file"}, "Choose a file."),
        ("annotate", {"count": ""}, "Enter the number of items."),
        ("annotate", {"experts_per_item": "10"}, "less than or equal to 9"),
        ("merge", {}, "This field is required"),
        ("merge", {"sources": ["imported"]}, "None of these items has an annotation"),
        ("merge", {"sources": ["the moon"]}, "Select a valid choice"),
    ],
)
def test_invalid_setup_explains_the_correction(office, project, kind, fields, message):
    response = office.post(url("expert_set_up", project, kind), form(kind, **fields))
    assert response.status_code == 422
    assert message in text_of(response)
    assert not ExpertQueue.objects.exists()


def test_invalid_file_explains_the_error(office, project, job_files):
    file = SimpleUploadedFile("items.csv", b"qasrl_id,verb_idx\nnowhere,3\n")
    address = url("expert_set_up", project, "annotate")
    page = office.post(address, form("annotate", items="file", file=file), follow=True)
    run_jobs()
    page = text_of(office.get(page.redirect_chain[-1][0]))
    assert "Nothing was set up. " in page
    assert "has no item" in page
    assert office.post(url("expert_set_up", project, "dance")).status_code == 404


# --- annotating ----------------------------------------------------------------------------------


def test_expert_annotates_and_continues_with_the_next_item(expert, project, item):
    other = make_item(SURVEY, IDENTIFIED, project)
    queue = make_queue(project, [item, other], kind="annotate")
    first = expert.post(url("expert_next", project, queue.pk))
    queued = queue.queued.get(item=item)
    assert first.url == url("expert_item", project, queued.pk)
    page = data_of(expert.get(first.url))
    assert (page["pay"], page["submitted"], page["items"][0]["content"]) == (None, False, None)
    assert send(expert, page["urls"]["draft"], item, FIRST).json()["revision"] == 1
    stale = send(expert, page["urls"]["draft"], item, SECOND)
    assert (stale.status_code, stale.json()["newest"]["revision"]) == (409, 1)
    assert send(expert, page["urls"]["submit"], item, SECOND).status_code == 409
    bad = send(expert, page["urls"]["submit"], item, {"questions": []}, 1)
    assert (bad.status_code, bad.json()["problems"][0]["path"]) == (422, "questions")
    done = send(expert, page["urls"]["submit"], item, FIRST, 1)
    following = queue.queued.get(item=other)
    assert done.json() == {"next": url("expert_item", project, following.pk)}
    assert data_of(expert.get(first.url))["submitted"] is True
    assert send(expert, page["urls"]["submit"], item, SECOND, 1).status_code == 200
    assert (
        Submission.objects.get(role="expert").content["questions"][0]["answers"]
        == (FIRST["questions"][0]["answers"])
    )
    last = send(expert, url("expert_submit", project, following.pk), other, FIRST)
    assert last.json() == {"next": url("expert_queue", project, queue.pk)}
    assert "There are no more items for you" in text_of(expert.get(last.json()["next"]))


def test_own_items_are_listed_and_downloaded(expert, project, item):
    queue = make_queue(project, [item], kind="annotate")
    address = url("expert_queue", project, queue.pk)
    assert "Nothing started yet" in text_of(expert.get(address))
    expert.post(url("expert_next", project, queue.pk))
    page = text_of(expert.get(address))
    assert "1 item" in page
    assert "started" in page
    lines = expert.get(address, {"format": "csv"}).getvalue().decode().splitlines()
    assert lines[0] == "Item,State,Saved"
    assert ",started," in lines[1]


def test_item_can_be_skipped(expert, project, item):
    other = make_item(SURVEY, IDENTIFIED, project)
    queue = make_queue(project, [item, other], kind="annotate")
    next_url = url("expert_next", project, queue.pk)
    first = expert.post(next_url).url
    page = text_of(expert.get(first))
    assert "Skip for now" in page
    pk = first.rstrip("/").rpartition("/")[2]
    second = expert.post(next_url, {"leaving": pk}).url
    assert second == url("expert_item", project, queue.queued.get(item=other).pk)
    for invalid_id in ("x", "9" * 40, "-1"):
        assert expert.post(next_url, {"leaving": invalid_id}).status_code == 302


def test_item_of_another_expert_can_not_be_opened_or_changed(sign_in, project, item):
    queue = make_queue(project, [item])
    queued = queue.queued.get()
    first, second = sign_in("ina", MemberRole.EXPERT), sign_in("olga", MemberRole.EXPERT)
    address = url("expert_item", project, queued.pk)
    assert send(first, f"{address}draft/", item, None).status_code == 200
    assert second.get(address).status_code == 409
    for what in ("draft", "submit"):
        refused = send(second, f"{address}{what}/", item, None)
        assert (refused.status_code, "can't work on this item" in refused.json()["error"]) == (
            403,
            True,
        )
    assert ExpertDraft.objects.count() == 1
    assert second.post(url("expert_next", project, queue.pk)).url == url(
        "expert_queue", project, queue.pk
    )


def test_script_endpoints_require_session_and_csrf_token(sign_in, project, item):
    queued = make_queue(project, [item]).queued.get()
    strict = sign_in("ina", MemberRole.EXPERT, enforce_csrf_checks=True)
    page = data_of(strict.get(url("expert_item", project, queued.pk)))
    draft = page["urls"]["draft"]
    assert send(strict, draft, item, None).status_code == 403
    token = {"X-CSRFToken": page["csrf"]}
    assert send(strict, draft, item, None, headers=token).status_code == 200
    assert send(Client(), draft, item, None).status_code == 403
    for body in ("{}", '{"token": "", "revision": 0, "content": {"1": NaN}}'):
        answer = strict.post(draft, body, content_type="text/plain", headers=token)
        assert answer.status_code == 400


def test_staff_close_and_reopen_a_queue(office, expert, project, item):
    queue = make_queue(project, [item])
    address = url("expert_state", project, queue.pk)
    text = text_of(office.post(address, {"state": "closed"}, follow=True))
    assert "is closed." in text
    assert "0</b> left for you" in text_of(expert.get(url("expert_queue", project, queue.pk)))
    assert "open again" in text_of(office.post(address, {"state": "open"}, follow=True))
    assert "be burnt" not in text_of(office.post(address, {"state": "burnt"}, follow=True))
    queue.refresh_from_db()
    assert queue.state == "open"


def test_queue_of_another_project_is_not_found(expert, item, project):
    foreign = make_gold_item()
    queue = make_queue(foreign.item.project, [foreign.item])
    queued = queue.queued.get()
    assert expert.get(url("expert_queue", project, queue.pk)).status_code == 404
    assert expert.get(url("expert_item", project, queued.pk)).status_code == 404
    for name in ("expert_draft", "expert_submit"):
        assert send(expert, url(name, project, queued.pk), item, None).status_code == 404


# --- blind ---------------------------------------------------------------------------------------


def test_pages_do_not_depend_on_who_wrote_which_source(project, expert):
    """The page data stay equal, except for the order of sources, if the authors are swapped."""
    scheme, page_data = get_scheme("qasrl"), set()
    contents = [FIRST, SECOND]
    for mine, others in (contents, contents[::-1]):
        item = make_item(SURVEY, IDENTIFIED, project)
        make_generation(item, mine)
        parsed = scheme.content.parse_system({"questions": others["questions"]}, context_of(item))
        SystemAnnotation.objects.create(
            item=item, system="parserXL", content=parsed, schema_version=1, imported_at=NOW
        )
        queued = make_queue(project, [item], sources=["generator", "system:parserXL"]).queued.get()
        [data] = data_of(expert.get(url("expert_item", project, queued.pk)))["items"]
        sources = sorted(json.dumps(source, sort_keys=True) for source in data["sources"])
        del data["sources"], data["layout"], data["id"]
        page_data.add(json.dumps([sources, data], sort_keys=True))
    assert len(page_data) == 1


@pytest.fixture
def secrets(project, item, gold):
    """Return all strings that would identify an author to an expert after a whole campaign."""
    otto = make_expert("otto-the-other")
    submit_result(make_queue(project, [item], kind="annotate").queued.get(), otto, FIRST)
    parsed = get_scheme("qasrl").content.parse_gold(
        {"questions": FIRST["questions"]}, context_of(item)
    )
    origin = {"worker_id": "FOREIGNER", "assign_id": "THEIRASSIGNMENT"}
    add_gold(item=item, source="imported", content=parsed, provenance=[origin] * 3, now=NOW)
    SystemAnnotation.objects.create(
        item=item, system="parserXL", content=parsed, schema_version=1, imported_at=NOW
    )
    set_review_rate(project=project, per_thousand=1000)
    draw_due_reviews(clock=lambda: NOW)
    workers = [source.submission.worker for source in gold.case.sources.all()] + [
        gold.submission.worker
    ]
    assignments = [gold.submission.assignment.external_id]
    assignments += [source.submission.assignment.external_id for source in gold.case.sources.all()]
    names = [name for worker in workers for name in (worker.pseudonym, worker.external_id)]
    fixed = ["otto-the-other", "parserXL", "FOREIGNER", "THEIRASSIGNMENT"]
    return [*names, *assignments, *fixed]


def test_no_page_reveals_authors_to_an_expert(expert, project, item, gold, secrets):
    """Open all pages that an expert may open, before and after the expert's work."""
    sources = ["generator", "expert", "consolidated", "imported", "system:parserXL"]
    merges = make_queue(project, [item], sources=sources)
    annotations = make_queue(project, [make_item(SURVEY, IDENTIFIED, project)], kind="annotate")
    review = Review.objects.get()
    arguments = {
        "expert_queue": [[merges.pk], [annotations.pk]],
        "expert_item": [[merges.queued.get().pk], [annotations.queued.get().pk]],
        "review": [[review.pk]],
        "quality_file": [["csv"], ["json"]],
        "quality_item": [[item.pk]],
        "decide_match": [[item.pk]],
        "correction": [[review.pk]],
    }
    expert_routes = [
        name
        for name, rule in RULES.items()
        if not isinstance(rule, Access) and MemberRole.EXPERT in rule and name in ROUTES
    ]
    assert {"project", "items", "experts", "reviews", *arguments} <= set(expert_routes)
    addresses = ["/"]
    for name in expert_routes:
        argument_lists = arguments.get(name, [] if ROUTES[name] else [[]])
        addresses += [url(name, project, *more) for more in argument_lists]

    def check_pages() -> None:
        for address in addresses:
            response = expert.get(address)
            if response.status_code == 405:
                continue
            # Quality figures need an expert's gold, which does not exist before the expert's work.
            assert response.status_code in (200, 404, 409), address
            page = text_of(response)
            leaks = [secret for secret in secrets if secret in page or secret in address]
            assert leaks == [], address
            assert str(response.headers).count("otto") == 0

    check_pages()
    queued = merges.queued.get()
    page = data_of(expert.get(url("expert_item", project, queued.pk)))
    content = {
        "questions": [
            {
                **question,
                "source": {"submission": at, "question": attempt},
                "verdict": "invalid",
                "same_as": None,
            }
            for at, source in enumerate(page["items"][0]["sources"])
            for attempt, question in enumerate(source["questions"])
        ]
    }
    assert send(expert, page["urls"]["submit"], item, content).status_code == 200
    correction = data_of(expert.get(url("correction", project, review.pk)))
    changed = correction["items"][0]["content"]
    changed["questions"][0]["verdict"] = "invalid"
    assert send(expert, correction["urls"]["submit"], item, changed).status_code == 200
    check_pages()
    assert Gold.objects.filter(source="expert").count() == 1


def test_only_staff_read_survival_by_author(office, expert, project, item, secrets):
    queue = make_queue(project, [item], sources=["generator", "expert", "system:parserXL"])
    for name in ("expert_report", "expert_report_csv"):
        assert expert.get(url(name, project, queue.pk)).status_code == 403
    assert "No merged items yet" in text_of(office.get(url("expert_report", project, queue.pk)))
    mia = make_expert("mia")
    queued = queue.queued.get()
    content = {"questions": []}
    for row in queued.merge.sources.all():
        content["questions"] += [
            {
                "question": question["question"],
                "answers": question["answers"],
                "source": {"submission": row.position, "question": position},
                "verdict": "keep" if row.origin == "system" else "invalid",
                "same_as": None,
            }
            for position, question in enumerate(row.content["questions"])
        ]
    submit_result(queued, mia, content)
    page = text_of(office.get(url("expert_report", project, queue.pk)))
    for text in ("system parserXL", "expert otto-the-other", "generations", "100.0 %"):
        assert text in page
    table = text_of(office.get(url("expert_report_csv", project, queue.pk)))
    assert table.splitlines()[0].startswith("source,items,questions,kept")
    assert len(table.splitlines()) == 4
    assert REVIEWERS & RULES["expert_report"] == {MemberRole.ADMIN}
