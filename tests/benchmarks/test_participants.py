"""What participants and visitors can do and see, from registration to the results."""

import io
import json
import re
from datetime import timedelta
from pathlib import Path
from zipfile import ZipFile

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from audit.models import StateChange
from benchmarks.domain.open_benchmark import open_benchmark
from benchmarks.enums import EntryState
from benchmarks.models import Benchmark, Entry, Phase, Team
from consolidation.domain.gold.add_gold import add_gold
from jobs.models import Job
from projects.domain.api_tokens import issue_token
from projects.enums import MemberRole, TokenScope
from releases.domain.public import open_to_public
from tests.benchmarks.samples import (
    SCORED,
    gold_text,
    make_account,
    make_benchmark,
    make_phase_terms,
    make_team,
    make_terms,
    phase_of,
    predictions,
    run_all,
    send,
    upload,
)
from tests.crowd.factories import NOW
from tests.dashboard.campaign import make_user
from tests.releases.projects import make_release, make_sample_project

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("job_files")]
MARKER = "Zqxmarker"
BOX = [101, 103, 107, 109]
SECRETS = {"frames": MARKER, "qasrl": MARKER, "grounding": "107, 109"}


def at(benchmark: Benchmark, name: str, *more: object) -> str:
    release = benchmark.release
    return reverse(f"benchmarks:{name}", args=[release.project.slug, release.version, *more])


def api_at(benchmark: Benchmark, name: str, *more: object) -> str:
    release = benchmark.release
    return reverse(f"api:{name}", args=[release.project.slug, release.version, *more])


def board_of(benchmark: Benchmark, kind: str = "development") -> str:
    return f"{at(benchmark, 'leaderboard')}?phase={kind}"


def signed_in(user) -> Client:
    client = Client()
    client.force_login(user)
    return client


def text_of(response) -> str:
    content = response.getvalue() if response.streaming else response.content
    if content[:2] == b"PK":
        with ZipFile(io.BytesIO(content)) as archive:
            return "\n".join(archive.read(name).decode() for name in archive.namelist())
    return " ".join(content.decode().split())


@pytest.fixture
def task(tmp_path) -> Benchmark:
    return make_benchmark("frames", tmp_path, now=timezone.now())


@pytest.fixture
def ann(task):
    return make_account("ann")


def test_participant_registers_sends_files_and_reads_the_result(task, ann, tmp_path):
    client = signed_in(ann)
    assert "Take part" in text_of(Client().get(at(task, "public_benchmark")))
    assert "Register a team" in text_of(client.get(at(task, "benchmark_team")))
    refused = client.post(at(task, "benchmark_team"), {"name": ""})
    assert refused.status_code == 422
    client.post(at(task, "benchmark_team"), {"name": "Parsers", "affiliation": "Lab"})
    team = Team.objects.get()
    assert [member.user for member in team.members.all()] == [ann]

    page = text_of(client.get(at(task, "benchmark_team")))
    assert "No entries yet." in page
    assert team.code in page
    gold = gold_text(phase_of(task), tmp_path / "gold")
    form = {"phase": "development", "variant": "A", "system": "First"}
    wrong = client.post(at(task, "enter"), {**form, "file": upload("frames", "#1 1 run.Run\n")})
    assert wrong.status_code == 302
    client.post(
        at(task, "enter"),
        {**form, "system": "Second", "file": upload("frames", predictions("frames", gold))},
    )
    page = text_of(client.get(at(task, "benchmark_team")))
    assert "hx-get" in page  # while entries are waiting
    run_all()
    page = text_of(client.get(at(task, "benchmark_team")))
    assert "is unknown: #1 1." in page
    assert "hx-get" not in page
    entry = Entry.objects.get(state=EntryState.SCORED)
    value = f"{100 * entry.figures['bcubed_f']['value']:.1f}"
    assert value in page
    assert value in text_of(client.get(at(task, "benchmark_entry", entry.pk)))
    board = text_of(Client().get(board_of(task)))
    assert "Parsers" in board
    assert value in board
    log = StateChange.objects.filter(aggregate="benchmarks.Entry", object_id=entry.pk)
    assert list(log.order_by("pk").values_list("new", flat=True)) == ["received", "scored"]


def test_form_errors_are_shown(task, ann):
    client = signed_in(ann)
    make_team(task, "Parsers", ann)
    form = {"phase": "development", "variant": "A", "system": "First"}
    assert client.post(at(task, "enter"), form).status_code == 422
    unknown = {**form, "phase": "other", "file": upload("frames", "x")}
    assert client.post(at(task, "enter"), unknown).status_code == 422
    phase = phase_of(task)
    phase.max_per_day = phase.max_total = 1
    phase.save()
    for status in (302, 422):
        answer = client.post(at(task, "enter"), {**form, "file": upload("frames", "x")})
        assert answer.status_code == status
    assert "used all 1 entries" in text_of(answer)


def test_second_member_joins_by_the_link(task, ann):
    team = make_team(task, "Parsers", ann)
    ben = make_account("ben")
    client = signed_in(ben)
    link = at(task, "join_team", team.code)
    assert "Join Parsers" in text_of(client.get(link))
    assert not team.members.filter(user=ben).exists()
    assert client.post(link).status_code == 302
    assert team.members.filter(user=ben).exists()
    assert client.get(link).url == at(task, "benchmark_team")
    assert client.get(at(task, "join_team", "x" * 32)).status_code == 404


def test_other_teams_entries_are_not_found(task, ann, tmp_path):
    gold = gold_text(phase_of(task), tmp_path / "gold")
    entry = send(make_team(task, "Others"), phase_of(task), gold, now=timezone.now())
    stranger, member = signed_in(make_account("sam")), signed_in(ann)
    make_team(task, "Parsers", ann)
    for client in (stranger, member):
        assert client.get(at(task, "benchmark_entry", entry.pk)).status_code == 404
        assert client.post(at(task, "withdraw_own_entry", entry.pk)).status_code == 404
        assert client.get(api_at(task, "entry", entry.pk)).status_code == 404
        assert client.get(api_at(task, "entries")).json()["results"] == []
    assert stranger.post(at(task, "enter")).status_code == 404
    assert stranger.post(at(task, "withdraw_own_team")).status_code == 404
    entry.refresh_from_db()
    assert entry.withdrawn_at is None


def test_team_withdraws_an_entry_and_itself_after_asking(task, ann, tmp_path):
    client = signed_in(ann)
    team = make_team(task, "Parsers", ann)
    entry = send(
        team, phase_of(task), gold_text(phase_of(task), tmp_path / "gold"), now=timezone.now()
    )
    question = text_of(client.post(at(task, "withdraw_own_entry", entry.pk)))
    assert "still counts towards the limits" in question
    entry.refresh_from_db()
    assert entry.withdrawn_at is None
    client.post(at(task, "withdraw_own_entry", entry.pk), {"confirmed": "yes"})
    entry.refresh_from_db()
    assert entry.withdrawn_by == "ann"
    assert "No entry is scored yet." in text_of(Client().get(board_of(task)))
    client.post(at(task, "withdraw_own_team"))
    team.refresh_from_db()
    assert team.withdrawn_at is None
    client.post(at(task, "withdraw_own_team"), {"confirmed": "yes"})
    team.refresh_from_db()
    assert team.withdrawn_by == "ann"
    assert "No phase accepts entries now." in text_of(client.get(at(task, "benchmark_team")))


def test_hidden_scores_are_shown_after_the_end(tmp_path):
    now = timezone.now()
    phases = [make_phase_terms("test", ["test"], now=now, shows_scores=False)]
    task = make_benchmark("frames", tmp_path, now=now, phases=phases)
    ann = make_account("ann")
    client = signed_in(ann)
    phase = phase_of(task, "test")
    gold = gold_text(phase, tmp_path / "gold")
    entry = send(make_team(task, "Parsers", ann), phase, predictions("frames", gold), now=now)
    value = f"{100 * entry.figures['bcubed_f']['value']:.1f}"
    pages = [
        at(task, "benchmark_team"),
        at(task, "benchmark_entry", entry.pk),
        at(task, "leaderboard"),
        api_at(task, "entry", entry.pk),
    ]
    for page in pages:
        assert value not in text_of(client.get(page)), page
    assert client.get(api_at(task, "entry", entry.pk)).json()["scores"] is None
    for name in ("benchmark_chart", "item_comparison"):
        assert client.get(at(task, name, "test")).status_code == 404
    Phase.objects.update(ends_at=timezone.now())
    for page in pages[:3]:
        assert value in text_of(client.get(page)), page
    assert client.get(api_at(task, "entry", entry.pk)).json()["scores"]["bcubed_f"]["value"]


def test_inputs_wait_for_the_start(task, client):
    Phase.objects.filter(kind="test").update(
        starts_at=timezone.now() + timedelta(days=1), ends_at=timezone.now() + timedelta(days=2)
    )
    assert client.get(at(task, "benchmark_inputs", "development")).status_code == 200
    assert client.get(at(task, "benchmark_inputs", "test")).status_code == 404
    assert client.get(at(task, "benchmark_inputs", "other")).status_code == 404


def with_marked_gold(scheme: str, folder: Path) -> Benchmark:
    """Return a benchmark whose gold has a secret text or box in each item."""
    project = make_sample_project(scheme, folder)
    for item in project.items.all():
        content = json.loads(json.dumps(item.gold.latest("pk").content))
        provenance: list[dict[str, object]] = []
        if scheme == "qasrl":
            for question in content["questions"]:
                question["question"] = f"who {MARKER} something?"
            provenance = [{} for _ in content["questions"]]
        elif scheme == "frames":
            content["frame"] = MARKER
            for argument in content["arguments"]:
                argument["element"] = argument["role"] = MARKER
        else:
            for phrase in content["phrases"]:
                if phrase["boxes"]:
                    phrase["boxes"] = [BOX]
            provenance = [{} for _ in content["phrases"]]
        add_gold(item=item, source="expert", content=content, provenance=provenance, now=NOW)
    release = make_release(project)
    return open_benchmark(
        release=release, terms=make_terms(release, now=timezone.now()), actor="ada", now=NOW
    )


@pytest.mark.parametrize("scheme", SCORED)
def test_no_response_to_a_participant_has_gold(scheme, tmp_path):
    task = with_marked_gold(scheme, tmp_path)
    Phase.objects.update(max_per_day=20)
    phase = phase_of(task)
    secret = SECRETS[scheme]
    gold = gold_text(phase, tmp_path / "gold")
    assert secret in gold
    ann = make_account("ann")
    client = signed_in(ann)
    team = make_team(task, "Parsers", ann)
    _, token = issue_token(
        user=ann,
        name="script",
        scopes=list(TokenScope),
        projects=None,
        expires_at=None,
        now=timezone.now(),
    )
    caller = Client(headers={"Authorization": f"Bearer {token}"})
    files = hostile_files(scheme, gold, secret)
    for number, text in enumerate(files):
        send(team, phase, text, system=f"System {number}", now=timezone.now())
    states = list(Entry.objects.order_by("pk").values_list("state", flat=True))
    assert states[0] == EntryState.SCORED
    assert EntryState.REFUSED in states
    walked = walk(task, client) + walk(task, Client()) + walk_api(task, caller)
    for address, text in walked:
        assert secret not in text, address
        assert secret.replace(" ", "") not in text, address
    assert len(walked) > 20
    # Frames are the types of a table, which is shown after the end.
    Phase.objects.update(ends_at=timezone.now() - timedelta(seconds=1))
    for address, text in walk(task, client):
        if scheme != "frames" or ("leaderboard" not in address and "chart" not in address):
            assert secret not in text, address


def hostile_files(scheme: str, gold: str, secret: str) -> list[str]:
    """Return files whose messages could repeat the gold, the first of which is scored."""
    good = predictions(scheme, gold, share=0.0)
    lines = good.splitlines(keepends=True)
    broken = [
        "".join(lines[:-1]),
        "".join([*lines, lines[-1]]),
        good.replace(lines[-1], lines[-1][:-6] + "\n"),
        "nonsense\n",
    ]
    if scheme == "grounding":
        entries = [json.loads(line) for line in lines]
        # A smaller picture must not tell where the boxes are.
        broken.append("".join(f"{json.dumps({**entry, 'image': [9, 9]})}\n" for entry in entries))
    return [good, *broken]


def walk(task: Benchmark, client: Client) -> list[tuple[str, str]]:
    """Return the addresses and texts of all pages of the benchmark for the client."""
    addresses = [
        reverse("benchmarks:public_benchmarks"),
        *(at(task, name) for name in ("public_benchmark", "leaderboard", "benchmark_team")),
        *(
            f"{at(task, 'leaderboard')}?phase={kind}&task={variant}"
            for kind in ("development", "test")
            for variant in ("A", "B.1", "B.2")
        ),
        *(
            at(task, name, kind)
            for name in ("benchmark_inputs", "benchmark_chart", "item_comparison")
            for kind in ("development", "test")
        ),
        *(at(task, "benchmark_entry", pk) for pk in Entry.objects.values_list("pk", flat=True)),
        *(at(task, "join_team", code) for code in Team.objects.values_list("code", flat=True)),
        reverse("dashboard:projects"),
        reverse("projects:notifications"),
    ]
    return [(address, text_of(client.get(address))) for address in addresses]


def walk_api(task: Benchmark, client: Client) -> list[tuple[str, str]]:
    addresses = [
        reverse("api:benchmarks"),
        api_at(task, "benchmark"),
        api_at(task, "entries"),
        *(api_at(task, "entry", pk) for pk in Entry.objects.values_list("pk", flat=True)),
        reverse("api:projects"),
    ]
    responses = [(address, client.get(address)) for address in addresses]
    assert {response.status_code for _, response in responses} == {200}
    return [(address, response.content.decode()) for address, response in responses]


def test_participant_has_no_project(task, ann):
    client = signed_in(ann)
    make_team(task, "Parsers", ann)
    release = task.release
    project = release.project
    for address in (
        reverse("dashboard:project", args=[project.slug]),
        reverse("releases:release_details", args=[project.slug, release.version]),
        reverse("datasets:gold", args=[project.slug]),
        reverse("datasets:systems", args=[project.slug]),
        *(
            at(task, name)
            for name in ("benchmark", "open_benchmark", "edit_benchmark", "codabench_bundle")
        ),
        reverse("releases:public_release", args=[project.slug, release.version]),
        reverse("api:project", args=[project.slug]),
        reverse("api:gold", args=[project.slug]),
    ):
        assert client.get(address).status_code == 404, address
    for name, more in (
        ("close_benchmark", ()),
        ("add_baseline", ()),
        ("remove_team", (Team.objects.get().pk,)),
        ("remove_entry", (1,)),
    ):
        assert client.post(at(task, name, *more)).status_code == 404, name
    assert project.title not in text_of(client.get(reverse("dashboard:projects")))


def test_public_pages_are_the_same_for_everybody_and_cacheable(task, tmp_path):
    send(
        make_team(task),
        phase_of(task),
        gold_text(phase_of(task), tmp_path / "g"),
        now=timezone.now(),
    )
    member = signed_in(make_user("ada", task.release.project, MemberRole.ADMIN))
    for address in (
        reverse("benchmarks:public_benchmarks"),
        at(task, "public_benchmark"),
        at(task, "leaderboard"),
    ):
        ours, theirs = member.get(address), Client().get(address)
        assert ours.content == theirs.content
        assert "public" in theirs["Cache-Control"]
        assert "max-age=60" in theirs["Cache-Control"]
        assert not theirs.cookies
        assert "Cookie" not in theirs.get("Vary", "")
        assert b"csrfmiddlewaretoken" not in theirs.content
        headers = {"If-None-Match": theirs["ETag"]}
        assert Client().get(address, headers=headers).status_code == 304


def test_private_leaderboard_is_for_teams_and_staff(task, ann, tmp_path):
    Benchmark.objects.update(has_public_leaderboard=False)
    make_team(task, "Parsers", ann)
    staff = make_user("ada", task.release.project, MemberRole.ADMIN)
    for client in (Client(), signed_in(make_account("sam"))):
        assert client.get(at(task, "leaderboard")).status_code == 404
    for user in (ann, staff):
        response = signed_in(user).get(at(task, "leaderboard"))
        assert response.status_code == 200
        assert "no-store" in response["Cache-Control"]


def test_scores_are_rounded_to_one_decimal(task, ann, tmp_path):
    gold = gold_text(phase_of(task), tmp_path / "gold")
    entry = send(
        make_team(task, "Parsers", ann),
        phase_of(task),
        predictions("frames", gold),
        now=timezone.now(),
    )
    client = signed_in(ann)
    for page in (
        text_of(Client().get(board_of(task))),
        text_of(client.get(at(task, "benchmark_entry", entry.pk))),
    ):
        numbers = re.findall(r">\s*(\d+\.\d+)", page)
        assert numbers
        assert all(len(number.partition(".")[2]) == 1 for number in numbers)
    scores = client.get(api_at(task, "entry", entry.pk)).json()["scores"]
    for figure in scores.values():
        assert all(value is None or value == round(value, 3) for value in figure.values())


def test_results_after_the_end_compare_systems(task, tmp_path):
    gold = gold_text(phase_of(task), tmp_path / "gold")
    for name, share in (("Strong", 0.9), ("Weak", 0.2)):
        text = predictions("frames", gold, share=share)
        send(make_team(task, name), phase_of(task), text, system=name, now=timezone.now())
    before = text_of(Client().get(board_of(task)))
    assert "shown after the end of the phase" in before
    assert "By gold cluster" not in before
    Phase.objects.update(ends_at=timezone.now())
    page = text_of(Client().get(f"{at(task, 'leaderboard')}?phase=development&task=A"))
    for title in ("By gold cluster", "By annotators' confidence", "Effect of each gold cluster"):
        assert title.replace("'", "&#x27;") in page
    chart = Client().get(f"{at(task, 'benchmark_chart', 'development')}?task=A")
    assert chart.status_code == 200
    assert chart["Content-Type"] == "image/svg+xml"
    items = Client().get(f"{at(task, 'item_comparison', 'development')}?task=A")
    assert "The systems differ on" in text_of(items)
    odd = f"{at(task, 'item_comparison', 'development')}?task=Z&first=x&second=-1"
    assert Client().get(odd).status_code == 200


def test_released_gold_is_not_reached_by_odd_addresses(task, client):
    for kind in ("train", "..", "gold", "test-inputs"):
        assert client.get(f"/benchmarks/frames-sample/1.0/{kind}/inputs.zip").status_code == 404
    assert client.get("/benchmarks/frames-sample/9.9/").status_code == 404
    assert client.post(at(task, "public_benchmark")).status_code == 405


def test_api_accepts_entries_within_the_limits(task, ann, tmp_path):
    Phase.objects.update(max_per_day=1)
    gold = gold_text(phase_of(task), tmp_path / "gold")
    _, token = issue_token(
        user=ann,
        name="script",
        scopes=[TokenScope.ENTER, TokenScope.READ],
        projects=None,
        expires_at=None,
        now=timezone.now(),
    )
    caller = Client(headers={"Authorization": f"Bearer {token}"})

    def post(text: str):
        body = {"phase": "development", "system": "First", "file": upload("frames", text)}
        return caller.post(api_at(task, "entries"), body)

    answer = post(gold)
    assert (answer.status_code, answer.json()["errors"][0]["code"]) == (409, "not_accepted")
    make_team(task, "Parsers", ann)
    answer = post(gold)
    assert answer.status_code == 202
    assert answer.json()["state"] == "waiting"
    run_all()
    result = caller.get(answer.headers["Location"]).json()
    assert (result["state"], result["scores"]["bcubed_f"]["value"]) == ("scored", 1.0)
    answer = post(gold)
    assert (answer.status_code, answer.json()["errors"][0]["code"]) == (409, "limit_reached")
    assert Job.objects.filter(kind="benchmark-entry").count() == 1


def test_open_release_beside_a_test_phase_is_pointed_out(task):
    ada = signed_in(make_user("ada", task.release.project, MemberRole.ADMIN))
    assert "anyone can read the gold" not in text_of(ada.get(at(task, "benchmark")))
    open_to_public(release=task.release, actor="ada", now=NOW)
    assert "anyone can read the gold" in text_of(ada.get(at(task, "benchmark")))
