"""Every kind of job through the Celery worker of a running site, at a size that takes batches.

A worker's processes are daemonic and can't have children, unlike the process of a test.
"""

import json
import time

import pytest
from django.conf import settings

from tests.operations.manage import manage

pytestmark = pytest.mark.system
SENTENCES = 264

IMPORTS = """
import io, json, zipfile
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone
from PIL import Image
from annotation.domain.corpus.check_upload import queue_check
from annotation.domain.corpus.queue_import import queue_import
from jobs.enums import JobState
from projects.domain.create_project import create_project

def archive():
    picture, packed = io.BytesIO(), io.BytesIO()
    Image.new("RGB", (60, 40), "#808080").save(picture, "PNG")
    with zipfile.ZipFile(packed, "w") as file:
        file.writestr("1.png", picture.getvalue())
    return SimpleUploadedFile("images.zip", packed.getvalue())

text = "".join(f"The old committee rejected offer number {{at}} .\\n" for at in range({count}))
captions = "".join(
    json.dumps({{"image": "1.png", "caption": f"Two dogs chase ball number {{at}} ."}}) + "\\n"
    for at in range({count})
)
now = timezone.now()
for scheme, fmt, name, content, images in (
    ("qasrl", "text", "a.txt", text, None),
    ("frames", "text", "a.txt", text, None),
    ("custom", "text", "a.txt", text, None),
    ("grounding", "captions-jsonl", "a.jsonl", captions, archive()),
):
    project = create_project(slug=scheme, scheme=scheme, now=now)
    upload = dict(
        project=project, fmt=fmt, files=[SimpleUploadedFile(name, content.encode())],
        items_files=[], images=images, domain="", partition="dev", strict=False, actor="fay", now=now,
    )
    queue_import(**upload)
    if images is None:
        waiting = queue_import(**upload, state=JobState.UPLOADED)
        queue_check(kind="corpus-check", upload=waiting, actor="fay", now=now)
"""

REST = """
from pathlib import Path
from django.contrib.auth import get_user_model
from django.core.files.uploadedfile import SimpleUploadedFile
from django.utils import timezone
from annotation.domain.corpus.check_upload import queue_check
from consolidation.domain.experts.expert_queues import QueuePlan
from consolidation.domain.gold.queue_gold import queue_gold
from consolidation.domain.experts.queue_resource import queue_resource
from consolidation.domain.experts.queue_setup import queue_setup
from datasets.domain.systems.evaluate_systems import Reference, queue_evaluation
from datasets.domain.exports.queue_export import queue_export
from jobs.enums import JobState
from projects.models import Project
from qualification.domain.rounds.queue_rounds import queue_rounds

now = timezone.now()
qasrl = Project.objects.get(slug="qasrl")
rows = ["qasrl_id,verb_idx,verb,question,answer_range,answer"]
for item in qasrl.items.select_related("sentence").order_by("pk"):
    rows.append(f"{item.sentence.external_id},{item.target['verb_idx']},rejected,"
                "Who rejected something?,0:3,The old committee")
gold = SimpleUploadedFile("gold.csv", "\\n".join(rows).encode())
waiting = queue_gold(project=qasrl, fmt="", source="expert", files=[gold], actor="fay", now=now)
queue_check(kind="gold-check", upload=waiting, actor="fay", now=now)
gold.seek(0)
queue_gold(project=qasrl, fmt="qasrl-csv", source="expert", files=[gold], actor="fay", now=now,
           state=JobState.QUEUED)
queue_export(project=qasrl, fmt="qasrl-csv", source="expert", actor="fay", now=now)
text = "\\n".join(rows).encode()
reference, systems = ([SimpleUploadedFile("copy.csv", text)] for _ in range(2))
queue_evaluation(project=qasrl, reference=Reference(files=reference), systems=systems, actor="fay",
                 now=now)
frames = Project.objects.get(slug="frames")
lexicon = SimpleUploadedFile("lexicon.json", Path("schemes/frames/samples/lexicon.json").read_bytes())
queue_resource(project=frames, name="lexicon", file=lexicon, fmt="json", switches={}, presets={},
               actor="fay", now=now)
first, second = qasrl.items.order_by("pk")[:2]
user = get_user_model().objects.create_user("ann")
listed = SimpleUploadedFile("items.csv", f"item\\n{second.key}\\n".encode())
queue_setup(project=qasrl, plan=QueuePlan(title="Second"), file=listed, user=user, now=now)
rounds = SimpleUploadedFile("rounds.csv", f"item,round\\n{first.key},1\\n".encode())
queue_rounds(project=qasrl, preset="controlled-crowdsourcing-2020", items=rounds, annotations=None,
             actor="fay", now=now)
"""

MODEL = """
from django.utils import timezone
from model_annotators.domain.register import ModelPlan, register_model
from model_annotators.domain.run_model import queue_run
from projects.models import Project
qasrl, now = Project.objects.get(slug="qasrl"), timezone.now()
plan = ModelPlan(name="Qwen", url="{url}", model="qwen", cap_cents=0)
model = register_model(project=qasrl, plan=plan, actor="fay", now=now)
queue_run(annotator=model, round=qasrl.rounds.get(), actor="fay", now=now)
"""

PUBLISH = """
from django.utils import timezone
from annotation.domain.publishing.publish import publish_batch
from projects.models import Project
publish_batch(project=Project.objects.get(slug="qasrl"), now=timezone.now())
"""

PAUSE = """
from django.utils import timezone
from annotation.domain.publishing.change_hits import HitChange, change_hits
from crowd.models import Hit
from projects.models import Project
project = Project.objects.get(slug="qasrl")
hits = Hit.objects.filter(budget=project.budget)
change_hits(project=project, hits=hits, change=HitChange("pause", "fay"), now=timezone.now())
"""

REHEARSE = """
from django.utils import timezone
from projects.models import Project
from rehearsal.domain.dry_run import start_rehearsal
for slug in ("frames", "grounding", "custom"):
    start_rehearsal(project=Project.objects.get(slug=slug), actor="fay", now=timezone.now())
"""

DELETE = """
from django.utils import timezone
from dashboard.delete_project import delete_project
from projects.models import Project
delete_project(project=Project.objects.get(slug="grounding"), actor="fay", now=timezone.now())
"""

JOBS = """
import json
from django.db.models import Count
from crowd.models import Hit
from jobs.models import Job
from projects.models import Project
fields = ("kind", "scope", "state", "attempts", "problem", "result")
budget = Project.objects.get(slug="qasrl").budget_id
print(json.dumps({
    "jobs": list(Job.objects.order_by("pk").values(*fields)),
    "items": dict(Project.objects.annotate(n=Count("items")).values_list("slug", "n")),
    "paused": Hit.objects.filter(budget=budget).exclude(paused_at=None).count(),
    "hits": dict(Hit.objects.filter(budget=budget).values_list("state").annotate(n=Count("pk"))),
}))
"""
WITHIN = 300


def wait_for(site, condition) -> dict:
    """Return the site's state once the condition holds. Fail for a job that did not succeed at once."""
    deadline = time.monotonic() + WITHIN
    while True:
        state = json.loads(manage(site, "shell", "-v0", "-c", JOBS))
        for job in state["jobs"]:
            assert job["state"] != "failed", job
            assert job["attempts"] <= 1, job
        if condition(state):
            return state
        assert time.monotonic() < deadline, state
        time.sleep(1)


def have_ended(state) -> bool:
    return all(job["state"] in ("finished", "uploaded") for job in state["jobs"])


def results(state, kind: str) -> list[dict]:
    return [job["result"] for job in state["jobs"] if job["kind"] == kind and job["result"]]


def test_every_kind_of_job_runs_in_a_worker(site, chat):
    manage(site, "shell", "-v0", "-c", IMPORTS.format(count=SENTENCES))
    state = wait_for(site, have_ended)
    imports = results(state, "import")
    assert [result["sentences_added"] for result in imports] == [SENTENCES] * 4
    assert [result["error_count"] for result in imports] == [0] * 4
    schemes = ("qasrl", "frames", "grounding", "custom")
    assert all(state["items"][slug] >= SENTENCES for slug in schemes)
    assert [check["bad_rows"] for check in results(state, "corpus-check")] == [0, 0, 0]

    manage(site, "shell", "-v0", "-c", REST)
    wait_for(site, have_ended)
    manage(site, "shell", "-v0", "-c", MODEL.format(url=chat.url))
    manage(site, "shell", "-v0", "-c", PUBLISH)
    # One item is reserved for training.
    published = {"live": SENTENCES - 1}
    state = wait_for(site, lambda state: have_ended(state) and state["hits"] == published)
    assert [result["added"] for result in results(state, "gold-import")] == [SENTENCES]
    assert [result["read"]["error_count"] for result in results(state, "gold-check")] == [0]
    assert len(results(state, "export")) == 1
    assert [result["version"] for result in results(state, "resource-import")] == [1]
    assert results(state, "queue-setup") == [{"title": "Second", "items": 1}]
    assert results(state, "round-setup") == [{"rounds": 1}]
    assert results(state, "model-run") == [{"items": 1, "answered": 0}]
    [scored] = results(state, "system-evaluation")
    assert scored["items"] == SENTENCES
    assert {figure["value"] for figure in scored["systems"][0]["figures"].values()} == {1.0}

    manage(site, "shell", "-v0", "-c", PAUSE)
    state = wait_for(site, have_ended)
    assert state["paused"] == SENTENCES - 1
    manage(site, "shell", "-v0", "-c", DELETE)
    state = wait_for(site, have_ended)
    assert results(state, "deletion")
    # A rehearsal is another test. An estimate of certainty needs gold that people made, and the others a
    # release.
    others = {"rehearsal", "certainty", "benchmark-entry"}
    others |= {"release", "release-import", "release-upload"}
    assert {job["kind"] for job in state["jobs"]} == set(settings.JOB_KINDS) - others


@pytest.mark.long
def test_rehearsals_without_gold_run_in_a_worker(site):
    manage(site, "shell", "-v0", "-c", IMPORTS.format(count=20))
    wait_for(site, have_ended)
    manage(site, "shell", "-v0", "-c", REHEARSE)
    state = wait_for(site, have_ended)
    assert [result["items"] for result in results(state, "rehearsal")] == [20, 20, 20]
