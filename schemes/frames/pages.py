"""Data of the workers' pages."""

from collections.abc import Sequence

from schemes.contract.items import ItemContext
from schemes.contract.pages import Pages
from schemes.contract.texts import Translatable
from schemes.contract.values import Json
from schemes.frames.frame_ranking import nouns_of_light_verb
from schemes.frames.lexicon.value import EMPTY
from schemes.frames.role_rules import ELEMENT_ROLES, inventory_of, role_hints, verb_roles
from schemes.frames.skips import SKIP_REASONS

CONFIDENCE_TEXTS = (
    Translatable("a guess"),
    Translatable("unsure: several readings are possible"),
    Translatable("fairly sure, with doubts about some part"),
    Translatable("sure of the frame, small doubts about arguments"),
    Translatable("certain of everything"),
)


class FramesPages(Pages):
    """Pages of records."""

    def shared(self, contexts: Sequence[ItemContext]) -> Json:
        """Return what all records share: reasons for a skip, confidence texts and roles of elements."""
        return {
            "skips": [{"key": key, "label": label} for key, label in SKIP_REASONS.items()],
            "confidence": list(CONFIDENCE_TEXTS),
            "elementRoles": {element: list(roles) for element, roles in ELEMENT_ROLES.items()},
        }

    def item(self, context: ItemContext) -> Json:
        """Return the item's words, the roles that rules give, the role inventory and the core switch."""
        lemmas = context.metadata.get("lemmas") or context.tokens
        return {
            "lemmas": [
                (token if lemma == "_" else lemma).lower()
                for lemma, token in zip(lemmas, context.tokens, strict=True)
            ],
            "nouns": nouns_of_light_verb(context),
            "roleHints": role_hints(context),
            "verbRoles": verb_roles(context),
            "roles": inventory_of(context),
            "coreOnly": (context.resources.get("lexicon") or EMPTY)["core_only"],
        }


PAGES = FramesPages()
