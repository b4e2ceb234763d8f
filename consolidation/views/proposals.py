"""Pages of the entries that annotations propose for a resource, such as words of a lexicon."""

from collections.abc import Callable

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect
from django.template.loader import render_to_string
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.http import require_GET, require_POST

from audit.errors import TouchstoneError
from consolidation.domain.gold.proposed_entries import (
    ProposalError,
    ProposedEntry,
    accept_entries,
    load_examples,
    proposals_of,
    proposed_entries,
    reject_entries,
    rejected_entries,
    restore_entries,
)
from projects.domain.resources import UnknownResourceError, declared_resource
from projects.models import Project
from projects.pages import render_list
from projects.permissions import MEMBERS, REVIEWERS, STAFF, pages_open_to, project_page
from projects.views.settings import actor_of
from schemes.contract.errors import ContentError
from web.lists import Column, Empty, Listing, number_column, time_column

PAGE_SIZE = 25
DECISIONS = {"accept": accept_entries, "reject": reject_entries, "restore": restore_entries}
MADE = {"accept": "Added {} to a new version.", "reject": "Rejected {}.", "restore": "Restored {}."}
ACTIONS = "consolidation/fragments/{}_entries.html"


@require_GET
@project_page(MEMBERS)
def proposals(request: HttpRequest, project: Project, name: str) -> HttpResponseBase:
    """List the proposed entries, or those that were rejected."""
    try:
        noun = proposals_of(project, name).noun
    except UnknownResourceError:
        return redirect("consolidation:resources", slug=project.slug)
    shows_rejected = "rejected" in request.GET
    listing = (_rejected if shows_rejected else _proposed)(request, project, name)
    if "consolidation:decide_proposals" not in pages_open_to(request.user, project):
        listing.bulk = ""
    context = {
        "title": f"{'Rejected' if shows_rejected else 'Proposed'} {noun.plural}",
        "name": name,
        "resource": declared_resource(project, name),
        "noun": noun,
        "shows_rejected": shows_rejected,
        "rejected": rejected_entries(project=project, name=name).count(),
    }
    return render_list(request, project, "consolidation/proposals.html", listing, context)


@require_POST
@project_page(STAFF | REVIEWERS)
def decide(request: HttpRequest, project: Project, name: str) -> HttpResponseBase:
    """Accept, reject or restore the selected entries."""
    try:
        noun = proposals_of(project, name).noun
    except UnknownResourceError:
        return redirect("consolidation:resources", slug=project.slug)
    keys = request.POST.getlist("entry")
    decision = request.POST.get("decision", "")
    try:
        if decision not in DECISIONS:
            raise ProposalError("Choose a decision.")
        DECISIONS[decision](
            project=project, name=name, keys=keys, actor=actor_of(request), now=timezone.now()
        )
    except (TouchstoneError, ContentError) as error:
        messages.error(request, str(error))
    else:
        messages.success(request, MADE[decision].format(noun.count(len({*keys}))))
    address = reverse("consolidation:proposals", args=[project.slug, name])
    return redirect(f"{address}?rejected=1" if decision == "restore" else address)


def _proposed(request: HttpRequest, project: Project, name: str) -> Listing:
    entries = proposed_entries(project=project, name=name)
    declared = proposals_of(project, name)
    noun = declared.noun

    def part(at: int) -> Callable[[ProposedEntry], str]:
        return lambda row: row.entry[at]

    return Listing(
        request=request,
        name=f"proposed {noun.plural}",
        rows=entries,
        columns=[
            *(Column(heading, part(at)) for at, heading in enumerate(declared.parts)),
            number_column(
                "Annotations",
                lambda row: row.annotations,
                order=lambda at: entries[at].annotations,
                about="Accepted annotations and experts’ gold of finished items.",
            ),
            number_column(
                "Annotators",
                lambda row: len(row.annotators),
                order=lambda at: len(entries[at].annotators),
                about="Different workers and experts. Imported gold doesn’t name any.",
            ),
            Column(
                "Examples",
                lambda row: " | ".join(item.sentence.shown_text for item in row.examples),
                lambda row: render_to_string(
                    "consolidation/fragments/entry_examples.html",
                    {"project": project, "items": row.examples},
                ),
            ),
        ],
        count=noun.count,
        order=lambda at: at,
        load=load_examples,
        size=PAGE_SIZE,
        bulk=ACTIONS.format("decide"),
        bulk_name="entry",
        bulk_id=lambda row: row.key,
        empty=Empty(
            f"No {noun.plural} to decide about",
            f"{noun.plural.capitalize()} that finished annotations use and the current version lacks "
            "appear here.",
        ),
    )


def _rejected(request: HttpRequest, project: Project, name: str) -> Listing:
    noun = proposals_of(project, name).noun
    return Listing(
        request=request,
        name=f"rejected {noun.plural}",
        rows=rejected_entries(project=project, name=name),
        columns=[
            Column(noun.singular.capitalize(), lambda row: row.key, order="key"),
            Column("Rejected by", lambda row: row.rejected_by, order="rejected_by"),
            time_column("Rejected", lambda row: row.rejected_at, order="rejected_at"),
        ],
        count=noun.count,
        size=PAGE_SIZE,
        bulk=ACTIONS.format("restore"),
        bulk_name="entry",
        bulk_id=lambda row: row.key,
        empty=Empty("", f"No {noun.plural} are rejected."),
    )
