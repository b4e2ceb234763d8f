"""Projects of the frames scheme with a lexicon."""

import json
from pathlib import Path

from annotation.enums import SubmissionState
from annotation.models import Item, Sentence, Submission
from consolidation.enums import CaseState, GoldSource
from consolidation.models import Case, Gold
from projects.domain.create_project import create_project
from projects.domain.resources import import_resource
from projects.enums import Role
from projects.models import Project, Resource
from tests.crowd.factories import NOW, make_assignment, make_worker
from tests.environment import ROOT

SAMPLE = ROOT / "schemes/frames/samples/lexicon.json"
TOKENS = ["The", "fund", "sold", "bonds", "."]


def make_frames_project(slug: str = "frames") -> Project:
    return create_project(
        slug=slug, scheme="frames", title="Frames of the news", bonus_timing="at-once", now=NOW
    )


def import_sample(project: Project, *, path: Path = SAMPLE, now=NOW) -> Resource:
    return import_resource(
        project=project, name="lexicon", path=path, fmt="json", switches={}, actor="rita", now=now
    ).resource


def write_lexicon(folder: Path, frames: list[str], name: str = "lexicon.json") -> Path:
    """Write some of the sample's frames as a lexicon, without their relations."""
    sample = json.loads(SAMPLE.read_text("utf-8"))["frames"]
    path = folder / name
    selection = {frame: {**sample[frame], "relations": []} for frame in frames}
    path.write_text(json.dumps({"frames": selection}), "utf-8")
    return path


def make_record(project: Project, lemma: str = "sell", *, in_production: bool = True) -> Item:
    number = project.items.count() + 1
    sentence = Sentence.objects.create(project=project, external_id=f"s{number}", tokens=TOKENS)
    return Item.objects.create(
        project=project,
        sentence=sentence,
        key=f"s{number}/3",
        target={"verb": [2], "lemma": lemma},
        position=number,
        in_production=in_production,
    )


def content_of(frame: str = "Commerce_sell", lemma: str = "sell", element: str = "Seller") -> dict:
    argument = {"head": [1], "filler": "fund", "element": element, "role": "Agent"}
    return {
        "skip": "",
        "verb": [2],
        "lemma": lemma,
        "frame": frame,
        "arguments": [argument],
        "confidence": 4,
    }


def settle(item: Item) -> None:
    """Give the item consolidated gold, without the work of a consolidator."""
    case = Case.objects.create(item=item, state=CaseState.CONSOLIDATED, opened_at=NOW)
    Gold.objects.create(
        item=item,
        case=case,
        source=GoldSource.CONSOLIDATED,
        version=1,
        content=content_of(),
        schema_version=1,
        created_at=NOW,
    )


def submit(
    item: Item,
    content: dict | None = None,
    *,
    state: str = SubmissionState.ACCEPTED,
    role: str = Role.GENERATOR,
    now=NOW,
) -> Submission:
    worker = make_worker()
    return Submission.objects.create(
        item=item,
        role=role,
        worker=worker,
        assignment=make_assignment(worker=worker),
        content=content_of() if content is None else content,
        schema_version=1,
        state=state,
        opened_at=now,
        submitted_at=now,
    )
