"""Choose how a project's generations become gold, before the first is published."""

from datetime import datetime

from django.db import transaction

from audit.domain.change_state import log_state_change
from audit.errors import TouchstoneError
from projects.enums import Protocol
from projects.models import Project
from projects.protocols import TERMS
from schemes.registry import get_scheme

MOST_VALIDATORS = 9


class ProtocolError(TouchstoneError, ValueError):
    """The project can't use this protocol."""


@transaction.atomic
def choose_protocol(
    *,
    project: Project,
    protocol: str,
    actor: str,
    now: datetime,
    validators: int = 2,
    agree: int = 2,
) -> Project:
    """Set the project's protocol.

    Under validation, `validators` workers judge a single generation. They have not generated for the
    same sentence. What `agree` of them find valid becomes gold. Raise ProtocolError.
    """
    project = Project.objects.select_for_update(of=("self",)).get(pk=project.pk)
    if not 1 <= agree <= validators <= MOST_VALIDATORS:
        raise ProtocolError(
            f"{agree} of {validators} validators can't agree. Use 1 to {MOST_VALIDATORS} validators, and "
            "require agreement of at least 1 and at most all of them."
        )
    new_protocol = Protocol(protocol)
    terms = (project.protocol, project.validators_per_item, project.validators_to_agree)
    if terms == (new_protocol, validators, agree):
        return project
    if project.items.filter(in_production=True, task_items__isnull=False).exists():
        raise ProtocolError(
            f"{project.slug} has published items under {project.protocol}. Create another project with "
            "the same sentences. You can then compare their items."
        )
    new_terms = TERMS[new_protocol]
    scheme = get_scheme(project.scheme)
    if new_terms.part(scheme) is None:
        raise ProtocolError(f"The scheme {scheme.title} does not support {new_protocol}.")
    if new_terms.role not in project.pay_scheme:
        raise ProtocolError(f"The pay scheme of {project.slug} has no terms for {new_terms.role}s.")
    old, project.protocol = project.protocol, new_protocol
    project.generators_per_item = new_terms.generators
    project.validators_per_item, project.validators_to_agree = validators, agree
    if old != new_protocol:
        project.exclusion_scope = new_terms.exclusion_scope
    project.save()
    reason = f"{agree} of {validators} validators" if new_terms.is_voted else ""
    log_state_change(
        instance=project, old=old, new=new_protocol, actor=actor, now=now, reason=reason
    )
    return project
