"""The stand-in over HTTP: authorization, errors, faults and the participant's pages."""

import subprocess
import sys
import time
from threading import Thread

import pytest
import requests

from tests.environment import ROOT, find_free_port
from tests.fakes.prolific import CODE, Fault, running_prolific, study_fields


@pytest.fixture
def server():
    with running_prolific() as server:
        yield server


def send(server, method, path, body=None, *, token=None, timeout=5):
    headers = {"Authorization": f"Token {token or server.token}"}
    return requests.request(
        method, f"{server.url}/api/v1{path}", headers=headers, json=body, timeout=timeout
    )


def test_study_over_http(server):
    response = send(server, "POST", "/studies/", study_fields())
    assert response.status_code == 201
    key = response.json()["id"]
    for path in (f"/studies/{key}", f"/studies/{key}/"):
        assert send(server, "GET", path).json() == response.json()
    response = send(server, "DELETE", f"/studies/{key}/")
    assert (response.status_code, response.content) == (204, b"")
    assert server.requests[0] == ("POST", "/studies/")


def test_invalid_token(server):
    response = send(server, "GET", "/users/me/", token="wrong")
    assert response.status_code == 401
    assert response.json()["error"]["detail"] == "Invalid token."
    assert requests.get(f"{server.url}/api/v1/users/me/", timeout=5).status_code == 401


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/nothing/", 404),
        ("DELETE", "/users/me/", 405),
        ("GET", "/studies/0123/", 404),
        ("POST", "/studies/", 400),
    ],
)
def test_errors(server, method, path, status):
    response = send(server, method, path)
    assert response.status_code == status
    assert "detail" in response.json().get("error", response.json())


def test_invalid_json(server):
    headers = {"Authorization": f"Token {server.token}"}
    address = f"{server.url}/api/v1/studies/"
    response = requests.post(address, data="{", headers=headers, timeout=5)
    assert (response.status_code, response.json()["detail"]) == (400, "JSON parse error")


@pytest.mark.parametrize(
    ("fault", "status", "has_effect"),
    [
        (Fault.THROTTLE, 429, False),
        (Fault.SERVER_ERROR, 503, False),
        (Fault.ERROR_AFTER, 502, True),
        (Fault.DROP_BEFORE, None, False),
        (Fault.DROP_AFTER, None, True),
        (Fault.DELAY, 201, True),
    ],
)
def test_fault(server, fault, status, has_effect):
    server.faults.once(fault, "POST", "/studies/", retry_after=7)
    if status is None:
        with pytest.raises(requests.ConnectionError):
            send(server, "POST", "/studies/", study_fields())
    else:
        response = send(server, "POST", "/studies/", study_fields())
        assert response.status_code == status
        assert response.headers.get("Retry-After") == ("7" if status == 429 else None)
    assert len(server.platform.studies) == has_effect
    assert server.faults.applied == [("POST", "/studies/", fault)]
    assert send(server, "POST", "/studies/", study_fields()).status_code == 201


def test_faults_match_by_method_path_and_probability(server):
    faults = server.faults
    faults.add(Fault.THROTTLE, "POST", "/bulk-bonus-payments/*/pay/", times=2)
    faults.add(Fault.SERVER_ERROR, path="/studies/*", probability=0.5)
    assert faults.pick("GET", "/bulk-bonus-payments/1/pay/") is None
    picks = [faults.pick("POST", "/bulk-bonus-payments/1/pay/") for _ in range(3)]
    assert [bool(rule) for rule in picks] == [True, True, False]
    picked = sum(faults.pick("GET", "/studies/1/") is not None for _ in range(1000))
    assert 400 < picked < 600
    faults.clear()
    assert faults.pick("GET", "/studies/1/") is None


def test_concurrent_payments_are_refused(server):
    study = server.add_study()
    person = server.participant()
    person.take(study)
    body = {"study_id": study.id, "csv_bonuses": f"{person.id},1"}
    key = server.call("POST", "/submissions/bonus-payments/", body)[1]["id"]
    server.faults.once(Fault.DELAY, path="*/pay/", seconds=0.5)
    path = f"/bulk-bonus-payments/{key}/pay/"
    first = Thread(target=send, args=(server, "POST", path))
    first.start()
    while not server.platform.pending_bonuses:
        time.sleep(0.01)
    assert send(server, "POST", path).status_code == 429
    first.join()
    assert send(server, "POST", path).status_code == 202


def test_participant_works_in_a_browser(server):
    arrival = f"{server.url}/arrived/?session={{{{%SESSION_ID%}}}}"
    study = server.add_study(external_study_url=arrival)
    browser = requests.Session()
    page = browser.post(f"{server.url}/participants", timeout=5)
    [person] = server.platform.people
    assert page.url == f"{server.url}/participants/{person}"
    assert "Questions about sentences" in page.text
    response = browser.post(page.url, data={"study": study.id}, timeout=5, allow_redirects=False)
    [submission] = server.platform.submissions.values()
    assert response.headers["Location"] == f"{server.url}/arrived/?session={submission.id}"
    page = browser.get(f"{server.url}/submissions/complete?cc={CODE}", timeout=5)
    assert "AWAITING REVIEW" in page.text
    assert submission.entered_code == CODE
    page = browser.get(f"{server.url}/submissions/complete?cc={CODE}", timeout=5)
    assert page.status_code == 409
    page = browser.post(f"{server.url}/participants/{person}", {"return": submission.id}, timeout=5)
    assert "RETURNED" in page.text
    assert person in browser.get(server.url, timeout=5).text
    assert browser.get(f"{server.url}/nothing", timeout=5).status_code == 404


def test_command_starts_the_server():
    port = find_free_port()
    command = [sys.executable, "-m", "tests.fakes.prolific", "--port", str(port)]
    process = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout.readline() == f"Participants: http://127.0.0.1:{port}/\n"
        assert requests.get(f"http://127.0.0.1:{port}/", timeout=5).text.count("<li>") == 5
    finally:
        process.terminate()
        process.communicate(timeout=10)
