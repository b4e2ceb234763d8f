"""Choose how a project's generations become gold, before the first is published."""

from datetime import datetime
from typing import Any

from django.db import transaction

from audit.domain.change_state import log_state_change
from audit.errors import TouchstoneError
from projects.domain.schemes import scheme_of
from projects.enums import AfterDisputes, Protocol
from projects.models import Project
from projects.protocols import TERMS

MAX_VALIDATORS = 9
MAX_REVISIONS = 3


class ProtocolError(TouchstoneError, ValueError):
    """The project can't use this protocol."""


class ProtocolFixedError(ProtocolError):
    """Items have been published under another protocol."""


def is_fixed(*, project: Project) -> bool:
    """Return True if items have been published, so that the protocol can't change any more."""
    return project.items.filter(in_production=True, task_items__isnull=False).exists()


@transaction.atomic
def choose_protocol(
    *,
    project: Project,
    actor: str,
    now: datetime,
    protocol: str | None = None,
    validators: int | None = None,
    agree: int | None = None,
    revisions: int | None = None,
    after_disputes: str | None = None,
) -> Project:
    """Set the project's protocol. What is None stays as it is.

    Under validation, `validators` workers judge a single generation. They have not generated for the
    same sentence. What `agree` of them find valid becomes gold.

    Under verification, an annotation with a part that fewer than `agree` verifiers support returns to
    its generator up to `revisions` times. `after_disputes` is what follows. Raise ProtocolError, and
    ProtocolFixedError if items have been published.
    """
    project = Project.objects.select_for_update(of=("self",)).get(pk=project.pk)
    given = {
        "protocol": protocol,
        "validators_per_item": validators,
        "validators_to_agree": agree,
        "revision_limit": revisions,
        "after_disputes": after_disputes,
    }
    wanted: dict[str, Any] = {
        name: getattr(project, name) if value is None else value for name, value in given.items()
    }
    wanted["protocol"] = new_protocol = Protocol(wanted["protocol"])
    wanted["after_disputes"] = AfterDisputes(wanted["after_disputes"])
    new_terms = TERMS[new_protocol]
    voters, needed = wanted["validators_per_item"], wanted["validators_to_agree"]
    limit = wanted["revision_limit"]
    if not 1 <= needed <= voters <= MAX_VALIDATORS:
        raise ProtocolError(
            f"{needed} of {voters} {new_terms.noun}s can't agree. Use 1 to {MAX_VALIDATORS} "
            f"{new_terms.noun}s, and require agreement of at least 1 and at most all of them."
        )
    if not 0 <= limit <= MAX_REVISIONS:
        raise ProtocolError(f"{limit} revisions are not possible. Use 0 to {MAX_REVISIONS}.")
    if all(getattr(project, name) == value for name, value in wanted.items()):
        return project
    if is_fixed(project=project):
        raise ProtocolFixedError(
            f"{project.slug} has published items under {project.protocol}. Create another project with "
            "the same sentences. You can then compare their items."
        )
    scheme = scheme_of(project)
    if new_terms.part(scheme) is None:
        raise ProtocolError(f"The scheme {scheme.title} does not support {new_protocol}.")
    for role in new_terms.case_roles:
        if role not in project.pay_scheme:
            raise ProtocolError(f"The pay scheme of {project.slug} has no terms for {role}s.")
    old = project.protocol
    for name, value in wanted.items():
        setattr(project, name, value)
    project.generators_per_item = new_terms.generators
    if old != new_protocol:
        project.exclusion_scope = new_terms.exclusion_scope
    if new_terms.is_voted:
        project.allows_context_answers = False  # people who vote answer in the sentence alone
    project.save()
    reason = f"{needed} of {voters} {new_terms.noun}s" if new_terms.is_voted else ""
    if new_terms.is_revised:
        count = f"{limit} revision{'' if limit == 1 else 's'}"
        reason += f", {count}, then {wanted['after_disputes'].label}"
    log_state_change(
        instance=project, old=old, new=new_protocol, actor=actor, now=now, reason=reason
    )
    return project
