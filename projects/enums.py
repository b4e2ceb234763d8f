"""Choices of project models."""

from django.db.models import TextChoices


class Role(TextChoices):
    """The role of a person who works on an item."""

    GENERATOR = "generator", "generator"
    CONSOLIDATOR = "consolidator", "consolidator"
    VALIDATOR = "validator", "validator"
    REVISER = "reviser", "reviser"
    EXPERT = "expert", "expert"


def page_role(role: str) -> str:
    """Return the role whose page, guidelines and units apply to work in this role.

    Revisers use the page of generators.
    """
    return Role.GENERATOR if role == Role.REVISER else role


class MemberRole(TextChoices):
    """The role of a colleague in a project."""

    ADMIN = "admin", "admin"
    REQUESTER = "requester", "requester"
    TRAINER = "trainer", "trainer"
    EXPERT = "expert", "expert"


class TokenScope(TextChoices):
    """The use that an API token permits, within its owner's roles."""

    READ = "read", "Read: view everything that you can access"
    IMPORT = "import", "Import: create projects and import corpora"
    PUBLISH = "publish", "Publish: publish, pause, resume and end batches (spends budget)"
    EXPORT = "export", "Export: start and download exports"
    PAY = "pay", "Pay: accept and reject submissions (pays workers)"


class Protocol(TextChoices):
    """The way in which generations become gold.

    A consolidator merges them (Roit et al. 2020), or several validators judge a single one
    (FitzGerald et al. 2018). Verification is a validation whose disputes return to the generator.
    """

    CONSOLIDATION = "consolidation", "consolidation"
    VALIDATION = "validation", "validation"
    VERIFICATION = "verification", "verification"


class AfterDisputes(TextChoices):
    """What becomes of an item that is still disputed after its revisions."""

    EXPERTS = "experts", "an expert resolves it"
    LEAVE = "leave", "it is excluded from the dataset"


class ExclusionScope(TextChoices):
    """The scope in which a consolidator or validator must not have generated."""

    ITEM = "item", "the item"
    SENTENCE = "sentence", "the whole sentence"
    GROUP = "group", "the whole document or image"
