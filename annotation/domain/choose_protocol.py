"""How a project's generations become gold; chosen before the first of them is published."""

from datetime import datetime

from django.db import transaction

from annotation.enums import ExclusionScope, Protocol, Role
from annotation.models import Project, TaskItem
from audit.domain.change_state import log_state_change

# Roit et al. 2020, section 3, and FitzGerald et al. 2018, section 2.
GENERATORS = {Protocol.CONSOLIDATION: 2, Protocol.VALIDATION: 1}
MOST_VALIDATORS = 9


class ProtocolRefused(ValueError):
    """The project can't go by this protocol (any more); nothing was changed."""


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
    """Let the project go by the protocol: under validation one generator, whose questions `validators`
    others judge, none of whom generated for the sentence; a question that `agree` of them find valid
    is gold. Raises ProtocolRefused.
    """
    project = Project.objects.select_for_update(of=("self",)).get(pk=project.pk)
    if not 1 <= agree <= validators <= MOST_VALIDATORS:
        raise ProtocolRefused(
            f"{agree} of {validators} validators can't agree: ask 1 to {MOST_VALIDATORS} of them, and "
            "no more to agree than there are."
        )
    wanted = Protocol(protocol)
    if _terms(project) == (wanted, validators, agree):
        return project
    if TaskItem.objects.filter(item__project=project, item__in_production=True).exists():
        raise ProtocolRefused(
            f"{project.slug} has published items under {project.protocol}. Start another project over "
            "the same sentences: the two can be compared item by item."
        )
    if wanted == Protocol.VALIDATION and Role.VALIDATOR not in project.pay_scheme:
        raise ProtocolRefused(f"The pay scheme of {project.slug} has no terms for validators.")
    old, project.protocol = project.protocol, wanted
    project.generators_per_item = GENERATORS[wanted]
    project.validators_per_item, project.validators_to_agree = validators, agree
    if wanted == Protocol.VALIDATION:
        project.exclusion_scope = ExclusionScope.SENTENCE
    project.save()
    reason = f"{agree} of {validators} validators" if wanted == Protocol.VALIDATION else ""
    log_state_change(instance=project, old=old, new=wanted, actor=actor, now=now, reason=reason)
    return project


def _terms(project: Project) -> tuple[str, int, int]:
    return project.protocol, project.validators_per_item, project.validators_to_agree
