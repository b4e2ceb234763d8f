"""Choices of project models."""

from django.db.models import TextChoices

from web.states import State, Tone


class Role(TextChoices):
    """The role of a person who works on an item. MODEL is that of a model's annotation."""

    GENERATOR = "generator", "generator"
    CONSOLIDATOR = "consolidator", "consolidator"
    VALIDATOR = "validator", "validator"
    REVISER = "reviser", "reviser"
    EXPERT = "expert", "expert"
    MODEL = "model", "model"


def page_role(role: str) -> str:
    """Return the role whose page, guidelines and units apply to work in this role.

    Revisers use the page of generators.
    """
    return Role.GENERATOR if role == Role.REVISER else role


def writes_units(role: str) -> bool:
    """Return True for a role that writes annotations, and False for one that judges those of others."""
    return page_role(role) == Role.GENERATOR


class MemberRole(TextChoices):
    """The role of a colleague in a project."""

    ADMIN = "admin", "admin"
    REQUESTER = "requester", "requester"
    TRAINER = "trainer", "trainer"
    EXPERT = "expert", "expert"


class SettledStep(TextChoices):
    """A step of the set-up that a requester settles by keeping the default, or by leaving it out."""

    EXPERT_GOLD = "expert-gold", "expert gold"
    GUIDELINES = "guidelines", "guidelines"
    PAY = "pay", "pay"
    REHEARSAL = "rehearsal", "rehearsal"
    TRAINING = "training", "training"


class TokenScope(TextChoices):
    """The use that an API token permits, within its owner's roles."""

    READ = "read", "Read: view everything that you can access"
    IMPORT = "import", "Import: create projects and import corpora"
    PUBLISH = (
        "publish",
        "Publish: publish and change batches, change, archive and delete projects (spends budget)",
    )
    TRAIN = "train", "Train: set up rounds, decide on trainees, write to workers, change the pool"
    EXPORT = "export", "Export: start and download exports, manage webhooks"
    ENTER = "enter", "Enter: send predictions to benchmarks for your team"
    PAY = "pay", "Pay: decide submissions and held bonuses (pays workers)"
    MEMBERS = "members", "Members: see, invite, change and remove members, also admins"
    OPERATE = "operate", "Operate: block workers and retry failures of the whole site (superusers)"


class Protocol(TextChoices):
    """The way in which generations become gold.

    A consolidator merges them (Roit et al. 2020), or several validators judge a single one
    (FitzGerald et al. 2018). Verification is a validation whose disputes return to the generator.
    """

    CONSOLIDATION = "consolidation", "consolidation"
    VALIDATION = "validation", "validation"
    VERIFICATION = "verification", "verification"


class ShownContext(TextChoices):
    """The sentences of the same document that pages show around a sentence."""

    NONE = "none", "no sentences"
    ONE = "1", "1 sentence before and after"
    TWO = "2", "2 sentences before and after"
    THREE = "3", "3 sentences before and after"
    FIVE = "5", "5 sentences before and after"
    DOCUMENT = "document", "the whole document"


class SuggestionChoice(TextChoices):
    """What workers' pages suggest: the same on all, or what fits the partition of the sentence.

    `schemes.contract.items.Suggestions` describes the others.
    """

    BY_PARTITION = "by-partition", "by partition: learned in train, grammar elsewhere"
    OFF = "off", "off"
    GRAMMAR = "grammar", "grammar"
    LEARNED = "learned", "learned"


class AfterDisputes(TextChoices):
    """What becomes of an item that is still disputed after its revisions."""

    EXPERTS = "experts", "an expert resolves it"
    LEAVE = "leave", "it is excluded from the dataset"


class BonusTiming(TextChoices):
    """When generators' work and bonuses are decided (see `annotation.domain.decisions.bonus_timing`)."""

    AT_ONCE = "at-once", "at once"
    AFTER_CONSOLIDATION = "after-consolidation", "after consolidation"
    BY_TRUST = "by-trust", "by trust: at once for trained and reliable workers"


class InputSignals(TextChoices):
    """What is recorded of how workers enter their answers, and what it is used for."""

    OFF = "off", "off: nothing is recorded"
    SHOWN = "shown", "shown to staff"
    HOLD = "hold", "shown to staff, and a reason to review a bonus"


class ExclusionScope(TextChoices):
    """The scope in which a consolidator or validator must not have generated."""

    ITEM = "item", "the item"
    SENTENCE = "sentence", "the whole sentence"
    GROUP = "group", "the whole document or image"


class NotificationKind(TextChoices):
    """The kinds of events that members are notified of."""

    SUBMISSIONS = "submissions", "Submissions need a decision"
    BONUSES = "bonuses", "Bonuses are held for review"
    BATCH_FINISHED = "batch-finished", "A batch is finished"
    BATCH_SHORT = "batch-short", "A batch is missing annotations"
    BUDGET_NEAR = "budget-near", "A budget limit is nearly reached"
    BUDGET_REACHED = "budget-reached", "A budget limit is reached"
    PAYMENTS = "payments", "Payments have an unknown outcome"
    SESSIONS = "sessions", "Sessions end with little or no work"
    OUTAGE = "outage", "The crowd service is unreachable"
    STUDY = "study", "A study needs attention"
    REQUEST = "request", "A worker requests a qualification"
    COMMENT = "comment", "A worker leaves a comment"
    TRAINEES = "trainees", "Trainees await a decision"
    REPLY = "reply", "A worker answers feedback"
    MESSAGE = "message", "A worker writes to you"
    ALERT = "alert", "A worker in production needs attention"
    REVIEWS = "reviews", "Gold annotations await your review"
    QUEUE = "queue", "A new expert queue is open"
    JOB_FINISHED = "job-finished", "A job that you started is finished"
    JOB_FAILED = "job-failed", "A job that you started failed"
    WEBHOOK_OFF = "webhook-off", "A webhook is switched off"


class ContentWarning(TextChoices):
    """What participants are warned of before they take part in a study."""

    NONE = "", "none"
    SENSITIVE = "sensitive", "sensitive content"
    EXPLICIT = "explicit", "explicit content"


class Device(TextChoices):
    """The devices on which a study can be done."""

    DESKTOP = "desktop", "desktop"
    TABLET = "tablet", "tablet"
    MOBILE = "mobile", "mobile"


class DigestPeriod(TextChoices):
    """How often a user receives an email with unread notifications."""

    NEVER = "never", "Never"
    DAILY = "daily", "Daily"
    WEEKLY = "weekly", "Weekly"


class WebhookEvent(TextChoices):
    """What a project tells other programs about. PING is a test, which needs no subscription."""

    JOB_FINISHED = "job.finished", "A job is finished"
    JOB_FAILED = "job.failed", "A job failed"
    BATCH_FINISHED = "batch.finished", "A batch has ended"
    BONUS_HELD = "bonus.held", "A bonus is held for review"
    GOLD_CREATED = "gold.created", "There is new gold"
    RELEASE_PUBLISHED = "release.published", "A release is ready"
    PING = "ping", "A test"


# The events that a webhook can wait for.
SUBSCRIBABLE = [choice for choice in WebhookEvent.choices if choice[0] != WebhookEvent.PING]


class DeliveryState(State):
    """The states of a delivery. The log doesn't show them."""

    PENDING = "pending", Tone.WAITING, None, "Pending"
    DELIVERED = "delivered", Tone.SUCCESS, None, "Delivered"
    FAILED = "failed", Tone.DANGER, None, "Failed"
