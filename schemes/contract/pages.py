"""Workers' pages and pages for staff."""

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from schemes.contract.items import ItemContext
from schemes.contract.values import Box, Json


@dataclass(frozen=True, slots=True)
class ImpliedSetting:
    """The texts of the setting that asks experts and consolidators what the text only implies."""

    label: str
    help_text: str


@dataclass(frozen=True, slots=True)
class ContextAnswersSetting:
    """The texts of the setting that lets annotators mark answers in the context of a sentence."""

    label: str
    help_text: str


class SuggestionSetting(Protocol):
    """The texts of the setting that chooses what a worker's page suggests.

    `learned_from` names the data of learned suggestions.
    """

    label: str
    help_text: str
    learned_from: str

    @abstractmethod
    def ranks(self, content: Json) -> Sequence[int | None]:
        """Return, for each unit of parsed content, the rank of the suggestion that was picked.

        It is None if the unit was typed. Units without a record are left out.
        """


class Pages(Protocol):
    """Data of workers' pages.

    `roles` are the roles whose pages need the data. The script of a role's page is
    `static/js/schemes/<scheme>/<role>.js`, which exports `mount(root, data, onChange)` (see
    `static/js/work/contract.js`). Its optional template is `templates/schemes/<scheme>/<role>.html`.
    `modules` are the static modules that the script imports only for some content, such as
    "js/schemes/custom/span-card.js". Pages preload them.
    `suggestions` is None if pages suggest no units, `implied` is None if they can't mark what is
    only implied, and `context_answers` is None if all answers lie in the sentence.
    """

    roles: Sequence[str] = ("generator", "consolidator", "validator")
    modules: Sequence[str] = ()
    suggestions: SuggestionSetting | None = None
    implied: ImpliedSetting | None = None
    context_answers: ContextAnswersSetting | None = None

    def shared(self, contexts: Sequence[ItemContext]) -> Json:
        """Return what all items of a page share."""
        return {}

    def item(self, context: ItemContext) -> Json:
        """Return an item's own data."""
        return {}


class NoPageData(Pages):
    """Pages that need no data."""


@dataclass(frozen=True, slots=True)
class ShownUnit:
    """A unit of content on a page: its label, its values, and the spans to mark in the sentence.

    `state` is a judgment such as "redundant". `boxes` are those to draw in the image.
    """

    label: str
    values: Sequence[str] = ()
    spans: Sequence[tuple[int, int]] = ()
    state: str = ""
    boxes: Sequence[Box] = ()


class Views(Protocol):
    """Display of content on pages for staff."""

    @abstractmethod
    def units(self, content: object, context: ItemContext) -> Sequence[ShownUnit] | None:
        """Return the units of content, in the order of its provenance.

        Return None for content of another shape, such as an arbitrary copy of the marketplace.
        """

    def remark(self, content: Json) -> str:
        """Return a sentence about what units do not show, or ""."""
        return ""

    def marked(self, target: Json) -> Sequence[int]:
        """Return the token positions of a target."""
        return ()


@dataclass(frozen=True, slots=True)
class Goal:
    """A condition on a page's content: the value at `path` is not empty, or equals `value`.

    A path has names and positions, such as "questions.0.answers". "*" matches any position.
    """

    path: str
    value: object = None


@dataclass(frozen=True, slots=True)
class TutorialStep:
    """A step of a tutorial. It ends when all goals are reached, or when the worker continues."""

    title: str
    text: str
    goals: Sequence[Goal] = ()


@dataclass(frozen=True, slots=True)
class Tutorial:
    """Steps on a role's page with an example. `sources` are the annotations of an example to judge.

    `picture` is the path of the example's image among the static files. Without it, the image is that of
    the project with the name in the context's metadata.
    """

    context: ItemContext
    steps: Sequence[TutorialStep]
    sources: Sequence[Json] = ()
    picture: str = ""
