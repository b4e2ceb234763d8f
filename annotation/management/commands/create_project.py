from argparse import ArgumentParser
from decimal import Decimal, InvalidOperation
from typing import Any

from django.core.exceptions import ValidationError
from django.core.validators import validate_slug
from django.db import transaction
from django.utils import timezone

from annotation.domain.choose_protocol import ProtocolRefused, choose_protocol
from annotation.domain.create_project import ProjectExists, create_project
from annotation.enums import Protocol
from annotation.management.command import Command as BaseCommand
from annotation.management.command import Refused
from annotation.models import Project
from crowd.domain.pay_scheme import PRESETS, PaySchemeError
from schemes.registry import SCHEMES


class Command(BaseCommand):
    help = "Start a project."
    example = "manage.py create_project wikinews-dev --scheme qasrl --pay qasrl-2020 --budget 750"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", help="its name in addresses and commands")
        parser.add_argument("--scheme", required=True, choices=sorted(SCHEMES))
        parser.add_argument("--title", default="")
        parser.add_argument("--pay", default="qasrl-2020", help=f"one of {', '.join(PRESETS)}")
        parser.add_argument("--budget", help="the most it may cost, in dollars; no cap without it")
        parser.add_argument("--seed", type=int, default=1, help="of the items' shuffle")
        add_protocol(parser)
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            validate_slug(options["slug"])
            project = _create(options)
        except ValidationError as error:
            raise Refused(f"{options['slug']!r}: {error.messages[0]}") from error
        except (ProjectExists, PaySchemeError, ProtocolRefused) as error:
            raise Refused(error) from error
        facts = {
            "project": project.slug,
            "scheme": project.scheme,
            "protocol": str(project.protocol),
        }
        self.tell(
            facts, f"Project {project.slug} is ready for its corpus.", as_json=options["json"]
        )


def add_protocol(parser: ArgumentParser, *, default: str | None = Protocol.CONSOLIDATION) -> None:
    parser.add_argument("--protocol", choices=Protocol.values, default=default)
    parser.add_argument(
        "--validators", type=int, default=2, help="under validation: how many judge each question"
    )
    parser.add_argument(
        "--agree", type=int, default=2, help="and how many of them must find it valid"
    )


@transaction.atomic
def _create(options: dict[str, Any]) -> Project:
    project = create_project(
        slug=options["slug"],
        scheme=options["scheme"],
        title=options["title"],
        pay_scheme=options["pay"],
        cap_cents=_cents(options["budget"]),
        seed=options["seed"],
        now=timezone.now(),
    )
    return choose_protocol(
        project=project,
        protocol=options["protocol"],
        validators=options["validators"],
        agree=options["agree"],
        actor="create_project",
        now=timezone.now(),
    )


def _cents(dollars: str | None) -> int | None:
    if dollars is None:
        return None
    try:
        cents = Decimal(dollars) * 100
    except InvalidOperation:
        raise Refused(f"--budget {dollars!r} is no amount of dollars.") from None
    if cents != int(cents) or cents <= 0:
        raise Refused(f"--budget {dollars} is no positive amount of dollars and cents.")
    return int(cents)
