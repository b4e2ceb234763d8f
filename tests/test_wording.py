"""Every page, email, message and error follows the style guide.

Pages are rendered and read in every role. The sources of scripts, commands and templates are also
read, for texts that no page of these tests shows.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.apps import apps
from django.core import mail
from django.core.management import get_commands, load_command_class
from django.test import Client
from django.utils import timezone

from accounts.domain.reset_password import send_due_resets
from annotation.models import Item, Task
from crowd.models import Message
from operations.domain.alerts import mail_alerts
from operations.models import Alert
from projects.enums import MemberRole
from projects.models import Project
from schemes.frames.scheme import SCHEME as FRAMES
from schemes.grounding.scheme import SCHEME as GROUNDING
from schemes.registry import SCHEMES
from tests.annotation.factories import task_url
from tests.dashboard.campaign import Campaign, make_project, make_user
from tests.environment import ROOT
from tests.hostile.routes import routes
from tests.marketplace.conftest import log_in, make_requester
from tests.marketplace.conftest import make_worker as make_account
from tests.schemes.custom.sample_corpus import STARTER, make_sample
from tests.schemes.frames.corpus_files import write_corpus
from tests.walk import (
    annotate,
    api_addresses,
    generation_of,
    project_addresses,
    run,
    train,
    training_addresses,
)
from tests.wording import faults_in, texts_of

pytestmark = pytest.mark.django_db
ROLE_PAGES = {"generator": "generate", "consolidator": "consolidate", "validator": "validate"}


def frames_project(folder: Path) -> Project:
    files = write_corpus(folder, records=2)
    run("create_project", "walked", "--scheme", "frames", "--protocol", "verification")
    run("import_lexicon", "walked", FRAMES.sample.resources["lexicon"][1], "--format", "json")
    corpus = ("--format", "conllu", "--items", *files.records)
    run("import_corpus", "walked", files.sentences, *corpus)
    gold = (*files.records, files.confidence, "--format", "semeval", "--source", "expert")
    run("import_gold", "walked", *gold)
    return Project.objects.get(slug="walked")


def grounding_project(folder: Path) -> Project:
    sample = GROUNDING.sample
    sample.images(folder)
    paths = folder / "captions.jsonl", folder / "gold.jsonl"
    for path, source in zip(paths, (sample.sentences, *sample.gold), strict=True):
        lines = source.read_text("utf-8").splitlines(keepends=True)
        selected = [line for line in lines if json.loads(line)["id"] == "meadow-04.png#0"]
        path.write_text("".join(selected))
    run("create_project", "walked", "--scheme", "grounding", "--protocol", "validation")
    run("import_corpus", "walked", paths[0], "--format", sample.format, "--images", folder)
    fmt = GROUNDING.corpus.gold_formats[0]
    run("import_gold", "walked", paths[1], "--format", fmt, "--source", "expert")
    return Project.objects.get(slug="walked")


def custom_project(folder: Path) -> Project:
    sample = make_sample(folder, count=4)
    run("create_project", "walked", "--scheme", "custom", "--definition", STARTER)
    run("import_corpus", "walked", sample.sentences, "--format", sample.format)
    run("import_gold", "walked", *sample.gold, "--source", "expert")
    return Project.objects.get(slug="walked")


PROJECTS = {
    "frames": frames_project,
    "grounding": grounding_project,
    "custom": custom_project,
}


def member(project: Project, *roles: MemberRole) -> Client:
    client = Client(raise_request_exception=False)
    client.force_login(make_user("member", project, *roles))
    return client


def faults_of(client: Client, addresses: list[str], *, posts: bool = False) -> dict[str, list[str]]:
    """Return the faults of each address by the method that shows them."""
    faults_by_request = {}
    for address in addresses:
        for method in (client.get, client.post) if posts else (client.get,):
            response = method(address)
            if faults := faults_in(texts_of_response(response)):
                faults_by_request[f"{method.__name__} {address}"] = faults
    return faults_by_request


def texts_of_response(response) -> Iterator[str]:
    kind = response.headers.get("Content-Type", "")
    text = response.getvalue().decode(errors="replace")
    if "json" in kind and text:
        yield from _strings(json.loads(text))
    elif "html" in kind or "svg" in kind:
        yield from texts_of(text)


def _strings(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from _strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _strings(inner)


@pytest.mark.slow
@pytest.mark.parametrize("scheme", PROJECTS)
def test_pages_of_a_project(scheme, tmp_path):
    project = PROJECTS[scheme](tmp_path)
    annotate(project)
    addresses = [*project_addresses(project), *api_addresses(project)]
    assert faults_of(member(project, *MemberRole), addresses) == {}
    assert faults_of(Client(), worker_addresses(project)) == {}


def worker_addresses(project: Project) -> list[str]:
    """Return the addresses of a task of each role, accepted and as a preview."""
    tasks = {task.role: task for task in Task.objects.order_by("pk")}
    assert len(tasks) >= 2
    addresses = []
    for role, task in tasks.items():
        work = task_url(task, assignment="NEW", worker="NEW", submit_to="http://127.0.0.1:8000")
        preview = task_url(task, assignment="ASSIGNMENT_ID_NOT_AVAILABLE", submit_to="")
        page = f"/{ROLE_PAGES[role]}/"
        addresses += [address.replace("/generate/", page) for address in (work, preview)]
    return addresses


@pytest.mark.slow
@pytest.mark.parametrize("scheme", PROJECTS)
def test_pages_of_a_training_and_its_messages(scheme, tmp_path):
    project = PROJECTS[scheme](tmp_path)
    keys = list(project.items.order_by("pk").values_list("key", flat=True))
    enrolment = train(project, keys, lambda task: generation_of(task, skill=0.2))
    client = member(project, MemberRole.TRAINER)
    assert faults_of(client, training_addresses(enrolment)) == {}
    messages = Message.objects.values_list("subject", "text")
    assert messages
    assert faults_in([text for message in messages for text in message]) == []


@pytest.mark.slow
@pytest.mark.parametrize("identity", ["visitor", "worker", *MemberRole])
def test_every_route_and_its_errors(identity, settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    project = make_project()
    Campaign(project, 4)
    if identity == "visitor":
        client = Client(raise_request_exception=False)
    elif identity == "worker":
        client = log_in(make_account())
    else:
        client = member(project, identity)
    client.raise_request_exception = False
    # The answers to a role differ only in the project's pages.
    is_role = identity in ("requester", "trainer", "expert")
    start = f"/projects/{project.slug}/" if is_role else "/"
    addresses = [
        address
        for address in routes(project)
        if address.startswith(start) and not address.startswith("/admin/")
    ]
    posts = identity in ("visitor", "worker", "admin")
    assert faults_of(client, addresses, posts=posts) == {}


def test_api_errors(client):
    project = make_project()
    admin = member(project, MemberRole.ADMIN)
    bodies = [b"", b"{", b"[]", b'{"slug": "x y"}', b'{"limit": -1, "unknown": true}']
    addresses = [*api_addresses_of_empty(project), "/api/v1/nothing/"]
    texts = [
        text
        for address in addresses
        for body in bodies
        for text in texts_of_response(admin.post(address, body, content_type="application/json"))
    ]
    assert texts
    assert faults_in(texts) == []


def api_addresses_of_empty(project: Project) -> list[str]:
    names = ("imports", "batches", "exports", "gold", "items", "members")
    return ["/api/v1/projects/", *(f"/api/v1/projects/{project.slug}/{name}/" for name in names)]


def test_emails(settings):
    settings.MAIL_IS_ON = True
    project = make_project()
    user = make_user("ada", project, MemberRole.ADMIN)
    user.email, user.is_superuser = "ada@touchstone.example", True
    user.save()
    client = Client()
    client.force_login(user)
    client.post("/projects/demo/members/invite/", {"email": "t@example.org", "role": "trainer"})
    Client().post("/account/password/reset/", {"email": user.email})
    send_due_resets(clock=timezone.now)
    now = timezone.now()
    Alert.objects.create(
        key="disk", text="Low disk space: 1 GiB.", since=now, found_at=now, opened_at=now
    )
    assert mail_alerts(now=now) == 1
    assert len(mail.outbox) == 3
    assert faults_in([text for email in mail.outbox for text in (email.subject, email.body)]) == []


def test_marketplace_pages_with_work():
    make_requester()
    client = log_in(make_account())
    names = ("", "history/", "earnings/", "messages/", "qualifications/", "account/")
    assert faults_of(client, [f"/hits/{name}" for name in names], posts=True) == {}


def test_tutorials_and_tasks_of_every_scheme():
    texts = []
    for scheme in SCHEMES.values():
        for role, task in scheme.vocabulary.tasks.items():
            texts += [task.title, task.description]
            if build := scheme.tutorials.get(role):
                texts += [part for step in build().steps for part in (step.title, step.text)]
    assert len(texts) > 60
    assert faults_in(texts) == []


def test_help_of_every_command():
    own_apps = {app.name for app in apps.get_app_configs() if Path(app.path).parent == ROOT}
    texts = []
    for name, app in get_commands().items():
        if app in own_apps:
            parser = load_command_class(app, name).create_parser("manage.py", name)
            texts += [parser.description or "", *(action.help or "" for action in parser._actions)]
    assert len(texts) > 100
    assert faults_in(texts) == []


STRING = re.compile(r'"((?:[^"\\\n]|\\.)+)"|`((?:[^`\\]|\\.)+)`')


def test_texts_of_scripts():
    texts = []
    for path in (ROOT / "static" / "js").rglob("*.js"):
        code = re.sub(r"/\*[\s\S]*?\*/|^\s*//.*$", "", path.read_text("utf-8"), flags=re.MULTILINE)
        texts += [
            " ".join((double or template).split())
            for double, template in STRING.findall(code)
            if " " in (double or template)
        ]
    assert len(texts) > 300
    assert faults_in(texts) == []


def test_texts_of_templates():
    """The sources include the branches that no page above shows."""
    faults_by_path = {}
    for path in (ROOT / "templates").rglob("*"):
        if path.suffix in {".html", ".txt", ".svg"}:
            source = re.sub(
                r"{#.*?#}|{% comment %}.*?{% endcomment %}",
                "",
                path.read_text("utf-8"),
                flags=re.DOTALL,
            )
            tags = " ".join(re.findall(r"{%.*?%}", source))
            arguments = [text for text in re.findall(r'"([^"]*)"', tags) if " " in text]
            plain = re.sub(r"{%.*?%}|{{.*?}}", "", source, flags=re.DOTALL)
            if faults := faults_in([*texts_of(plain), *arguments]):
                faults_by_path[path.relative_to(ROOT).as_posix()] = faults
    assert faults_by_path == {}


def test_faults_are_found():
    page = '<p title="For good">Begun</p><script>"anew"</script><td>1 items</td><b>11 items</b>'
    assert len(faults_in(texts_of(page))) == 3
    assert Item._meta.verbose_name == "item"
