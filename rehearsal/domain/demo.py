"""The demo's data, with a project for a rehearsal and a project that visitors can try."""

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from django.conf import settings
from django.contrib.auth import get_user_model
from django.db import transaction

from annotation.domain.corpus.check_corpus import CorpusOptions
from annotation.domain.corpus.import_corpus import Import
from annotation.enums import Partition
from audit.errors import TouchstoneError
from consolidation.domain.experts.expert_queues import QueuePlan, sample_of, set_up_queue
from consolidation.domain.gold.import_gold import import_gold
from consolidation.enums import ExpertWork, GoldSource
from crowd.enums import DEFAULT_PROVIDER
from projects.domain.choose_protocol import choose_protocol
from projects.domain.create_project import create_project
from projects.domain.resources import import_resource
from projects.enums import MemberRole
from projects.models import Membership, Project
from schemes.contract.errors import refuse
from schemes.contract.scheme import Scheme
from schemes.contract.simulation import Sample
from schemes.registry import SCHEMES

REHEARSED, OPEN = "demo", "demo-open"
OPEN_ITEMS = 20
QUEUED_ITEMS = 5
DOMAIN = "sample"


@dataclass(frozen=True, slots=True)
class Login:
    """A demo login. Its password is public, so it is created in demo mode only."""

    role: str
    name: str
    password: str


STAFF = (
    Login(MemberRole.ADMIN, "admin", "demo-admin"),
    Login(MemberRole.TRAINER, "trainer", "demo-trainer"),
    Login(MemberRole.EXPERT, "expert", "demo-expert"),
)
WORKER = Login("worker", "worker", "demo-worker-1")


class NotDemoModeError(TouchstoneError):
    """Demo logins cannot be created outside demo mode."""


@transaction.atomic
def prepare_demo(*, now: datetime) -> list[Project]:
    """Create the missing projects and staff logins of the demo.

    Return the projects to rehearse, one for each scheme with a sample. Raise NotDemoModeError.
    """
    if not settings.DEMO:
        raise NotDemoModeError("DEMO is not set.")
    projects = []
    for scheme, sample in sample_schemes():
        title = f"Demo: {scheme.title}"
        projects.append(sample_project(slug_of(scheme), f"{title}, rehearsed", scheme, sample, now))
        if scheme is first_scheme():
            opened = sample_project(
                OPEN, f"{title}, try the workers' page yourself", scheme, sample, now
            )
    for login in STAFF:
        _staff(login, [*projects, opened])
    _expert_queue(opened, now)
    return projects


def slug_of(scheme: Scheme) -> str:
    """Return the slug of the scheme's rehearsed project."""
    return REHEARSED if scheme is first_scheme() else f"{REHEARSED}-{scheme.name}"


def first_scheme() -> Scheme:
    return sample_schemes()[0][0]


def _expert_queue(project: Project, now: datetime) -> None:
    """Create a queue with a few items for the expert."""
    if project.expert_queues.exists():
        return
    set_up_queue(
        project=project,
        plan=QueuePlan(title="Try it: write your own annotation"),
        items=sample_of(project=project, kind=ExpertWork.ANNOTATE, count=QUEUED_ITEMS),
        created_by=get_user_model().objects.get(username=STAFF[0].name),
        now=now,
    )


def sample_project(
    slug: str,
    title: str,
    scheme: Scheme,
    sample: Sample,
    now: datetime,
    *,
    provider: str = DEFAULT_PROVIDER,
) -> Project:
    """Get or create a project with the scheme's sample and its gold."""
    project = Project.objects.filter(slug=slug).first()
    if project is None:
        project = create_project(
            slug=slug,
            title=title,
            scheme=scheme.name,
            provider=provider,
            cap_cents=50_000,
            now=now,
        )
        project = choose_protocol(project=project, protocol=sample.protocol, actor="demo", now=now)
    for name, (fmt, path) in sample.resources.items():
        import_resource(
            project=project,
            name=name,
            path=path,
            fmt=fmt,
            switches={},
            actor="demo",
            now=now,
        )
    _import_sentences(project, sample)
    import_gold(
        project=project,
        paths=sample.gold,
        fmt=scheme.corpus.gold_formats[0],
        source=GoldSource.EXPERT,
        on_error=refuse,
        now=now,
    )
    return project


def _import_sentences(project: Project, sample: Sample) -> None:
    with TemporaryDirectory() as folder:
        if sample.images:
            sample.images(Path(folder))
        corpus = CorpusOptions(
            fmt=sample.format,
            items=sample.gold,
            images=Path(folder) if sample.images else None,
            domain=DOMAIN,
            partition=Partition.DEV,
            strict=True,
        )
        Import(project=project, options=corpus).run([sample.sentences])


def sample_schemes() -> list[tuple[Scheme, Sample]]:
    """Return the schemes with a sample corpus, and the samples."""
    return [(scheme, scheme.sample) for scheme in SCHEMES.values() if scheme.sample]


def _staff(login: Login, projects: list[Project]) -> None:
    users = get_user_model().objects
    user = users.filter(username=login.name).first()
    if user is None:
        is_admin = login.role == MemberRole.ADMIN
        user = users.create_user(
            login.name, password=login.password, is_staff=is_admin, is_superuser=is_admin
        )
    for project in projects:
        Membership.objects.get_or_create(project=project, user=user, role=login.role)
