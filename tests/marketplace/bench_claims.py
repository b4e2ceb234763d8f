"""How fast a worker gets a HIT, sees its page and submits, over real HTTP.

    DATABASE_URL=postgres://... python -m tests.marketplace.bench_claims --hits 100000 --clients 8

Fills an empty database with open HITs, starts gunicorn for its own duration, lets the clients work,
and prints one JSON object: percentiles in milliseconds for each step, and what went wrong.
"""

import argparse
import http.client
import json
import multiprocessing
import os
import signal
import socket
import subprocess
import sys
import time
from datetime import timedelta
from pathlib import Path
from urllib.parse import parse_qs, urlencode, urlsplit

STEPS = ("accept", "wrapper", "submit")


def fill(hits: int, workers: int, assignments: int) -> tuple[str, list[tuple[str, str]]]:
    """The group's id, and (worker id, session token) of each worker."""
    from django.utils import timezone

    from marketplace.domain import access_keys, accounts
    from marketplace.domain.hit_types import HitTypeValues, register_hit_type
    from marketplace.domain.identifiers import new_code, new_worker_code
    from marketplace.models import Hit, WorkerAccount

    now = timezone.now()
    lab = access_keys.open_account(
        name=f"bench {new_code()}", balance_cents=hits * assignments * 10, now=now
    )
    values = HitTypeValues("Bench", "Bench", "", 5, 3600, 86_400, [])
    kind = register_hit_type(requester=lab, values=values, now=now)
    rows = (
        Hit(
            code=new_code(),
            requester=lab,
            hit_type=kind,
            question="<ExternalQuestion/>",
            external_url="https://lab.example/task",
            max_assignments=assignments,
            available=assignments,
            reward_cents=5,
            fee_cents=1,
            expires_at=now + timedelta(days=7),
        )
        for _ in range(hits)
    )
    Hit.objects.bulk_create(rows, batch_size=5000)
    people = []
    for _ in range(workers):
        code = new_worker_code()
        worker = WorkerAccount.objects.create(code=code, username=code, email="", country="US")
        people.append((code, accounts.start_session(worker=worker, now=now)))
    return kind.code, people


def work(port: int, group: str, token: str, seconds: float, queue: multiprocessing.Queue) -> None:
    """One worker's browser: accept, read the page, submit, again."""
    link = http.client.HTTPConnection("127.0.0.1", port)
    cookie = f"hits_session={token}; csrftoken={'a' * 32}"
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    headers = form | {"Cookie": cookie, "X-CSRFToken": "a" * 32}
    times: dict[str, list[float]] = {step: [] for step in STEPS}
    problems: list[str] = []
    taken: list[str] = []

    def call(step: str, line: tuple[str, str], body: str, sent: dict[str, str], wanted: int):
        start = time.perf_counter()
        link.request(*line, body, sent)
        response = link.getresponse()
        content = response.read()
        times[step].append(time.perf_counter() - start)
        if response.status != wanted:
            problems.append(f"{step}: {response.status}")
        return response, content

    accept = f"/hits/groups/{group}/accept/"
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        response, _ = call("accept", ("POST", accept), "", headers, 302)
        place = response.headers["Location"]
        if not place.startswith("/hits/work/"):
            problems.append(f"accept: sent to {place}")
            break
        _, page = call("wrapper", ("GET", place), "", headers, 200)
        frame = page.decode().partition('src="https://lab.example')[2].partition('"')[0]
        query = parse_qs(urlsplit(frame.replace("&amp;", "&")).query)
        taken.append(query["hitId"][0])
        body = urlencode({"assignmentId": query["assignmentId"][0], "content": "x" * 800})
        path = urlsplit(query["turkSubmitTo"][0]).path + "/mturk/externalSubmit"
        call("submit", ("POST", path), body, form, 200)
    queue.put((times, problems, taken))


def percentiles(seconds: list[float]) -> dict[str, float]:
    ordered = sorted(seconds)
    at = {"p50": 0.50, "p95": 0.95, "p99": 0.99}
    return {name: round(1000 * ordered[int(len(ordered) * q)], 2) for name, q in at.items()}


def measure(hits: int, clients: int, seconds: float, assignments: int) -> dict[str, object]:
    import django

    django.setup()
    from django.core.management import call_command
    from django.db import connection

    call_command("migrate", verbosity=0)
    call_command("collectstatic", "--noinput", verbosity=0)
    group, people = fill(hits, clients, assignments)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    connection.close()
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    gunicorn = Path(sys.executable).with_name("gunicorn")
    server = subprocess.Popen(
        [
            *(gunicorn, "config.wsgi", "-b", f"127.0.0.1:{port}", "--log-level", "warning"),
            *("-k", "gthread", "-w", "2", "--threads", "4"),
        ]
    )
    try:
        _wait_for(port)
        _warm_up(port)
        queue: multiprocessing.Queue = multiprocessing.Queue()
        start = time.monotonic()
        tasks = [
            multiprocessing.Process(target=work, args=(port, group, token, seconds, queue))
            for _, token in people
        ]
        for task in tasks:
            task.start()
        results = [queue.get(timeout=seconds + 60) for _ in tasks]
        elapsed = time.monotonic() - start
        for task in tasks:
            task.join()
    finally:
        server.send_signal(signal.SIGTERM)
        server.wait(timeout=20)
    taken = [hit for _, _, hits_taken in results for hit in hits_taken]
    most = max((taken.count(hit) for hit in set(taken[:2000])), default=0)
    return {
        "database": connection.vendor,
        "hits": hits,
        "clients": clients,
        "done": len(taken),
        "per_second": round(len(taken) / elapsed, 1),
        "most_claims_of_one_hit": most,
        "allowed_claims_of_one_hit": assignments,
        "twice_to_one_worker": sum(len(r[2]) - len(set(r[2])) for r in results),
        "problems": sorted({problem for _, found, _ in results for problem in found}),
        **{step: percentiles([t for r in results for t in r[0][step]]) for step in STEPS},
    }


def _wait_for(port: int) -> None:
    for _ in range(200):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return
        except OSError:
            time.sleep(0.05)
    raise SystemExit("gunicorn did not start")


def _warm_up(port: int) -> None:
    """Both processes load the site at their first request; that is not what is measured."""
    links = [http.client.HTTPConnection("127.0.0.1", port) for _ in range(16)]
    for link in links:
        link.request("GET", "/hits/login/")
    for link in links:
        link.getresponse().read()
        link.close()


if __name__ == "__main__":
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hits", type=int, default=10_000)
    parser.add_argument("--clients", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--assignments", type=int, default=1)
    args = parser.parse_args()
    found = measure(args.hits, args.clients, args.seconds, args.assignments)
    sys.stdout.write(json.dumps(found) + "\n")
