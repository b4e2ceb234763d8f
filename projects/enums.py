"""Choices of project models."""

from django.db.models import TextChoices


class Role(TextChoices):
    """The role of a person who works on an item."""

    GENERATOR = "generator", "generator"
    CONSOLIDATOR = "consolidator", "consolidator"
    VALIDATOR = "validator", "validator"
    EXPERT = "expert", "expert"


class MemberRole(TextChoices):
    """The role of a colleague in a project."""

    ADMIN = "admin", "admin"
    REQUESTER = "requester", "requester"
    TRAINER = "trainer", "trainer"
    EXPERT = "expert", "expert"


class TokenScope(TextChoices):
    """The use that an API token permits, within its owner's roles."""

    READ = "read", "read everything that you can read"
    IMPORT = "import", "create projects and import corpora"
    PUBLISH = "publish", "publish, pause, resume and end batches (commits money)"
    EXPORT = "export", "start and download exports"
    PAY = "pay", "accept and reject submissions (pays or refuses to pay)"


class Protocol(TextChoices):
    """The way in which generations become gold.

    A consolidator merges them (Roit et al. 2020), or several validators judge a single one
    (FitzGerald et al. 2018).
    """

    CONSOLIDATION = "consolidation", "consolidation"
    VALIDATION = "validation", "validation"


class ExclusionScope(TextChoices):
    """The scope in which a consolidator or validator must not have generated."""

    ITEM = "item", "the item"
    SENTENCE = "sentence", "the whole sentence"
    GROUP = "group", "the whole document or image"
