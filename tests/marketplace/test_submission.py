"""Submission of answers, and the frame of the task page."""

from datetime import timedelta
from urllib.parse import parse_qs, urlsplit

import pytest
from defusedxml.ElementTree import fromstring
from django.test import Client
from django.utils import timezone

from marketplace.domain.questions.submit_tokens import read_submit_token, submit_token
from marketplace.domain.work import maintenance, work
from marketplace.models import Assignment, Hit, WorkerAccount
from marketplace.views.frame import FOREIGN_SANDBOX, SANDBOX

from .conftest import accept, frame_query, framed, log_in, make_worker, question, submit

pytestmark = pytest.mark.django_db


@pytest.fixture
def accepted(publish, browser) -> str:
    return accept(browser, publish())


def post(path: str, form: dict, client: Client | None = None, **headers):
    return (client or Client()).post(path, form, headers=headers)


def submit_path(browser, assignment) -> str:
    path = urlsplit(frame_query(browser, assignment)["turkSubmitTo"]).path
    return f"{path}/mturk/externalSubmit"


def status_of(assignment: str) -> str:
    return Assignment.objects.get(code=assignment).status


def test_frame_gets_the_parameters_of_mturk(site, browser, worker, publish):
    hit = publish()
    assignment = accept(browser, hit)
    page = browser.get(f"/hits/work/{assignment}/")
    url = urlsplit(framed(page))
    assert f"{url.scheme}://{url.netloc}{url.path}" == "https://lab.example/task"
    query = parse_qs(url.query)
    token = submit_token(assignment_code=assignment, worker_code=worker.code)
    assert query == {
        "item": ["1"],
        "role": ["generator"],
        "assignmentId": [assignment],
        "hitId": [hit["HITId"]],
        "workerId": [worker.code],
        "turkSubmitTo": [f"{site}/hits/submit/{token}"],
    }
    html = page.content.decode()
    assert 'id="task"' in html
    assert f'sandbox="{FOREIGN_SANDBOX}"' in html
    assert 'referrerpolicy="no-referrer"' in html


@pytest.mark.parametrize(
    ("url", "sandbox"),
    [
        ("https://lab.example/t", FOREIGN_SANDBOX),
        ("http://market.example/t", FOREIGN_SANDBOX),
        ("https://market.example:444/t", FOREIGN_SANDBOX),
        ("https://127.0.0.2/t", FOREIGN_SANDBOX),
        ("https://[::1]/t", FOREIGN_SANDBOX),
        ("https://market.example/t", SANDBOX),
        ("https://MARKET.example.:443/t", SANDBOX),
        ("https://site.example/t", SANDBOX),
        ("http://testserver:80/t", SANDBOX),
        ("https://127.0.0.1/t", SANDBOX),
        ("https://127.1/t", SANDBOX),
        ("https://0x7f.0.0.1/t", SANDBOX),
        ("https://2130706433/t", SANDBOX),
    ],
)
def test_sandbox_is_relaxed_for_other_origins_only(settings, publish, browser, url, sandbox):
    settings.ALLOWED_HOSTS = ["*"]
    hit = publish(Question=question(url))
    settings.MARKETPLACE_URL, settings.SITE_URL = "https://market.example", "https://site.example"
    if "127" in url:
        settings.MARKETPLACE_URL = "https://127.0.0.1"
    pages = [browser.get(f"/hits/groups/{hit['HITTypeId']}/")]
    pages.append(browser.get(f"/hits/work/{accept(browser, hit)}/"))
    for page in pages:
        assert f'sandbox="{sandbox}"' in page.content.decode()
        assert page["Cross-Origin-Opener-Policy"] == "same-origin-allow-popups"


def test_wrapper_frames_the_tasks_origin_and_the_answer_page_only(site, browser, accepted):
    policy = browser.get(f"/hits/work/{accepted}/")["Content-Security-Policy"]
    (frame_src,) = [part for part in policy.split("; ") if part.startswith("frame-src")]
    assert frame_src == f"frame-src https://lab.example {site}/hits/submit/"


def test_preview_has_no_worker_and_accepts_no_answer(browser, publish, worker):
    hit = publish()
    page = browser.get(f"/hits/groups/{hit['HITTypeId']}/")
    query = parse_qs(urlsplit(framed(page)).query)
    assert query["assignmentId"] == ["ASSIGNMENT_ID_NOT_AVAILABLE"]
    assert query["hitId"] == [hit["HITId"]]
    assert not {"workerId", "turkSubmitTo"} & set(query)
    form = {"assignmentId": "ASSIGNMENT_ID_NOT_AVAILABLE", "answer": "yes"}
    assert post("/mturk/externalSubmit", form, browser).status_code == 404


def test_submission_needs_no_cookies(browser, accepted):
    answer = submit(browser, accepted, content="x")
    assert answer.status_code == 200
    assert "Submitted" in answer.content.decode()
    assert status_of(accepted) == "Submitted"


def test_answer_page_may_be_framed_by_the_marketplace_only(site, browser, accepted):
    answer = submit(browser, accepted)
    assert "X-Frame-Options" not in answer
    assert f"frame-ancestors {site};" in answer["Content-Security-Policy"] + ";"
    assert f'data-assignment="{accepted}"' in answer.content.decode()


def test_answer_beyond_the_limit_is_refused(browser, accepted):
    path = submit_path(browser, accepted)
    too_long = {"assignmentId": accepted, "content": "x" * work.MAX_ANSWER_LENGTH}
    refused = post(path, too_long)
    assert refused.status_code == 409
    assert "longer than" in refused.content.decode()
    assert status_of(accepted) == "Accepted"
    assert post(path, {"assignmentId": accepted, "content": "x" * 256 * 1024}).status_code == 200


def test_repeated_submission_succeeds_and_changes_nothing(browser, accepted):
    path = submit_path(browser, accepted)
    form = {"assignmentId": accepted, "content": "line one\r\nline two"}
    assert post(path, form).status_code == 200
    before = Assignment.objects.values().get(code=accepted)
    assert post(path, form).status_code == 200
    assert Assignment.objects.values().get(code=accepted) == before
    hit = Hit.objects.get()
    assert (hit.pending, hit.submitted, hit.completed) == (0, 1, 0)


def test_different_answers_after_submission_are_refused(browser, accepted):
    path = submit_path(browser, accepted)
    post(path, {"assignmentId": accepted, "content": "first"})
    second = post(path, {"assignmentId": accepted, "content": "second"})
    assert second.status_code == 409
    assert "first" in Assignment.objects.get().answer


def answers_of(mturk) -> dict[str, str]:
    """Return the answers of the only assignment through boto3."""
    (hit,) = mturk.list_hits()["HITs"]
    (row,) = mturk.list_assignments_for_hit(HITId=hit["HITId"])["Assignments"]
    texts = [element.text or "" for element in fromstring(row["Answer"]).iter() if not len(element)]
    return dict(zip(texts[::2], texts[1::2], strict=True))


def test_all_fields_but_the_assignment_id_are_answers(mturk, browser, accepted):
    form = {"hitId": "x", "workerId": "y", "turkSubmitTo": "z"}
    assert (
        post(submit_path(browser, accepted), form | {"assignmentId": accepted}).status_code == 200
    )
    assert answers_of(mturk) == form


def test_form_with_nothing_but_the_assignment_id_is_accepted(mturk, browser, accepted):
    path = submit_path(browser, accepted)
    for _ in range(2):
        assert post(path, {"assignmentId": accepted}).status_code == 200
    (hit,) = mturk.list_hits()["HITs"]
    (row,) = mturk.list_assignments_for_hit(HITId=hit["HITId"])["Assignments"]
    assert len(fromstring(row["Answer"])) == 0


def test_form_is_submitted_by_get_once(mturk, browser, accepted):
    path = submit_path(browser, accepted)
    form = {"assignmentId": accepted, "content": "x & y"}
    for _ in range(2):
        response = Client().get(path, form)
        assert response.status_code == 200
        assert "no-store" in response["Cache-Control"]
    assert answers_of(mturk) == {"content": "x & y"}
    assert Client().get(path, form | {"content": "other"}).status_code == 409
    mturk.approve_assignment(AssignmentId=accepted)


def test_get_is_checked_like_post(browser, accepted):
    path = submit_path(browser, accepted)
    form = {"assignmentId": accepted, "content": "x"}
    assert Client().get(path).status_code == 403
    assert Client().get(path, form | {"assignmentId": "3OTHER"}).status_code == 403
    assert Client().get(path[:30] + "x" + path[31:], form).status_code == 403
    assert Client().get("/mturk/externalSubmit", form).status_code == 403
    # Links and images of other sites, and of a QuestionForm on a page of this site.
    for site in ("cross-site", "same-site", "same-origin"):
        linked = browser.get("/mturk/externalSubmit", form, headers={"Sec-Fetch-Site": site})
        assert linked.status_code == 403
    assert Client().head(path, form).status_code == 405
    assert status_of(accepted) == "Accepted"
    # Old browsers, and sites without https, do not say where the request comes from.
    assert browser.get("/mturk/externalSubmit", form).status_code == 403
    typed = browser.get("/mturk/externalSubmit", form, headers={"Sec-Fetch-Site": "none"})
    assert typed.status_code == 200


def test_tampered_token_is_refused(browser, accepted, worker):
    path = submit_path(browser, accepted)
    form = {"assignmentId": accepted, "content": "x"}
    token = path.split("/")[3]
    for bad in (token[:-1] + ("0" if token[-1] != "0" else "1"), "x", "a.b.c", token + "0"):
        assert post(path.replace(token, bad), form).status_code == 403
    assert status_of(accepted) == "Accepted"


def test_token_is_bound_to_its_assignment(publish, browser, worker):
    first, second = publish(), publish()
    assignment, other = accept(browser, first), accept(browser, second)
    form = {"assignmentId": other, "content": "x"}
    assert post(submit_path(browser, assignment), form).status_code == 403
    assert {status_of(assignment), status_of(other)} == {"Accepted"}


def test_worker_cannot_see_submit_or_return_work_of_another(browser, accepted):
    other = log_in(make_worker("bob"))
    assert other.get(f"/hits/work/{accepted}/").status_code == 404
    assert other.post(f"/hits/work/{accepted}/next/").status_code == 404
    form = {"assignmentId": accepted, "content": "x"}
    assert post("/mturk/externalSubmit", form, other).status_code == 404
    other.post(f"/hits/work/{accepted}/return/")
    assert status_of(accepted) == "Accepted"


def test_path_without_a_token_requires_the_workers_session(site, browser, accepted):
    form = {"assignmentId": accepted, "content": "x"}
    assert post("/mturk/externalSubmit", form).status_code == 403
    evil = post("/mturk/externalSubmit", form, browser, Origin="https://evil.example")
    assert evil.status_code == 403
    assert post("/mturk/externalSubmit", form, browser, Origin="null").status_code == 403
    assert status_of(accepted) == "Accepted"
    assert post("/mturk/externalSubmit", form, browser, Origin=site).status_code == 200


def test_submission_after_return_is_refused(browser, accepted):
    path = submit_path(browser, accepted)
    browser.post(f"/hits/work/{accepted}/return/")
    assert post(path, {"assignmentId": accepted, "content": "x"}).status_code == 409
    assert status_of(accepted) == "Returned"


def test_submission_without_acceptance_is_refused(publish, browser, worker):
    publish()
    token = submit_token(assignment_code="3NEVERACCEPTED", worker_code=worker.code)
    form = {"assignmentId": "3NEVERACCEPTED", "content": "x"}
    assert post(f"/hits/submit/{token}/mturk/externalSubmit", form).status_code == 404


def test_late_submission_is_refused_and_frees_the_place(browser, accepted):
    path = submit_path(browser, accepted)
    Assignment.objects.update(deadline_at=timezone.now() - timedelta(seconds=6))
    assert post(path, {"assignmentId": accepted, "content": "x"}).status_code == 409
    assert status_of(accepted) == "Abandoned"
    assert Hit.objects.get().available == 1


def test_submission_just_after_the_deadline_is_accepted(browser, accepted):
    path = submit_path(browser, accepted)
    Assignment.objects.update(deadline_at=timezone.now() - timedelta(seconds=2))
    assert post(path, {"assignmentId": accepted, "content": "x"}).status_code == 200


def test_submission_of_a_closed_account_is_refused(browser, accepted, worker):
    path = submit_path(browser, accepted)
    WorkerAccount.objects.update(active=False)
    assert post(path, {"assignmentId": accepted, "content": "x"}).status_code == 404


def test_work_accepted_before_the_hit_expired_can_be_submitted(mturk, publish, browser):
    hit = publish()
    assignment = accept(browser, hit)
    mturk.update_expiration_for_hit(HITId=hit["HITId"], ExpireAt=0)
    assert submit(browser, assignment).status_code == 200
    mturk.approve_assignment(AssignmentId=assignment)
    assert mturk.get_account_balance() | {"ResponseMetadata": None} == {
        "AvailableBalance": "999.94",
        "OnHoldBalance": "0.00",
        "ResponseMetadata": None,
    }


def test_overdue_work_is_offered_to_another_worker(publish, browser):
    hit = publish()
    accept(browser, hit)
    Assignment.objects.update(deadline_at=timezone.now() - timedelta(minutes=1))
    other = log_in(make_worker("bob"))
    accept(other, hit)
    assert sorted(Assignment.objects.values_list("status", flat=True)) == ["Abandoned", "Accepted"]


def test_submission_before_the_sweep_is_not_abandoned(browser, accepted):
    path = submit_path(browser, accepted)
    post(path, {"assignmentId": accepted, "content": "x"})
    Assignment.objects.update(deadline_at=timezone.now() - timedelta(minutes=1))
    assert maintenance.abandon_overdue(now=timezone.now()) == 0
    assert status_of(accepted) == "Submitted"


def test_answers_survive_xml(mturk, publish, browser):
    hit = publish()
    assignment = accept(browser, hit)
    path = submit_path(browser, assignment)
    odd = "<&>]]>\"' \x00\x0b é 漢字 🙂\r\nend"
    form = {"assignmentId": assignment, "text": odd, "many": ["a", "b"]}
    assert post(path, form).status_code == 200
    (row,) = mturk.list_assignments_for_hit(HITId=hit["HITId"])["Assignments"]
    texts = [element.text for element in fromstring(row["Answer"]).iter() if element.text]
    assert texts == ["text", "<&>]]>\"'  é 漢字 🙂\nend", "many", "a|b"]


def test_next_hit_requires_a_submission(browser, accepted):
    page = browser.post(f"/hits/work/{accepted}/next/", {"accepts_next": "on"})
    assert page.url == f"/hits/work/{accepted}/"


def test_next_leads_to_a_hit_or_the_list_and_stores_the_choice(publish, browser, worker):
    first, _ = publish(), publish()
    assignment = accept(browser, first)
    submit(browser, assignment)
    following = browser.post(f"/hits/work/{assignment}/next/", {"accepts_next": "on"}).url
    assert following.startswith("/hits/work/")
    assert following != f"/hits/work/{assignment}/"
    second = following.split("/")[3]
    assert "checked" in browser.get(following).content.decode()
    submit(browser, second)
    assert browser.post(f"/hits/work/{second}/next/").url == "/hits/"
    worker.refresh_from_db()
    assert worker.accepts_next is False


def test_reloading_the_page_keeps_the_assignment(browser, accepted):
    first, second = (frame_query(browser, accepted) for _ in range(2))
    assert first == second


def test_reused_assignment_id_has_another_token(settings, publish, browser, worker):
    settings.MARKETPLACE_FAULTS = "reuse_assignment_ids=1,seed=1"
    hit = publish()
    assignment = accept(browser, hit)
    old_path = submit_path(browser, assignment)
    browser.post(f"/hits/work/{assignment}/return/")
    other = log_in(make_worker("bob"))
    assert accept(other, hit) == assignment
    form = {"assignmentId": assignment, "content": "x"}
    assert post(old_path, form).status_code == 404
    assert status_of(assignment) == "Accepted"
    assert post(submit_path(other, assignment), form).status_code == 200


def test_tokens_of_other_sites_are_refused(settings):
    token = submit_token(assignment_code="3A", worker_code="A1")
    assert read_submit_token(token) == ("3A", "A1")
    settings.SECRET_KEY = "another site"
    assert read_submit_token(token) is None


def test_question_url_keeps_its_fragment_and_query(publish, browser):
    hit = publish(Question=question("https://lab.example/t?a=1&b=%20x#part"))
    assignment = accept(browser, hit)
    url = urlsplit(framed(browser.get(f"/hits/work/{assignment}/")))
    assert url.query.startswith("a=1&b=%20x&assignmentId=")
    assert url.fragment == "part"
