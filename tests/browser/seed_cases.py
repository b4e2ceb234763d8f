"""A script that creates cases on a site and prints `{name: [address of its page, item ids]}`.

Run as `python -m tests.browser.seed_cases` with the environment of that site.
"""

import json
import sys
from collections.abc import Callable

import django

django.setup()

from django.conf import settings  # noqa: E402

from annotation.models import Sentence  # noqa: E402
from consolidation.models import Case  # noqa: E402
from projects.enums import Role  # noqa: E402
from projects.models import Project  # noqa: E402
from tests.annotation.factories import make_noun  # noqa: E402
from tests.browser.seed import SALE  # noqa: E402
from tests.consolidation.factories import (  # noqa: E402
    CONTAIN,
    IDENTIFIED,
    LONG_NAME,
    SHORT_NAME,
    SURVEY,
    make_case,
    make_case_of,
    make_item,
    make_project,
    source,
)
from tests.consolidation.validation import make_validation_case, make_validation_project  # noqa: E402

GAS = ("What might something contain?", ["natural gas"])
BASIN = ("What did someone identify?", ["a basin"])


def identified() -> Case:
    """Return the first example of the paper, with a second role on which both annotators agree."""
    return make_case(
        SURVEY,
        IDENTIFIED,
        source(SURVEY, ("Who identified something?", [LONG_NAME]), BASIN),
        source(SURVEY, ("Who identified something?", [SHORT_NAME]), BASIN),
    )


def contain() -> Case:
    """Return the second example of the paper, with a second role on which both annotators agree."""
    return make_case(
        SURVEY,
        CONTAIN,
        source(SURVEY, ("What might contain something?", ["that basin"]), GAS),
        source(SURVEY, ("What contains something?", ["that basin"]), GAS),
    )


def implied() -> Case:
    """Return the second example of the paper in a project that asks what is only implied."""
    case = contain()
    case.item.project.asks_implied = True
    case.item.project.save()
    return case


def in_context() -> Case:
    """Return the second example of the paper. The first question is answered in the context only."""
    item = make_item(SURVEY, CONTAIN)
    item.project.shown_context, item.project.allows_context_answers = "1", True
    item.project.save()
    item.sentence.group, item.sentence.position = "a survey", 1
    item.sentence.save()
    Sentence.objects.create(
        project=item.project,
        external_id="survey:0",
        tokens=["The", "basin", "is", "large", "."],
        group="a survey",
    )
    first = source(SURVEY, ("What might contain something?", []), GAS)
    first["questions"][0]["context_answers"] = [{"sentence": "survey:0", "start": 0, "end": 2}]
    return make_case_of(item, first, source(SURVEY, GAS))


def modal() -> Case:
    """Return a case with one role, for which only the second annotator uses a modal."""
    return make_case(
        SURVEY,
        CONTAIN,
        source(SURVEY, ("What contains something?", ["that basin"])),
        source(SURVEY, ("What might contain something?", ["that basin"])),
    )


def noun() -> Case:
    """Return a case of a noun that is an event according to the first annotator only."""
    item = make_noun(make_project(), tokens=SALE, noun=1, verb_form="sell")
    content = source(SALE, ("What was sold?", ["the mill"]))
    return make_case_of(item, {**content, "is_verbal": True}, {**source(SALE), "is_verbal": False})


def nothing() -> Case:
    none = source(SURVEY, no_question="Not a verb here.")
    return make_case(SURVEY, CONTAIN, none, source(SURVEY, no_question="It makes no sense."))


def three() -> Case:
    return make_case(
        SURVEY,
        CONTAIN,
        source(SURVEY, ("What might contain something?", ["that basin"])),
        source(SURVEY, ("What contains something?", ["that basin"])),
        source(SURVEY, GAS, ("What might contain something?", ["that basin"])),
    )


def validation() -> Case:
    """Return a case with three questions to validate, the last without an answer in the sentence."""
    return make_validation_case()


def many() -> Case:
    """Return a case with twelve questions to validate."""
    texts = [
        f"{wh} {aux} something contain something?"
        for wh in ("When", "Where", "Why")
        for aux in ("might", "does", "did", "can")
    ]
    questions = [{"question": text, "answers": [[at, at + 1]]} for at, text in enumerate(texts)]
    return make_validation_case({"questions": questions, "no_question": ""})


def danger() -> Case:
    tokens = ["<script>window.hacked=1</script>", "contain", "</script>", "\u202edesrever", "&amp;"]
    question = ("<img src=x onerror=window.hacked=1>?", [tokens[0]])
    project = _with_free_form(make_validation_project())
    return make_validation_case(
        source(tokens, question), project=project, tokens=tokens, verb_idx=1
    )


def hostile() -> Case:
    tokens = ["<script>window.hacked=1</script>", "contain", "</script>", "\u202edesrever", "&amp;"]
    question = ("<img src=x onerror=window.hacked=1>?", [tokens[0]])
    item = make_item(tokens, 1, _with_free_form(make_project()))
    return make_case_of(item, source(tokens, question), source(tokens, question))


def _with_free_form(project: Project) -> Project:
    project.allow_free_form = True
    project.save()
    return project


CASES: dict[str, Callable[[], Case]] = {
    "identified": identified,
    "contain": contain,
    "implied": implied,
    "context": in_context,
    "modal": modal,
    "nothing": nothing,
    "three": three,
    "hostile": hostile,
    "validation": validation,
    "many": many,
    "danger": danger,
    "noun": noun,
}


def main(names: list[str]) -> dict[str, tuple[str, list[int]]]:
    """Create a case for each name, which starts with a kind of CASES."""
    cases = {}
    for name in names:
        kind = name.partition("-")[0]
        case = CASES[kind]()
        assert case.task
        verb = "validate" if case.task.role == Role.VALIDATOR else "consolidate"
        address = f"{settings.SITE_URL}/{verb}/{case.task.public_id}/"
        cases[name] = (address, [case.item_id])
    return cases


if __name__ == "__main__":
    sys.stdout.write(json.dumps(main(sys.argv[1:])))
