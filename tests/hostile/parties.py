"""A hostile worker, requester, uploader and stranger of a running site.

Each runs in a thread until it is stopped, at the pace of a person with a script. It counts the
statuses of the responses.
"""

import gzip
import io
import itertools
import re
import socket
import threading
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import boto3
import requests
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError
from django.urls import reverse

from tests.hostile.test_bodies import BODIES
from tests.marketplace.question_forms import answer_format, form_question, free_text, question_form

PAUSE = 0.2
VIEWS = (
    "annotation:draft",
    "annotation:submit",
    "annotation:look-up",
    "marketplace:login",
    "api:projects",
)
CHEAP: dict[str, Any] = {
    "Description": "x",
    "Reward": "0.01",
    "MaxAssignments": 1,
    "LifetimeInSeconds": 60,
    "AssignmentDurationInSeconds": 60,
}
NOBODY = {
    "QualificationTypeId": "00000000000000000040",
    "Comparator": "GreaterThan",
    "IntegerValues": [1_000_000],
    "ActionsGuarded": "DiscoverPreviewAndAccept",
}
SLOW_FORM = question_form(
    form_question("q", free_text(answer_format(r"^([a-zA-Z0-9]+\.?)+@example\.com$")))
)
TOKEN = re.compile(r'"token": ?"([^"]+)"')


class Party(threading.Thread):
    """A thread that repeats `step` until the event `stop` is set. `statuses` counts the responses."""

    def __init__(self, step: Callable[[], int], stop: threading.Event) -> None:
        super().__init__(daemon=True)
        self._step, self._stop_event = step, stop
        self.statuses: Counter[int] = Counter()

    def run(self) -> None:
        while not self._stop_event.wait(PAUSE):
            try:
                self.statuses[self._step()] += 1
            except requests.RequestException:
                self.statuses[0] += 1

    @property
    def server_errors(self) -> int:
        return sum(count for status, count in self.statuses.items() if status >= 500)


def hostile_worker(site: str, task: str) -> Callable[[], int]:
    """Return a step that sends the next hostile body or hostile content with a valid token."""
    numbers = itertools.count()
    contents = itertools.cycle(_contents())
    bodies = itertools.cycle(itertools.product(map(reverse, VIEWS), BODIES.values()))

    def step() -> int:
        number = next(numbers)
        if number % 2:
            path, body = next(bodies)
            data = body if isinstance(body, bytes) else body.encode()
            return requests.post(f"{site}{path}", data=data, timeout=60).status_code
        names = {"assignmentId": f"HOSTILE{number}", "workerId": "EVIL", "turkSubmitTo": site}
        page = requests.get(f"{site}{task}", params=names, timeout=60)
        match = TOKEN.search(page.text)
        if match is None:
            return page.status_code
        body = f'{{"token": "{match[1]}", "content": {next(contents)}, "revision": 0}}'
        return requests.post(
            f"{site}{reverse('annotation:submit')}", data=body.encode(), timeout=60
        ).status_code

    return step


def _contents() -> Iterator[str]:
    for value in (
        "NaN",
        "1e999",
        "-Infinity",
        '"\\ud800"',
        '"\\u0000"',
        "[" * 500,
        '"' + "x" * 90_000 + '"',
    ):
        yield f'{{"1": {{"questions": {value}}}}}'
        yield f'{{"1": {{"questions": [{{"question": {value}, "answers": [[{value}, 1]]}}]}}}}'


def stranger(site: str, addresses: Callable[[], list[str]], read: list[str]) -> Callable[[], int]:
    """Return a step of somebody who knows the addresses of tasks, but accepted none.

    It invents claims, looks up what others wrote, and stores what it may. `read` collects what it
    reads in the pages of work on others' annotations and in look-ups.
    """
    numbers = itertools.count()
    known: list[str] = []
    tokens: list[str] = []

    def step() -> int:
        number = next(numbers)
        if not known or number % 50 == 0:
            known[:] = addresses() or known
        if tokens and number % 3:
            path, body = _posted(tokens[number % len(tokens)], number)
            response = requests.post(f"{site}{path}", json=body, timeout=60)
            if path == reverse("annotation:look-up"):
                read.append(response.text)
            return response.status_code
        if not known:
            return requests.get(f"{site}/hits/login/", timeout=60).status_code
        address = known[number % len(known)]
        names = {"assignmentId": f"FAKE{number}", "workerId": f"W{number}", "hitId": "H"}
        claims = {**names, "turkSubmitTo": site} if number % 2 else {}
        page = requests.get(f"{site}{address}", params=claims, timeout=60)
        tokens.extend(TOKEN.findall(page.text))
        if "/generate/" not in address:
            read.append(page.text)
        return page.status_code

    return step


def _posted(token: str, number: int) -> tuple[str, dict[str, Any]]:
    """Return the path and the body of a request of a page with this token."""
    bodies: list[tuple[str, dict[str, Any]]] = [
        ("annotation:look-up", {"token": token, "resource": "precedents", "query": "say"}),
        ("annotation:tutorial", {"token": token, "done": True}),
        (
            "annotation:draft",
            {"token": token, "revision": 0, "comment": "x" * 2_000, "content": {}},
        ),
    ]
    name, body = bodies[number % len(bodies)]
    return reverse(name), body


def hostile_requester(site: str, keys: dict[str, str], silent: "SilentServer") -> Callable[[], int]:
    """Return a step of a requester who floods the list of HITs.

    It also makes webhooks to a silent server, patterns that other engines run for hours, and huge
    qualifications.
    """
    client = boto3.client(
        "mturk",
        endpoint_url=f"{site}/mturk/",
        region_name="us-east-1",
        aws_access_key_id=keys["access_key_id"],
        aws_secret_access_key=keys["secret_access_key"],
        config=Config(retries={"total_max_attempts": 1}, read_timeout=60),
    )
    numbers = itertools.count()

    def step() -> int:
        number = next(numbers)
        try:
            if number % 4 == 1:
                # Titles of their own, some of which nobody may discover.
                response = client.create_hit(
                    Title=f"Flood {number}",
                    QualificationRequirements=[NOBODY] if number % 8 == 1 else [],
                    Question=_question(silent.url),
                    **CHEAP,
                )
            elif number % 4 == 2:
                response = client.create_hit(Title="Slow", Question=SLOW_FORM, **CHEAP)
            elif number % 4 == 3:
                response = client.create_qualification_type(
                    Name=f"Huge {number}",
                    Description="x" * 2_000,
                    QualificationTypeStatus="Active",
                    Test="<" + "x" * 60_000,
                    TestDurationInSeconds=60,
                )
            else:
                hit = client.create_hit(
                    Title=f"Silent {number % 7}", Question=_question(silent.url), **CHEAP
                )["HIT"]
                response = client.update_notification_settings(
                    HITTypeId=hit["HITTypeId"],
                    Notification={
                        "Destination": silent.url,
                        "Transport": "SNS",
                        "Version": "2006-05-05",
                        "EventTypes": ["HITExpired", "HITReviewable"],
                    },
                    Active=True,
                )
        except ClientError as error:
            return int(error.response["ResponseMetadata"]["HTTPStatusCode"])
        except BotoCoreError:
            return 0
        return int(response["ResponseMetadata"]["HTTPStatusCode"])

    return step


def _question(url: str) -> str:
    schema = (
        "http://mechanicalturk.amazonaws.com/AWSMechanicalTurkDataSchemas/2006-07-14"
        "/ExternalQuestion.xsd"
    )
    return (
        f'<ExternalQuestion xmlns="{schema}"><ExternalURL>{url}</ExternalURL>'
        "<FrameHeight>0</FrameHeight></ExternalQuestion>"
    )


def hostile_uploader(site: str, token: str) -> Callable[[], int]:
    """Return a step that uploads the next of 40 hostile corpora."""
    corpora = itertools.cycle([corpus for _ in range(4) for corpus in _corpora()][:40])

    def step() -> int:
        fmt, name, content = next(corpora)
        return requests.post(
            f"{site}/api/v1/projects/evil/imports/",
            headers={"Authorization": f"Bearer {token}"},
            data={"format": fmt},
            files={"files": (name, content)},
            timeout=120,
        ).status_code

    return step


def _corpora() -> Iterator[tuple[str, str, bytes]]:
    """Yield format, file name and content."""
    yield "text", "long-token.txt", b"a" * 200_000 + b"\n"
    yield "text", "hyphens.txt", b"a-" * 50_000 + b"\n"
    yield "text", "blank.txt", b"\n" * 400_000
    yield "text", "bytes.txt", b"\xff\xfe\x00\x01" * 1_000
    yield "text", "one-line.txt", b"The dog barked. " * 20_000
    yield "jsonl", "bad-lines.jsonl", b"{}\n" * 150_000
    yield "jsonl", "nan.jsonl", b'{"id": NaN, "tokens": [1e999, "\\ud800"]}\n' * 1_000
    yield "jsonl", "deep.jsonl", b"[" * 300_000
    yield "conllu", "columns.conllu", b"1\t" * 100_000 + b"\n"
    yield "qasrl-csv", "quotes.csv", b"qasrl_id,tokens\n" + b'"' * 300_001
    yield "qasrl-bank", "bomb.jsonl.gz", gzip.compress(b" " * 50_000_000)
    yield "text", "bomb.zip", _zip_of(b"a " * 20_000_000)


def _zip_of(content: bytes) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("corpus.txt", content)
    return buffer.getvalue()


class SilentServer:
    """A server that accepts connections and never answers."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=200)
        self.port: int = self._listener.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}/hook"
