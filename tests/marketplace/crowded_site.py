"""A marketplace on which one campaign and one requester have thousands of HIT types."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta
from itertools import combinations
from typing import Any

from django.db import connection
from django.utils import timezone

from marketplace.domain import access_keys
from marketplace.domain.hits.open_types import list_digest
from marketplace.domain.identifiers import new_code
from marketplace.domain.qualifications.qualifications import create_type, grant
from marketplace.domain.qualifications.requirement_rows import requirement_rows
from marketplace.domain.qualifications.requirements import HITS_APPROVED
from marketplace.models import (
    Hit,
    HitType,
    HitTypeRequirement,
    QualificationType,
    Requester,
    WorkerAccount,
)

POOL = 40
PAIRS = POOL * (POOL - 1) // 2
TITLES = 2_000
HIDDEN = 505
#: The campaign of each pair of authors, and three small labs with their groups.
MERGING = "Merge questions and answers"
HONEST = {
    "news lab": [MERGING, "Training for questions", "Write questions"],
    "speech lab": ["Transcribe a call", "Rate a voice"],
    "vision lab": ["Label pictures", "Draw boxes"],
}
CROWDING = "crowding lab"


@dataclass(frozen=True, slots=True)
class CrowdedSite:
    pool: QualificationType
    #: A member of the pool who may do the pairs of others, and a worker outside the pool.
    member: WorkerAccount
    outsider: WorkerAccount


def open_requester(name: str) -> Requester:
    return access_keys.open_account(name=name, balance_cents=10**6, now=timezone.now())


def add_types(
    requester: Requester, types: Iterable[dict[str, Any]], *, hits: int = 1
) -> list[HitType]:
    """Register HIT types, each with open HITs, like the API but with few statements."""
    now = timezone.now()
    common = {"description": "d", "reward_cents": 5, "duration_seconds": 600}
    common |= {"auto_approval_seconds": 86_400, "requester": requester}
    created = [HitType(**common | values) for values in types]
    for hit_type in created:
        hit_type.code, hit_type.group_code, hit_type.digest = new_code(), new_code(), new_code()
        hit_type.list_digest = list_digest(hit_type)
    HitType.objects.bulk_create(created, batch_size=500)
    rows = [row for hit_type in created for row in requirement_rows(hit_type)]
    HitTypeRequirement.objects.bulk_create(rows, batch_size=500)
    Hit.objects.bulk_create(
        [
            Hit(
                code=new_code(),
                requester=requester,
                hit_type=hit_type,
                question="<ExternalQuestion/>",
                external_url="https://lab.example/",
                max_assignments=1,
                available=1,
                reward_cents=hit_type.reward_cents,
                fee_cents=1,
                expires_at=now + timedelta(days=1),
            )
            for hit_type in created
            for _ in range(hits)
        ],
        batch_size=500,
    )
    return created


def all_but(pool: QualificationType, *values: int) -> list[dict[str, Any]]:
    """Return the requirement of the pool without the members who hold these values."""
    required = {"QualificationTypeId": pool.code, "ActionsGuarded": "Accept"}
    if not values:
        return [required | {"Comparator": "Exists"}]
    return [required | {"Comparator": "NotIn", "IntegerValues": list(values)}]


def create_crowded_site(member: WorkerAccount, outsider: WorkerAccount) -> CrowdedSite:
    """Publish the honest groups first, then the types that crowd them."""
    now = timezone.now()
    labs = {name: open_requester(name) for name in HONEST}
    news = labs["news lab"]
    fields = {"name": "pool", "description": "d", "is_requestable": False}
    pool = create_type(requester=news, fields=fields, now=now)
    grant(
        requester=news,
        type_code=pool.code,
        worker_code=member.code,
        value=POOL,
        notify=False,
        now=now,
    )
    for name, titles in HONEST.items():
        add_types(labs[name], [{"title": title} for title in titles if title != MERGING])
    pairs = combinations(range(1, POOL + 1), 2)
    add_types(news, [{"title": MERGING, "requirements": all_but(pool, *pair)} for pair in pairs])
    crowding = open_requester(CROWDING)
    add_types(
        crowding, [{"title": f"Look {number}", "reward_cents": 1} for number in range(TITLES)]
    )
    nobody = {"QualificationTypeId": HITS_APPROVED, "Comparator": "GreaterThan"}
    nobody |= {"IntegerValues": [1_000_000], "ActionsGuarded": "DiscoverPreviewAndAccept"}
    add_types(
        crowding,
        [{"title": f"Hidden {number}", "requirements": [nobody]} for number in range(HIDDEN)],
    )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")  # autovacuum can't see rows of an uncommitted transaction
    return CrowdedSite(pool, member, outsider)
