from django.db.models import TextChoices


class Role(TextChoices):
    """What someone does with an item."""

    GENERATOR = "generator", "generator"
    CONSOLIDATOR = "consolidator", "consolidator"
    VALIDATOR = "validator", "validator"
    EXPERT = "expert", "expert"


class Partition(TextChoices):
    TRAIN = "train", "train"
    DEV = "dev", "dev"
    TEST = "test", "test"


class MemberRole(TextChoices):
    """What a colleague may do in a project."""

    ADMIN = "admin", "admin"
    REQUESTER = "requester", "requester"
    TRAINER = "trainer", "trainer"
    EXPERT = "expert", "expert"


class TokenScope(TextChoices):
    """What a token of the API may be used for, within what its owner's roles allow."""

    READ = "read", "read everything that you may read"
    IMPORT = "import", "start projects and import corpora"
    PUBLISH = "publish", "publish, pause, resume and end batches: this commits money"
    EXPORT = "export", "start and download exports"
    PAY = "pay", "accept and reject submissions: this pays, or refuses to"


class ImportState(TextChoices):
    UPLOADED = "uploaded", "to be looked at"
    QUEUED = "queued", "waiting for a worker process"
    RUNNING = "running", "being read"
    FINISHED = "finished", "finished"
    FAILED = "failed", "failed"


class BatchState(TextChoices):
    OPEN = "open", "open"
    PAUSED = "paused", "paused"
    CLOSED = "closed", "closed"


class SubmissionState(TextChoices):
    SUBMITTED = "submitted", "waiting for a decision"
    ACCEPTED = "accepted", "accepted"
    REJECTED = "rejected", "rejected"
    WITHDRAWN = "withdrawn", "withdrawn"


class Protocol(TextChoices):
    """How an item's generations become gold: merged by one person (Roit et al. 2020), or one
    generation judged by several (FitzGerald et al. 2018)."""

    CONSOLIDATION = "consolidation", "consolidation"
    VALIDATION = "validation", "validation"


class ExclusionScope(TextChoices):
    """For whom a consolidator or validator must have generated nothing."""

    ITEM = "item", "the item"
    SENTENCE = "sentence", "the whole sentence"
