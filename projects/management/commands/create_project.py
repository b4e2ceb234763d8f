from argparse import ArgumentParser
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from django.db import transaction
from django.utils import timezone

from crowd.enums import DEFAULT_PROVIDER, Provider
from projects.command import Command as BaseCommand
from projects.command import InputError
from projects.domain.choose_protocol import MAX_REVISIONS, choose_protocol
from projects.domain.create_project import create_project
from projects.domain.pay_warnings import pay_warnings
from projects.enums import AfterDisputes, BonusTiming, Protocol, ShownContext, SuggestionChoice
from projects.languages import DEFAULT_LANGUAGE, LANGUAGES
from projects.models import Project
from schemes.contract.scheme import DEFINITION
from schemes.contract.values import Json
from schemes.registry import SCHEMES


class Command(BaseCommand):
    help = "Create a project."
    example = f"manage.py create_project wikinews-dev --scheme {next(iter(SCHEMES))} --budget 750"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("slug", help="name in URLs and commands")
        parser.add_argument("--scheme", required=True, choices=sorted(SCHEMES))
        parser.add_argument(
            "--definition",
            default="",
            metavar="FILE",
            help="the definition of a scheme that projects declare, or the name of a starter "
            f"({_starters()})",
        )
        parser.add_argument("--title", default="")
        parser.add_argument("--pay", help=f"{_presets()} (default: the scheme's first)")
        parser.add_argument(
            "--provider",
            choices=Provider.values,
            default=DEFAULT_PROVIDER,
            help=f"crowd provider (default: {DEFAULT_PROVIDER})",
        )
        parser.add_argument("--budget", help="budget limit in dollars (default: none)")
        parser.add_argument("--seed", type=int, default=1, help="seed of the items' shuffle")
        parser.add_argument(
            "--suggestions",
            choices=SuggestionChoice.values,
            default=SuggestionChoice.BY_PARTITION,
            help="what workers' pages suggest, in schemes with suggestions (default: learned in the "
            "partition train, grammar elsewhere)",
        )
        parser.add_argument(
            "--language",
            choices=sorted(LANGUAGES),
            default=DEFAULT_LANGUAGE,
            metavar="TAG",
            help=f"language of the corpus as a BCP 47 tag, such as de (default: {DEFAULT_LANGUAGE})",
        )
        parser.add_argument(
            "--context",
            choices=ShownContext.values,
            default=ShownContext.NONE,
            help="the sentences of the same document that pages show around a sentence (default: none)",
        )
        parser.add_argument(
            "--bonuses",
            choices=BonusTiming.values,
            default=BonusTiming.BY_TRUST,
            help="when the work and bonuses of generators are decided (default: at once for trained and "
            "reliable workers, after consolidation for others)",
        )
        add_protocol(parser)
        self.add_json(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        project = _create(options)
        facts = {
            "project": project.slug,
            "scheme": project.scheme,
            "protocol": str(project.protocol),
        }
        for warning in pay_warnings(project=project):
            self.stderr.write(f"{warning} Set limits on the page Pay.")
        sentence = f"Project {project.slug} is ready for its corpus."
        self.write_result(facts, sentence, as_json=options["json"])


def add_protocol(parser: ArgumentParser, *, default: str | None = Protocol.CONSOLIDATION) -> None:
    parser.add_argument("--protocol", choices=Protocol.values, default=default)
    parser.add_argument(
        "--validators",
        type=int,
        default=2,
        help="validators or verifiers per item (validation and verification)",
    )
    parser.add_argument(
        "--agree", type=int, default=2, help="validators who must find a part of an item valid"
    )
    parser.add_argument(
        "--revisions",
        type=int,
        default=1,
        metavar="N",
        help=f"how often a disputed annotation returns to its annotator, 0 to {MAX_REVISIONS} "
        "(verification)",
    )
    parser.add_argument(
        "--after-disputes",
        choices=AfterDisputes.values,
        default=AfterDisputes.EXPERTS,
        help="what becomes of items that are still disputed (verification)",
    )


def _presets() -> str:
    """List the pay presets of each scheme."""
    return "; ".join(
        f"{name}: {', '.join(scheme.vocabulary.pay_presets)}" for name, scheme in SCHEMES.items()
    )


def _starters() -> str:
    """List the definitions to start from."""
    declarations = (scheme.declaration for scheme in SCHEMES.values())
    return ", ".join(name for each in declarations if each for name in each.starters)


def _definition(scheme: str, name: str) -> Json | None:
    """Return the definition in a file, or a starter. Raise FileError."""
    if not name:
        return None
    declaration = SCHEMES[scheme].declaration
    if declaration is None:
        raise InputError(f"--definition goes with another scheme, because {scheme} has none.")
    if name in declaration.starters:
        return declaration.starter(name)
    path, formats = Path(name), SCHEMES[scheme].resources[DEFINITION].formats
    if not path.is_file():
        raise InputError(f"{name}: there is no such file or starter. Starters: {_starters()}.")
    read = formats.get(path.suffix.lower().removeprefix("."), next(iter(formats.values())))
    return SCHEMES[scheme].resources[DEFINITION].parse(read(path, None))


@transaction.atomic
def _create(options: dict[str, Any]) -> Project:
    project = create_project(
        slug=options["slug"],
        scheme=options["scheme"],
        title=options["title"],
        pay_scheme=options["pay"],
        cap_cents=_cents(options["budget"]),
        seed=options["seed"],
        provider=options["provider"],
        suggestions=options["suggestions"],
        language=options["language"],
        shown_context=options["context"],
        bonus_timing=options["bonuses"],
        definition=_definition(options["scheme"], options["definition"]),
        now=timezone.now(),
    )
    return choose_protocol(
        project=project,
        protocol=options["protocol"],
        validators=options["validators"],
        agree=options["agree"],
        revisions=options["revisions"],
        after_disputes=options["after_disputes"],
        actor="create_project",
        now=timezone.now(),
    )


def _cents(dollars: str | None) -> int | None:
    if dollars is None:
        return None
    try:
        cents = Decimal(dollars) * 100
    except InvalidOperation:
        raise InputError(f"--budget {dollars!r} is not an amount in dollars.") from None
    if cents != int(cents) or cents <= 0:
        raise InputError(f"--budget {dollars} is not a positive amount in dollars and whole cents.")
    return int(cents)
