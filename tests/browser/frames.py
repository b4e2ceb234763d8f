"""Records of the frames scheme, and the actions of annotators on their page."""

from itertools import count

from playwright.sync_api import Locator, Page, expect

from annotation.models import Item, Sentence
from consolidation.domain.cases.open_cases import open_case, publish_case
from consolidation.models import Case
from projects.domain.create_project import create_project
from projects.domain.resources import change_resource
from projects.models import Project
from schemes.contract.values import Json
from schemes.registry import get_scheme
from tests.annotation.factories import NOW
from tests.consolidation.factories import make_generation
from tests.schemes.frames.page_lexicon import LEXICON

# 0   1    2    3    4      5    6      7    8    9
TOKENS = ["The", "best", "wine", "came", "mostly", "from", "France", "last", "year", "."]
METADATA = {
    "lemmas": ["the", "good", "wine", "come", "mostly", "from", "France", "last", "year", "."],
    "heads": [2, 2, 3, -1, 3, 6, 3, 8, 3, 3],
    "deprels": [
        "det",
        "amod",
        "nsubj",
        "root",
        "advmod",
        "case",
        "obl",
        "amod",
        "obl:tmod",
        "punct",
    ],
}
WINE = {"head": [2], "element": "Entity", "role": "Theme"}
FRANCE = {"head": [6], "element": "Origin", "role": "Source"}
YEAR = {"head": [8], "element": "", "role": "Time"}
_numbers = count(1)


def make_frames_project(slug: str = "frames", lexicon: Json = LEXICON) -> Project:
    presets = get_scheme("frames").vocabulary.pay_presets
    project = create_project(slug=slug, scheme="frames", pay_scheme=presets["frames"], now=NOW)
    change_resource(project=project, name="lexicon", value=lexicon, actor="requester", now=NOW)
    return project


def related_lexicon() -> Json:
    """Return the lexicon, in which Arriving and Becoming inherit from Origin."""
    frames = {name: {**value, "relations": []} for name, value in LEXICON["frames"].items()}
    for name in ("Arriving", "Becoming"):
        rows = [(name, "Origin", True), ("Origin", name, False)]
        for own, other, is_parent in rows:
            row = {"type": "Inheritance", "frame": other, "is_parent": is_parent}
            frames[own]["relations"].append(row)
    return {**LEXICON, "frames": frames}


def make_record(project: Project) -> Item:
    """Return an item about “came”."""
    name = f"s{next(_numbers)}"
    sentence = Sentence.objects.create(
        project=project, external_id=name, tokens=list(TOKENS), metadata=METADATA
    )
    target = {"verb": [3], "lemma": "come", "fillers": {}}
    return Item.objects.create(
        project=project, sentence=sentence, key=f"{name}/4", target=target, position=1
    )


def record(frame: str, *arguments: Json, verb: tuple[int, ...] = (3, 5)) -> Json:
    """Return the content of an annotation about “came”."""
    return {
        "skip": "",
        "verb": list(verb),
        "frame": frame,
        "arguments": list(arguments),
        "confidence": 4,
    }


def verification_case(project: Project, content: Json) -> Case:
    """Return a published case for the verification of an annotation."""
    item = make_record(project)
    make_generation(item, content)
    open_case(item=item, now=NOW)
    publish_case(case_id=item.cases.get().pk, now=NOW)
    return item.cases.get()


def frame(page: Page, name: str) -> Locator:
    return page.get_by_role("radio", name=name, exact=True)


def current_step(page: Page) -> Locator:
    return page.locator("[aria-current=step]")


def understand(page: Page) -> None:
    page.get_by_role("button", name="I understand the sentence").click()
    expect(current_step(page)).to_contain_text("Frame")


def choose_frame(page: Page, name: str) -> None:
    page.locator("label", has=page.locator(f"input[name=frame][value={name}]")).click()
    expect(frame(page, name)).to_be_checked()


def word(page: Page, position: int) -> Locator:
    return page.locator(f"#sentence-{position} .word")


def element_option(page: Page, name: str) -> Locator:
    return page.locator(".argument--active label", has=page.locator(f"input[value={name}]"))


def open_argument(page: Page, position: int) -> None:
    """Click the word, and wait for the elements that keys choose from."""
    word(page, position).click()
    expect(page.locator(".argument--active [type=radio]").first).to_be_visible()


def go_on(page: Page) -> None:
    page.locator("[data-go-on]").click()


def mention_no_arguments(page: Page) -> None:
    """Confirm in the step of the arguments that there are none."""
    page.locator(".stepper").get_by_role("button", name="Arguments").click()
    page.get_by_label("The sentence mentions no argument of this verb").check()


def labels_of_arguments(page: Page) -> list[str]:
    heads = page.locator(".argument__head").all_inner_texts()
    labels = page.locator(".argument__labels").all_inner_texts()
    return [f"{head} {label}" for head, label in zip(heads, labels, strict=True)]
