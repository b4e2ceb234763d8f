"""A seeded site with open HITs and signed-in workers for the annotation benchmark.

Run it with the environment of the site. `python -m tests.bench.annotation_site fill HITS WORKERS`
seeds the site and prints what the simulated workers need. Domain functions create the items and tasks.
The rows of the marketplace are inserted in bulk, because 10,000 HITs take too long over HTTP.
`python -m tests.bench.annotation_site corpus ITEMS` seeds a project for a rehearsal.
`python -m tests.bench.annotation_site check` prints what both sides have recorded.
"""

import json
import sys
from datetime import timedelta

import django

django.setup()

from django.conf import settings  # noqa: E402
from django.db import connection  # noqa: E402
from django.db.models import Count, F  # noqa: E402
from django.utils import timezone  # noqa: E402

from annotation.domain.publishing.publish import publish_batch  # noqa: E402
from annotation.domain.publishing.publish_rest import finish_publication  # noqa: E402
from annotation.models import Draft, Item, Sentence  # noqa: E402
from crowd.enums import HitState  # noqa: E402
from crowd.models import Hit as OurHit  # noqa: E402
from crowd.providers.mturk.client import parse_answer  # noqa: E402
from marketplace.domain import access_keys  # noqa: E402
from marketplace.domain.accounts import accounts  # noqa: E402
from marketplace.domain.hits import hit_types  # noqa: E402
from marketplace.domain.identifiers import new_code, new_worker_code  # noqa: E402
from marketplace.models import Assignment, Hit, HitType, WorkerAccount  # noqa: E402
from projects.models import Project  # noqa: E402
from tests.annotation.factories import CARRY, SENTENCE, make_project  # noqa: E402

ANSWER = {
    "questions": [
        {"question": "Who carried something?", "answers": [[0, 2]]},
        {"question": "What did someone carry?", "answers": [[3, 6]]},
        {"question": "When did someone carry something?", "answers": [[12, 13]]},
    ],
    "no_question": "",
}


def fill(count: int, workers: int) -> dict[str, object]:
    now = timezone.now()
    project = make_project(f"bench-{count}")
    import_items(project, count)
    batch = publish_batch(project=project, now=now)
    finish_publication(batch=batch, actor="bench", clock=timezone.now)
    group = _create_marketplace_hits()
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    return {"group": group, "answer": ANSWER, "sessions": [log_in() for _ in range(workers)]}


def corpus(count: int) -> dict[str, object]:
    """Create a project whose items are not published."""
    import_items(make_project("bench"), count)
    return {"items": count}


def import_items(project: Project, count: int) -> None:
    names = [f"{project.slug}:{number}" for number in range(count)]
    sentences = Sentence.objects.bulk_create(
        [Sentence(project=project, external_id=name, tokens=SENTENCE) for name in names],
        batch_size=1000,
    )
    target = {"verb_idx": 2, "verb": "carried", "forms": CARRY}
    Item.objects.bulk_create(
        [
            Item(
                project=project,
                sentence=sentence,
                key=f"{sentence.external_id}:2",
                target=target,
                position=number,
            )
            for number, sentence in enumerate(sentences)
        ],
        batch_size=1000,
    )


def _create_marketplace_hits() -> str:
    """Create a live marketplace HIT for each planned HIT and return the id of its group."""
    now = timezone.now()
    planned = list(OurHit.objects.filter(state=HitState.PENDING).select_related("hit_type"))
    terms = planned[0].hit_type
    own_key, _ = settings.MARKETPLACE_BUILTIN_KEY
    lab, _ = access_keys.find_signer(own_key, now=now)
    values = HitType(
        requester=lab,
        title=terms.title,
        description=terms.description,
        keywords=terms.keywords,
        reward_cents=terms.reward_cents,
        duration_seconds=3600,
        auto_approval_seconds=86_400,
    )
    hit_type = hit_types.register_hit_type(values, now=now)
    created = [
        Hit(
            code=new_code(),
            requester=lab,
            hit_type=hit_type,
            question="<ExternalQuestion/>",
            external_url=hit.url,
            annotation=hit.token,
            max_assignments=hit.max_assignments,
            available=hit.max_assignments,
            reward_cents=terms.reward_cents,
            fee_cents=1,
            expires_at=now + timedelta(days=7),
        )
        for hit in planned
    ]
    Hit.objects.bulk_create(created, batch_size=1000)
    for hit, created_hit in zip(planned, created, strict=True):
        hit.state, hit.external_id, hit.created_at = HitState.LIVE, created_hit.code, now
    OurHit.objects.bulk_update(planned, ["state", "external_id", "created_at"], batch_size=500)
    return hit_type.code


def log_in() -> str:
    code = new_worker_code()
    worker = WorkerAccount.objects.create(code=code, username=code, email="", country="US")
    return accounts.start_session(worker=worker, now=timezone.now())


def check() -> dict[str, object]:
    """Return the assignment ids on both sides and the number of errors.

    An error is a HIT that a worker did twice, a HIT with too many assignments, or two copies of an
    annotation that differ.
    """
    finished = Assignment.objects.filter(status="Submitted")
    twice = finished.values("hit", "worker").annotate(n=Count("pk")).filter(n__gt=1)
    too_often = Hit.objects.annotate(n=Count("assignments")).filter(n__gt=F("max_assignments"))
    theirs = {row.code: json.loads(parse_answer(row.answer)["content"]) for row in finished}
    ours = {
        draft.assignment_ref: draft.content
        for draft in Draft.objects.exclude(submitted_at=None).iterator()
    }
    return {
        "duplicates": twice.count() + too_often.count(),
        "differing": sum(content != ours.get(code) for code, content in theirs.items()),
        "ours": sorted(ours),
        "theirs": sorted(theirs),
        "reported_submissions": sum(OurHit.objects.values_list("reported_submissions", flat=True)),
    }


COMMANDS = {"fill": fill, "corpus": corpus, "check": check}

if __name__ == "__main__":
    name, *numbers = sys.argv[1:]
    sys.stdout.write(json.dumps(COMMANDS[name](*map(int, numbers))))
