"""A copy of all that the marketplace stores about a worker, as JSON files in a ZIP."""

import json
import zipfile
from collections.abc import Iterator, Mapping
from typing import IO, Any

from django.core.serializers.json import DjangoJSONEncoder

from marketplace.domain.money import format_cents
from marketplace.domain.questions.stored_answer import fields_of
from marketplace.models import Assignment, Grant, LedgerEntry, Message, WorkerAccount

CHUNK = 500


def write_export(*, worker: WorkerAccount, file: IO[bytes]) -> None:
    """Write the worker's data to a ZIP file."""
    parts: Mapping[str, Any] = {
        "account.json": _account(worker),
        "assignments.json": list(_assignments(worker)),
        "payments.json": list(_payments(worker)),
        "messages.json": list(_messages(worker)),
        "qualifications.json": list(_qualifications(worker)),
    }
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            text = json.dumps(content, cls=DjangoJSONEncoder, ensure_ascii=False, indent=2)
            archive.writestr(name, text)


def _account(worker: WorkerAccount) -> dict[str, Any]:
    row = WorkerAccount.objects.get(pk=worker.pk)
    names = ("username", "email", "country", "subdivision", "is_adult", "created_at")
    counts = ("approved_count", "rejected_count")
    saved = row.searches.order_by("pk").values("name", "criteria", "notifies", "created_at")
    return {
        "worker_id": row.code,
        **{name: getattr(row, name) for name in (*names, *counts)},
        "saved_filters": list(saved),
    }


def _assignments(worker: WorkerAccount) -> Iterator[dict[str, Any]]:
    rows = Assignment.objects.filter(worker=worker, is_refused=False).order_by("pk")
    rows = rows.select_related("hit_type__requester", "appeal")
    for row in rows.iterator(chunk_size=CHUNK):
        appeal = getattr(row, "appeal", None)
        yield {
            "assignment_id": row.code,
            "title": row.hit_type.title,
            "requester": row.hit_type.requester.name,
            "state": row.status,
            "reward": format_cents(row.reward_cents),
            "accepted_at": row.accepted_at,
            "submitted_at": row.submitted_at,
            "decided_at": row.closed_at,
            "feedback": row.feedback,
            "answer": dict(fields_of(row.answer)),
            "appeal": appeal and {"text": appeal.text, "answer": appeal.answer},
        }


def _payments(worker: WorkerAccount) -> Iterator[dict[str, Any]]:
    rows = LedgerEntry.objects.filter(worker=worker, kind__in=("reward", "bonus")).order_by("pk")
    for row in rows.select_related("assignment", "bonus__assignment", "requester"):
        work = row.assignment or (row.bonus and row.bonus.assignment)
        yield {
            "paid_at": row.created_at,
            "kind": row.kind,
            "amount": format_cents(-row.amount_cents),
            "requester": row.requester.name,
            "assignment_id": work and work.code,
            "reason": row.bonus.reason if row.bonus else "",
        }


def _messages(worker: WorkerAccount) -> Iterator[dict[str, Any]]:
    rows = Message.objects.filter(worker=worker).select_related("requester").order_by("pk")
    for row in rows:
        other = row.requester.name if row.requester else "the marketplace"
        sender, recipient = ("you", other) if row.from_worker else (other, "you")
        yield {
            "from": sender,
            "to": recipient,
            "sent_at": row.sent_at,
            "subject": row.subject,
            "text": row.text,
        }


def _qualifications(worker: WorkerAccount) -> Iterator[dict[str, Any]]:
    rows = Grant.objects.filter(worker=worker).select_related("qualification_type__requester")
    for row in rows.order_by("pk"):
        yield {
            "name": row.qualification_type.name,
            "requester": row.qualification_type.requester.name,
            "value": row.value,
            "state": row.status,
            "granted_at": row.granted_at,
        }
