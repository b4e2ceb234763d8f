"""The inbox of a project, and the thread of messages with a worker."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils import timezone
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.text import Truncator
from django.views.decorators.http import require_GET, require_http_methods

from annotation.domain.publishing.queries import known_workers
from crowd.domain.provider.providers import inbox_elsewhere
from crowd.domain.workers.register_worker import is_forgotten
from crowd.models import Worker
from projects.models import Project
from projects.pages import render_list, render_page
from projects.permissions import CAN_SEE_WORKERS, project_page
from projects.worker_names import named_link
from qualification.domain.training.threads import (
    answer_subject,
    mark_as_read,
    thread_of,
    unread_count,
    workers_who_wrote,
    write_to_worker,
)
from qualification.worker_forms import MessageForm
from schemes.contract.values import Noun
from web.badges import badge
from web.lists import Column, Empty, Listing, time_column
from web.states import Tone

THREADS = Noun("thread", "threads")
EXCERPT = 120


@require_GET
@project_page(CAN_SEE_WORKERS)
def inbox(request: HttpRequest, project: Project) -> HttpResponseBase:
    """List the workers who wrote, the newest message first."""
    only_unread = request.GET.get("unread") == "1"
    rows = workers_who_wrote(project=project, only_unread=only_unread)
    elsewhere = inbox_elsewhere(project.provider)
    listing = Listing(
        request=request,
        name="messages",
        rows=rows,
        columns=_columns(project),
        count=THREADS.count,
        order=("-written_at", "-pk"),
        is_filtered=only_unread,
        empty=Empty(
            "No messages yet",
            "Workers' replies to feedback appear here."
            if elsewhere
            else "What workers write to you on the marketplace appears here, and their replies to "
            "feedback.",
        ),
    )
    context = {
        "inbox_elsewhere": elsewhere,
        "only_unread": only_unread,
        "unread": unread_count(project=project),
    }
    return render_list(request, project, "qualification/inbox.html", listing, context)


def _columns(project: Project) -> list[Column]:
    def worker_link(row: Worker) -> SafeString:
        url = reverse("qualification:thread", args=[project.slug, row.pseudonym])
        return named_link(url, row.pseudonym, project=project, worker_id=row.pk)

    def state(row: Worker) -> SafeString | str:
        if row.unread:  # type: ignore[attr-defined]
            return badge("new", Tone.WAITING, f"{row.unread} new")  # type: ignore[attr-defined]
        return "answered" if row.is_answered else "read"  # type: ignore[attr-defined]

    def last(row: Worker) -> SafeString:
        text = Truncator(row.last_text).chars(EXCERPT)  # type: ignore[attr-defined]
        return format_html(
            '{}<br><span class="small quiet">{}</span>',
            row.last_subject,  # type: ignore[attr-defined]
            text,
        )

    return [
        Column("Worker", lambda row: row.pseudonym, worker_link, order="pseudonym"),
        Column("Last message", lambda row: row.last_text, last),
        Column("State", lambda row: "unread" if row.unread else state(row), state, order="unread"),
        time_column("Received", lambda row: row.written_at, order="written_at"),
    ]


@require_http_methods(["GET", "POST"])
@project_page(CAN_SEE_WORKERS)
def thread(request: HttpRequest, project: Project, pseudonym: str) -> HttpResponseBase:
    """Show the messages of both sides, and send an answer."""
    person = get_object_or_404(known_workers(project=project), pseudonym=pseudonym)
    entries, now = thread_of(project=project, worker=person), timezone.now()
    is_sent = request.method == "POST"
    form = MessageForm(
        request.POST if is_sent else None, initial={"subject": answer_subject(entries)}
    )
    forgotten = is_forgotten(person)
    if form.is_valid() and not forgotten:
        write_to_worker(project=project, worker=person, now=now, **form.cleaned_data)
        messages.success(request, f"Your message to {pseudonym} will be sent shortly.")
        return redirect("qualification:thread", slug=project.slug, pseudonym=pseudonym)
    context = {
        "worker": person,
        "entries": entries,
        "form": form,
        "forgotten": forgotten,
        "inbox_elsewhere": inbox_elsewhere(project.provider),
    }
    if not is_sent and not project.archived_at:
        mark_as_read(project=project, worker=person, now=now)
    status = 422 if is_sent else 200
    return render_page(request, project, "qualification/thread.html", context, status=status)
