"""Register the models of a project, and retire them."""

from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal

from django.db import IntegrityError, transaction

from annotation.domain.publishing.arms import systems_of
from audit.domain.change_state import Transitions, change_state, log_state_change
from audit.errors import TouchstoneError
from model_annotators.domain.endpoint import KEY_PURPOSE, check_address
from model_annotators.enums import ModelState
from model_annotators.models import ModelAnnotator
from projects.domain.sealed_text import seal
from projects.models import Project

TRANSITIONS: Transitions = {ModelState.ACTIVE: [ModelState.RETIRED]}


class ModelNameTakenError(TouchstoneError):
    """The project has another model of this name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelPlan:
    """What a requester enters about a model. Fields as in ModelAnnotator, with the key in plain."""

    name: str
    url: str = ""
    command: str = ""
    model: str
    key: str = ""
    requests_per_minute: int = 0
    temperature: float = 0.0
    examples: int = 4
    input_price_cents: Decimal = Decimal(0)
    output_price_cents: Decimal = Decimal(0)
    cap_cents: int


@transaction.atomic
def register_model(
    *, project: Project, plan: ModelPlan, actor: str, now: datetime
) -> ModelAnnotator:
    """Register a model. Raise EndpointError and ModelNameTakenError.

    Callers must not take a command from a requester, because it runs on this machine.
    """
    if not plan.command:
        check_address(plan.url)
    if plan.name in systems_of(project):
        raise ModelNameTakenError(f"The project has imported predictions called {plan.name}.")
    try:
        with transaction.atomic():
            annotator = ModelAnnotator.objects.create(
                project=project,
                name=plan.name,
                url=plan.url,
                command=plan.command,
                model=plan.model,
                requests_per_minute=plan.requests_per_minute,
                sealed_key=seal(plan.key, purpose=KEY_PURPOSE) if plan.key else "",
                temperature=plan.temperature,
                examples=plan.examples,
                input_price_cents=plan.input_price_cents,
                output_price_cents=plan.output_price_cents,
                cap_cents=plan.cap_cents,
                registered_at=now,
            )
    except IntegrityError as error:
        raise ModelNameTakenError(f"The project has another model called {plan.name}.") from error
    log_state_change(instance=annotator, old="", new=annotator.state, actor=actor, now=now)
    return annotator


def retire_model(*, annotator: ModelAnnotator, actor: str, now: datetime) -> None:
    """Retire a model, and forget its key. Its answers remain."""
    change_state(
        instance=annotator,
        new=ModelState.RETIRED,
        transitions=TRANSITIONS,
        actor=actor,
        now=now,
        sealed_key="",
    )
