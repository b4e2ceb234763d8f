"""The records of Touchstone's REST API.

Written by scripts/write_client.py from the schema of the API. Do not edit. Moments are texts in ISO
8601, with a time zone. Sites may add fields, and values to the lists of choices.
"""

from typing import Any, Literal, NotRequired, TypedDict

AfterDisputesEnum = Literal[
    "experts",  # an expert resolves it
    "leave",  # it is excluded from the dataset
]
AfterPassingEnum = Literal[
    "production",  # Production: workers who pass are admitted to the pool
    "next-round",  # The next round
]
BatchState = Literal[
    "publishing",  # being published
    "open",
    "paused",
    "closed",
]
BlankEnum = Literal[""]
BlockStateEnum = Literal[
    "pending",  # to be blocked
    "blocked",
    "lifting",  # to be lifted
    "lifted",
]
BonusTimingEnum = Literal[
    "at-once",
    "after-consolidation",
    "by-trust",  # by trust: at once for trained and reliable workers
]
CaseState = Literal[
    "open",
    "offered",  # offered to workers
    "consolidated",
    "validated",
    "revising",  # disputed, being revised
    "disputed",
    "resolved",  # resolved by an expert
    "reopened",  # being annotated again
    "replaced",  # replaced by new annotations
]
CategoryEnum = Literal[
    "LOW_EFFORT",
    "FAILED_INSTRUCTIONS",  # Did not follow the instructions
    "FAILED_CHECK",  # Failed attention checks
    "TOO_QUICKLY",  # Much too fast
    "TOO_SLOWLY",  # Took too long
    "MALINGERING",  # Pretended or made things up
    "UNSUPP_DEVICE",  # Used a device that the study excludes
    "OTHER",  # Another reason
]
CauseEnum = Literal[
    "finished",  # after the last submission
    "reference",  # after a correction of the reference
    "asked",  # on request
]
CopyEnum = Literal["ours", "theirs"]
DeliveryStateEnum = Literal["pending", "delivered", "failed"]
EnrolmentState = Literal[
    "invited",
    "working",
    "to-decide",  # finished, awaiting decision
    "passed",
    "repeating",  # to repeat the round
    "declined",
    "withdrawn",
]
EntryEnum = Literal[
    "open",  # workers who meet the requirements
    "invited",  # invited workers
    "passed",  # invited workers and those who passed the previous round
]
EntryState = Literal["waiting", "scored", "refused"]
EventEnum = Literal[
    "job.finished",  # A job is finished
    "job.failed",  # A job failed
    "batch.finished",  # A batch has ended
    "bonus.held",  # A bonus is held for review
    "gold.created",  # There is new gold
    "release.published",  # A release is ready
    "ping",  # A test
]
EventsEnum = Literal[
    "job.finished",  # A job is finished
    "job.failed",  # A job failed
    "batch.finished",  # A batch has ended
    "bonus.held",  # A bonus is held for review
    "gold.created",  # There is new gold
    "release.published",  # A release is ready
]
ExclusionScopeEnum = Literal[
    "item",  # the item
    "sentence",  # the whole sentence
    "group",  # the whole document or image
]
FeedbackEnum = Literal["none", "draft", "sent", "read"]
GoldSource = Literal["consolidated", "validated", "expert", "imported"]
HeldBonusStateEnum = Literal[
    "held",  # waiting for review
    "waiting",  # waiting for consolidation
    "accepted",
    "declined",
]
HowEnum = Literal["pseudonymise", "erase"]
InputSignalsEnum = Literal[
    "off",  # off: nothing is recorded
    "shown",  # shown to staff
    "hold",  # shown to staff, and a reason to review a bonus
]
IssueEnum = Literal[
    "short",  # few tasks
    "empty",  # no task
    "unopened",  # never opened
]
ItemChangeKindEnum = Literal["added", "removed", "changed", "moved"]
ItemStateEnum = Literal[
    "not-published", "generating", "case-open", "revising", "disputed", "consolidated", "validated",
    "resolved", "reopened", "training", "withdrawn",
]  # fmt: skip
JobState = Literal[
    "uploaded",  # Waiting for confirmation
    "queued",
    "running",
    "finished",
    "failed",
    "cancelled",
]
LanguageEnum = Literal[
    "ab", "aa", "af", "ak", "akk", "sq", "en-US", "am", "grc", "ar", "an", "arc", "hy", "as", "ast",
    "de-AT", "av", "ay", "az", "bm", "bn", "ba", "eu", "bar", "be", "bho", "bi", "bs", "pt-BR",
    "br", "en-GB", "bg", "my", "fr-CA", "yue", "ca", "ceb", "ckb", "ch", "ce", "chr", "zh",
    "zh-Hans", "zh-Hant", "cu", "cv", "lzh", "cop", "kw", "co", "cr", "hr", "cs", "da", "dv", "nl",
    "dz", "arz", "en", "eo", "et", "ee", "fo", "fj", "fil", "fi", "fr", "ff", "gl", "lg", "ka",
    "de", "got", "el", "gn", "gu", "ht", "ha", "haw", "he", "hz", "hi", "ho", "hu", "is", "io",
    "ig", "id", "ia", "ie", "iu", "ik", "ga", "it", "ja", "jv", "kab", "kl", "kn", "kr", "ks", "kk",
    "km", "ki", "rw", "kv", "kg", "ko", "kj", "ku", "ky", "lo", "es-419", "lv", "li", "ln", "lt",
    "nds", "dsb", "lu", "lb", "mk", "mg", "ms", "ml", "mt", "gv", "mr", "mh", "gmh", "mn", "mi",
    "na", "nv", "ng", "ne", "pcm", "nd", "kmr", "se", "no", "nb", "nn", "ny", "oc", "or", "oj",
    "ang", "fro", "goh", "om", "os", "ota", "pi", "ps", "fa", "pl", "pt", "pa", "qu", "ro", "rm",
    "rn", "ru", "sm", "sg", "sa", "sc", "gd", "sr", "sr-Latn", "sn", "ii", "sd", "si", "sk", "sl",
    "so", "nr", "st", "es", "su", "sw", "ss", "sv", "gsw", "de-CH", "syr", "tl", "ty", "tg", "ta",
    "tt", "te", "th", "bo", "ti", "tpi", "to", "ts", "tn", "tr", "tk", "tw", "udm", "uk", "hsb",
    "ur", "ug", "uz", "ve", "vi", "vo", "wa", "cy", "fy", "wo", "xh", "yi", "yo", "za", "zu",
]  # fmt: skip
LedgerKind = Literal[
    "reserve",  # reserved
    "release",  # released
    "settle",  # settled
    "model",
]
Licence = Literal[
    "CC0-1.0",  # Creative Commons Zero 1.0
    "CC-BY-4.0",  # Creative Commons Attribution 4.0
    "CC-BY-SA-4.0",  # Creative Commons Attribution ShareAlike 4.0
    "CC-BY-NC-4.0",  # Creative Commons Attribution NonCommercial 4.0
    "CC-BY-NC-SA-4.0",  # Creative Commons Attribution NonCommercial ShareAlike 4.0
    "CC-BY-ND-4.0",  # Creative Commons Attribution NoDerivatives 4.0
    "CC-BY-NC-ND-4.0",  # Creative Commons Attribution NonCommercial NoDerivatives 4.0
    "CC-BY-3.0",  # Creative Commons Attribution 3.0
    "CC-BY-SA-3.0",  # Creative Commons Attribution ShareAlike 3.0
    "ODbL-1.0",  # Open Database License 1.0
    "ODC-By-1.0",  # Open Data Commons Attribution 1.0
    "PDDL-1.0",  # Open Data Commons Public Domain Dedication 1.0
    "CDLA-Permissive-2.0",  # Community Data License Agreement Permissive 2.0
    "CDLA-Sharing-1.0",  # Community Data License Agreement Sharing 1.0
    "Apache-2.0",  # Apache License 2.0
    "MIT",  # MIT License
]
MemberRole = Literal["admin", "requester", "trainer", "expert"]
MethodEnum = Literal["random", "rich"]
NewExportSourceEnum = Literal[
    "consolidated",
    "validated",
    "expert",
    "imported",
    "annotations",  # individual annotations
]
NewGoldImportSourceEnum = Literal["expert", "imported"]
NewRoundRoleEnum = Literal["generator", "consolidator"]
Partition = Literal["train", "dev", "test"]
PaymentKindEnum = Literal[
    "reward",
    "bonus",
    "top_up",  # minimum of the session
]
PaymentStateEnum = Literal[
    "held",  # waiting for budget
    "review",  # waiting for review
    "pending",  # to be sent
    "sent",  # sent, not confirmed
    "confirmed",
    "failed",
    "declined",  # declined after review
    "closed",  # closed after a rejection
]
PhaseKind = Literal["development", "test"]
PoolWorkerStateEnum = Literal[
    "pending",  # to be granted
    "held",
    "revoking",  # to be revoked
    "revoked",
    "failed",
]
ProtocolEnum = Literal["consolidation", "validation", "verification"]
ProviderEnum = Literal[
    "mturk",  # MTurk-compatible marketplace
    "prolific",
]
Role = Literal["generator", "consolidator", "validator", "reviser", "expert", "model"]
RoundKind = Literal["screening", "training"]
SchemeEnum = Literal["custom", "frames", "grounding", "qasrl"]
ScopesEnum = Literal[
    "read",  # Read: view everything that you can access
    "import",  # Import: create projects and import corpora
    "publish",  # Publish: publish and change batches, change, archive and delete projects (spends budget)
    "train",  # Train: set up rounds, decide on trainees, write to workers, change the pool
    "export",  # Export: start and download exports, manage webhooks
    "enter",  # Enter: send predictions to benchmarks for your team
    "pay",  # Pay: decide submissions and held bonuses (pays workers)
    "members",  # Members: see, invite, change and remove members, also admins
    "operate",  # Operate: block workers and retry failures of the whole site (superusers)
]
SessionPaymentStateEnum = Literal[
    "planned",  # to be paid
    "approved",  # approved, bonus to be paid
    "paying",  # bonus being paid
    "confirmed",
    "unknown",  # outcome unknown
]
SessionStateEnum = Literal[
    "active",
    "finished",  # finished, not confirmed
    "submitted",
    "approved",
    "returned",
    "rejected",
]
ShownContextEnum = Literal[
    "none",  # no sentences
    "1",  # 1 sentence before and after
    "2",  # 2 sentences before and after
    "3",  # 3 sentences before and after
    "5",  # 5 sentences before and after
    "document",  # the whole document
]
StudyStateEnum = Literal[
    "pending",  # to be created
    "draft",  # to be published
    "live",
    "paused",
    "ended",
]
SubmissionState = Literal[
    "submitted",  # pending review
    "waiting",  # waiting for consolidation
    "accepted",
    "rejected",
    "withdrawn",
]
SuggestionsEnum = Literal[
    "by-partition",  # by partition: learned in train, grammar elsewhere
    "off",
    "grammar",
    "learned",
]
TypeEnum = Literal["validation_error", "client_error", "server_error"]
UseEnum = Literal[
    "annotator",  # one of the annotators, unmarked
    "source",  # another source for the consolidator, unmarked
    "shown-source",  # another source for the consolidator, marked
    "pre-annotation",  # pre-annotation that annotators edit
]
VerdictEnum = Literal["pass", "repeat", "decline", "withdraw"]
WhoEnum = Literal["pool", "anyone"]


class AcceptBonusRequest(TypedDict):
    # The units to pay by submission id. Without it, the whole bonus is paid.
    units: NotRequired[dict[str, int]]
    # Sent to the worker.
    note: NotRequired[str]


class AdmissionRequest(TypedDict):
    # The pseudonyms of the workers.
    workers: list[str]
    # What the worker or member does in the project.
    role: NotRequired[Role]
    # Admit also workers whose qualification was withdrawn.
    again: NotRequired[bool]


class Agreement(TypedDict):
    """The agreement of annotators by pair and in total. Each figure has a 95 % interval."""

    # When it was counted, in UTC. Figures are counted again after a while.
    counted_at: str | None
    # Why there are no figures, or empty.
    problem: str
    # The figures are of as many items at most.
    most_items: int
    # Generators who annotated the same items.
    workers: dict[str, Any]
    # First and second consolidations of the same items.
    consolidations: dict[str, Any]
    # The same, of teams that share no worker.
    disjoint_teams: dict[str, Any]
    # The agreement of validators.
    validators: list[dict[str, Any]]


class Decided(TypedDict):
    # The number of the row. It never changes and is not used again.
    id: int
    # Null if there is none.
    state: SubmissionState | None
    # Why it was not decided, or empty.
    problem: str


class AllDecided(TypedDict):
    # The rows of this page, or the outcome of each row of the request.
    results: list[Decided]


class Archive(TypedDict):
    # Its name.
    name: str
    # The size in bytes.
    bytes: int
    # The SHA-256 of the file, in hexadecimal digits.
    sha256: str
    # Its address.
    url: str


class Arm(TypedDict):
    # Say what the arm does, such as "pre-annotation by parser".
    name: str
    # The share of the items in percent.
    percent: int
    # What pages of the arm suggest.
    suggestions: SuggestionsEnum
    # The model or system, or null.
    system: str
    # How the arm uses the help.
    use: UseEnum | BlankEnum


class Author(TypedDict):
    # The family name.
    family: str
    # Given names.
    given: str
    # The ORCID, or an empty text.
    orcid: str
    # The institution, or an empty text.
    affiliation: str


class Batch(TypedDict):
    # The number of the row. It never changes and is not used again.
    id: int
    # What the worker or member does in the project.
    role: Role
    # Where it is in its life cycle.
    state: BatchState
    # The title, as people see it.
    title: str
    # A text for people.
    description: str
    # Words by which workers find the tasks, separated by commas.
    keywords: str
    # The reward for a task in cents.
    reward_cents: int
    # Cents reserved for the bonus of a task.
    bonus_allowance_cents: int
    # How long a worker has for a task, in seconds.
    assignment_seconds: int
    # How long a task is offered, in seconds.
    lifetime_seconds: int
    # After how many seconds work is approved without a decision.
    auto_approval_seconds: int
    # What workers need to be offered the tasks.
    qualifications: list[dict[str, Any]]
    # The limit in cents, or null for none.
    cap_cents: int | None
    # How many tasks are kept open at a time, or null for all at once.
    keep_open: int | None
    # The number of items to publish at most.
    item_limit: int | None
    # How often missing work of an item is published again automatically.
    republish_limit: int
    # The arms of the batch, with their shares of the items.
    arms: list[Arm]
    # Whether arms with help include items of the test partition.
    assists_test_items: bool
    # Items that a job still has to publish.
    to_publish: int | None
    # Why it failed, or an empty text.
    problem: str
    # When it was created, in UTC.
    created_at: str


class BatchPreview(TypedDict):
    """What a publication would cost. Nothing was published."""

    # The number of items of the whole batch.
    items: int
    # The HITs that would be created at once.
    hits: int
    # What these HITs would reserve, with fees.
    reserved_cents: int
    # The highest cost of the batch, with fees.
    most_cents: int
    # The expected cost of the items until they are gold, with fees.
    expected_cents: int
    # Before the publication. Null without a budget limit.
    budget_left_cents: int | None
    # False if the budget or the batch's limit is below what would be reserved.
    is_affordable: bool
    # The qualification that workers need, or null for anyone.
    pool: str | None


class BatchProgress(TypedDict):
    """The numbers of a batch's HITs and submissions, by state."""

    # How many tasks there are in each state.
    hits: dict[str, int]
    # How many submissions there are in each state.
    submissions: dict[str, int]


class BenchmarkTask(TypedDict):
    # Names the task in requests.
    key: str
    # The title, as people see it.
    title: str


class Phase(TypedDict):
    """A phase. Its inputs have an address once it has started."""

    # What kind of row it is.
    kind: PhaseKind
    # When the phase begins, in UTC.
    starts_at: str
    # When the phase ends, in UTC, or null.
    ends_at: str
    # Entries that a team may send on a day in UTC.
    max_per_day: int
    # Entries that a team may send in all.
    max_total: int
    # Whether teams see their scores during the phase.
    shows_scores: bool
    # Whether entries are taken now.
    is_open: bool
    # The address of the inputs without gold.
    inputs: str | None


class Benchmark(TypedDict):
    """A benchmark on a version of a dataset. Without tasks, there is only one."""

    # The name of the dataset.
    dataset: str
    # The version of the release.
    version: str
    # The title, as people see it.
    title: str
    # The figure by which entries are ranked.
    ranked_by: str
    # Whether everybody can read the leaderboard.
    has_public_leaderboard: bool
    # When it was opened, in UTC.
    opened_at: str
    # When it was closed, in UTC, or null.
    closed_at: str | None
    # The tasks, which are scored separately.
    tasks: list[BenchmarkTask]
    # The phases, in order.
    phases: list[Phase]


class Block(TypedDict):
    """A block of a worker from all HITs of the site. It stays in the list when it is lifted."""

    # The number of the row. It never changes and is not used again.
    id: int
    # The pseudonym of the worker, or null.
    worker: str
    # Where it is in its life cycle.
    state: BlockStateEnum
    # Why, as the person wrote it or the site recorded it.
    reason: str
    # When it was last changed, in UTC.
    changed_at: str
    # Why the provider refused it, or empty.
    problem: str


class BlockReasonRequest(TypedDict):
    # For the provider and the log. The worker doesn't see it.
    reason: str


class Budget(TypedDict):
    # The limit in cents, or null for none.
    cap_cents: int | None
    # Cents reserved for published work that is not paid yet.
    reserved_cents: int
    # Cents paid, with fees.
    spent_cents: int
    # Null without a budget limit.
    left_cents: int | None


class CaseSource(TypedDict):
    # Its place among the sources.
    position: int
    # The number of the submission, or null.
    submission: int


class Case(TypedDict):
    # The number of the row. It never changes and is not used again.
    id: int
    # The key of the item.
    item: str
    # The number of the item.
    item_id: int
    # Which attempt at the item it is, from 1.
    attempt: int
    # The place of the training round, or null.
    round: int
    # Where it is in its life cycle.
    state: CaseState
    # When it was opened, in UTC.
    opened_at: str
    # The annotations that are compared.
    sources: list[CaseSource]


class Change(TypedDict):
    """A change of a row. `kind` and `object_id` name the row, and `actor` a person, token or task."""

    # The number of the row. It never changes and is not used again.
    id: int
    # When it happened, in UTC.
    at: str
    # Who did it: a username, with the token if one was used, or a part of the site.
    actor: str
    # The type of the row that changed.
    kind: str
    # The number of the row that changed.
    object_id: int
    # What it was before.
    old: str
    # What it is now.
    new: str
    # Why, as the person wrote it or the site recorded it.
    reason: str


class ChangedItems(TypedDict):
    # The number of items that were not so before.
    changed: int


class ChangedPart(TypedDict):
    # The part of the annotation.
    part: str
    # What it was before.
    old: str
    # What it is now.
    new: str


class ChangedTrainee(TypedDict):
    # The number of the row. It never changes and is not used again.
    id: int
    # Null if there is none.
    state: EnrolmentState | None
    # Why nothing was done, or empty.
    problem: str


class ChangedTrainees(TypedDict):
    # The rows of this page, or the outcome of each row of the request.
    results: list[ChangedTrainee]


class ChangedWorker(TypedDict):
    # The pseudonym.
    worker: str
    # Whether anything was changed.
    changed: bool
    # Why nothing was changed, or empty.
    problem: str


class ChangedWorkers(TypedDict):
    # The rows of this page, or the outcome of each row of the request.
    results: list[ChangedWorker]


class Mistake(TypedDict):
    # Counted from 1. Null for a definition that is an object.
    line: int | None
    # The place, such as fields.0.labels.2.key, or empty.
    path: str
    # What is wrong, in one sentence.
    message: str


class LostPart(TypedDict):
    # A text for people.
    text: str
    # How many annotations it concerns.
    annotations: int
    # Keys of some items.
    items: list[str]


class LostParts(TypedDict):
    """The parts of most annotations. `parts_in_all` counts all parts."""

    # How many annotations it concerns.
    annotations: int
    # How many parts there are.
    parts_in_all: int
    # The parts that differ.
    parts: list[LostPart]


class Effects(TypedDict):
    """What becomes of the annotations with a version."""

    # How many stay as they are.
    unchanged: int
    # Annotations that the new version keeps.
    mapped: int
    # Parts of annotations that the new version has no place for.
    lost: LostParts
    # What the version requires and annotations lack.
    missing: LostParts
    # Pages with unfinished work, which is mapped when it is submitted.
    open_pages: int


class CheckedDefinition(TypedDict):
    """The result of a check, or a stored version.

    `is_new` is false if the definition is that of the current version. Without a check, `version`
    is the version that is current now.
    """

    # The current version, or 0.
    version: int
    # Whether the definition differs from the project's.
    is_new: bool
    # What is wrong with the definition, with its lines.
    mistakes: list[Mistake]
    # Null if there are mistakes.
    effects: Effects | None


class ChosenCopyRequest(TypedDict):
    # `ours` is the copy that this site received, and `theirs` the provider's.
    copy: CopyEnum
    # Stored in the log.
    reason: str


class ClosingRequest(TypedDict):
    # How the worker was paid, or why nothing is owed. Stored in the log.
    reason: str


class Compensation(TypedDict):
    """A payment for lost or expired work. It is the reward of a HIT only for the worker."""

    # The number of the row. It never changes and is not used again.
    id: int
    # What is compensated. It is paid only once.
    purpose: str
    # Why, as the person wrote it or the site recorded it.
    reason: str
    # The amount in cents.
    amount_cents: int
    # Who offered it.
    offered_by: str
    # When it was offered, in UTC.
    offered_at: str


class Copy(TypedDict):
    """A copy of the content of a submission."""

    # The content, or what the scheme refused.
    content: Any
    # Why the scheme refused it, or empty.
    refusal: str


class Copies(TypedDict):
    """The copy that this site received, and the provider's, with their differences."""

    # The annotation that this site stored.
    ours: Copy
    # The annotation that the crowd returned.
    theirs: Copy
    # What differs between the two.
    differences: list[str]


class Cost(TypedDict):
    # Paid to workers.
    amount_cents: int
    # Fees of the marketplace.
    fee_cents: int
    # Cents in all.
    total_cents: int


class Costs(TypedDict):
    """The cost of the project so far. `ledger` sums the entries by kind, with fees."""

    # The project's limit and what was reserved and spent.
    budget: Budget
    # The cost in all.
    total: Cost
    # The cost of each role.
    by_role: dict[str, Cost]
    # The sums of the ledger by kind.
    ledger: dict[str, int]
    # Items with gold.
    finished_items: int
    # Cents per finished item, or null without one.
    mean_finished_item_cents: float | None


class CreatedWebhook(TypedDict):
    """A new webhook with its secret, which no other response has."""

    # The number of the row. It never changes and is not used again.
    id: int
    # Its address.
    url: str
    # The types of events that the webhook waits for.
    events: list[EventsEnum]
    # Whether it is switched on.
    is_active: bool
    # The first failure after the last delivery that succeeded, in UTC, or null.
    failing_since: str | None
    # When it was created, in UTC.
    created_at: str
    # Signs the requests. Null if the response repeats that of an earlier request.
    secret: str | None


class DecisionRequest(TypedDict):
    # The id in the list of trainees.
    id: int
    # withdraw is for workers who gave up.
    verdict: VerdictEnum
    # For the log. Workers don't see it.
    reason: NotRequired[str]


class DecisionsOnTraineesRequest(TypedDict):
    # The decisions, one for each worker.
    decisions: list[DecisionRequest]
    # Send the drafts or the suggested remarks before the decisions.
    send_feedback: NotRequired[bool]


class RejectionRequest(TypedDict):
    # The number of the row. It never changes and is not used again.
    id: int
    # Shown to the worker.
    reason: str
    # Required by providers with sessions, whose reasons need at least 100 characters.
    category: NotRequired[CategoryEnum]


class DecisionsRequest(TypedDict):
    """The ids of submissions to accept, and those to reject with a reason each."""

    # Numbers of the submissions to accept.
    accept: NotRequired[list[int]]
    # The submissions to reject, with reasons.
    reject: NotRequired[list[RejectionRequest]]


class Definition(TypedDict):
    """A version of the definition. It never changes, and the highest version is current."""

    # The number of the version. Later ones have higher numbers.
    version: int
    # When it was created, in UTC.
    created_at: str


class DeletionRequest(TypedDict):
    # The project's slug once more, so that no other one is deleted.
    slug: str


class Delivery(TypedDict):
    """An event and its delivery. `status` is the HTTP status of the last answer."""

    # The number of the row. It never changes and is not used again.
    id: int
    # The id of the event, by which receivers recognize repeats.
    event_id: str
    # The type of the event.
    event: EventEnum
    # Where it is in its life cycle.
    state: DeliveryStateEnum
    # When it was created, in UTC.
    created_at: str
    # How often it was sent.
    attempts: int
    # When it was last sent, in UTC, or null.
    attempted_at: str | None
    # The time of the next attempt.
    due_at: str | None
    # The HTTP status of the receiver's last answer, or null.
    status: int | None
    # The beginning of the last answer, or the error.
    answer: str
    # The body of the request.
    body: dict[str, Any]


class ItemChange(TypedDict):
    # What kind of row it is.
    kind: ItemChangeKindEnum
    # The name of the row within its project. It never changes.
    key: str
    # Why, as the person wrote it or the site recorded it.
    reason: str
    # The parts that differ.
    parts: list[ChangedPart]


class FigureChange(TypedDict):
    # The name that people see.
    label: str
    # %, cents, or empty for a count.
    unit: str
    # What it was before.
    old: float | None
    # What it is now.
    new: float | None


class Differences(TypedDict):
    """What differs between a release and an earlier one."""

    # The version that is compared.
    version: str
    # With what it is compared.
    against: str
    # How many stay as they are.
    unchanged: int
    # The items that differ.
    items: list[ItemChange]
    # The measured figures by name.
    figures: list[FigureChange]


class DividedRequest(TypedDict):
    # How many groups to make.
    count: int
    # The same pool and seed give the same groups. By default that of the project.
    seed: NotRequired[int]


class Encoding(TypedDict):
    # An encoding in which the file can be read.
    encoding: str
    # The first line that is not UTF-8, in this encoding.
    text: str


class EnlargementRequest(TypedDict):
    # How many more workers each HIT is offered to.
    assignments: int


class EntryScore(TypedDict):
    # The figure. Fractions are between 0 and 1.
    value: float | None
    # The lower end of the 95 % interval.
    low: float | None
    # The upper end of the 95 % interval.
    high: float | None


class Entry(TypedDict):
    """An entry. It has scores once it is scored and the phase shows scores."""

    # The number of the row. It never changes and is not used again.
    id: int
    # The name of the team.
    team: str
    # The kind of the phase.
    phase: PhaseKind
    # The key of the task.
    task: str
    # The model or system, or null.
    system: str
    # What the team says about its system.
    description: str
    # The name of the file.
    file: str
    # The SHA-256 of the file, in hexadecimal digits.
    sha256: str
    # Where it is in its life cycle.
    state: EntryState
    # What went wrong.
    error: str
    # When it was sent, in UTC.
    sent_at: str
    # When the team withdrew the entry, in UTC, or null.
    withdrawn_at: str | None
    # The figures of the entry, or null before it is scored.
    scores: dict[str, EntryScore] | None


class ErasedWorker(TypedDict):
    # The pseudonym to which the work now belongs.
    pseudonym: str


class ErasureRequest(TypedDict):
    # `pseudonymise` deletes the provider's id. `erase` also replaces the pseudonym and deletes all
    # texts by and about the worker.
    how: HowEnum
    # For the log, so without names.
    reason: str
    # The worker's pseudonym once more, so that no other one is erased.
    pseudonym: str


class Error(TypedDict):
    # A name of the error for programs.
    code: str
    # What is wrong, for people. The text may change.
    detail: str
    # The field, query parameter or header that the error is about.
    attr: str | None


class ErrorResponse(TypedDict):
    # The group of the error: validation_error, client_error or server_error.
    type: TypeEnum
    # What is wrong, one object for each place.
    errors: list[Error]


class Evaluation(TypedDict):
    # The number of the row. It never changes and is not used again.
    id: int
    # The place of the training round, or null.
    round: int
    # The pseudonym of the worker, or null.
    worker: str
    # The worker's current state in the round.
    state: EnrolmentState
    # The rule by which units match.
    rule: str
    # Why it was computed.
    cause: CauseEnum
    # The measured figures by name.
    figures: dict[str, Any]
    # The figures after corrections by people.
    corrected_figures: dict[str, Any] | None
    # Which annotations were compared.
    computed_from: dict[str, Any]
    # When it was computed, in UTC.
    computed_at: str


class ExportFile(TypedDict):
    # Its name.
    name: str
    # How many rows the file has, or null.
    rows: int | None
    # The size in bytes.
    bytes: int
    # The SHA-256 of the file, in hexadecimal digits.
    sha256: str
    # Its address.
    url: str


class Export(TypedDict):
    """An export. It has files once it has finished."""

    # The number of the row. It never changes and is not used again.
    id: int
    # Where it is in its life cycle.
    state: JobState
    # When it was requested, in UTC.
    requested_at: str
    # When it ended, in UTC, or null.
    ended_at: str | None
    # The format of the file.
    format: str
    # Where the annotation comes from: generated, consolidated, expert, or imported.
    source: str
    # How many items it has, or which ones it concerns.
    items: NotRequired[int | None]
    # Why it failed, or an empty text.
    problem: str
    # The files that it has.
    files: list[ExportFile]
    # The ZIP file, or null before it is finished.
    archive: ExportFile | None


class ExtensionRequest(TypedDict):
    # The days from now until the HITs end.
    days: NotRequired[int]


class Failure(TypedDict):
    # What failed.
    what: str
    # Where it is in its life cycle.
    state: str
    # What went wrong.
    error: str
    # When it happened, in UTC.
    at: str
    # The pseudonym of the worker, or null.
    worker: str
    # The amount in cents, or null.
    cents: int | None
    # The id of a rejected payment, which can be closed, or null.
    payment: int | None


class NewFeedbackRequest(TypedDict):
    """Feedback to a worker. Without text and notes, the draft or the suggested remarks are sent."""

    # The id in the list of trainees.
    id: int
    # A text for people.
    text: NotRequired[str]
    # A note by the key of an item of the round.
    notes: NotRequired[dict[str, str]]


class FeedbackToTraineesRequest(TypedDict):
    # The feedback to the worker.
    feedback: list[NewFeedbackRequest]


class File(TypedDict):
    # Its name.
    name: str
    # The size in bytes.
    bytes: int


class RoleForecast(TypedDict):
    # What the worker or member does in the project.
    role: Role
    # Places that are open or undecided.
    offered: int
    # Places that are not published yet.
    to_come: int
    # Assignments behind the forecast. 0 if there are too few for a range of 95 %.
    seen: int
    # A low estimate in cents.
    low_cents: int
    # The expected cost in cents.
    expected_cents: int
    # A high estimate in cents.
    high_cents: int
    # What is expected for `to_come`.
    to_come_cents: int


class Forecast(TypedDict):
    """What the outstanding work is expected to cost, in cents with fees and a 95 % range."""

    # When it was counted, in UTC. Figures are counted again after a while.
    counted_at: str
    # Cents paid, with fees.
    spent_cents: int
    # Cents reserved for published work that is not paid yet.
    reserved_cents: int
    # A low estimate in cents.
    low_cents: int
    # The expected cost in cents.
    expected_cents: int
    # A high estimate in cents.
    high_cents: int
    # The roles that it concerns.
    roles: list[RoleForecast]


class FramesConsolidationSource(TypedDict):
    # The number of the submission, or null.
    submission: int
    # The place of the argument in that submission, from 0.
    unit: int


class FramesConsolidationMergedArgument(TypedDict):
    # The positions of the argument's semantic head.
    head: list[int]
    # The words of the argument.
    filler: NotRequired[str]
    # The frame element, or an empty text.
    element: NotRequired[str]
    # The generic role, or an empty text.
    role: NotRequired[str]
    # The argument from which it was taken, or null.
    source: NotRequired[FramesConsolidationSource | None]


class FramesConsolidation(TypedDict):
    # Whether the annotator confirmed that they understand the sentence.
    understood: NotRequired[bool]
    # Why the record was skipped, or an empty text.
    skip: NotRequired[str]
    # The positions of the verb and its particles.
    verb: NotRequired[list[int]]
    # The verb with its particles, as in files.
    lemma: NotRequired[str]
    # The name of the frame.
    frame: NotRequired[str]
    # The arguments of the verb.
    arguments: NotRequired[list[FramesConsolidationMergedArgument]]
    # How sure the annotator is, from 1 to 5, or null.
    confidence: NotRequired[int | None]


class FramesGoldArgument(TypedDict):
    # The positions of the argument's semantic head.
    head: list[int]
    # The words of the argument.
    filler: NotRequired[str]
    # The frame element, or an empty text.
    element: NotRequired[str]
    # The generic role, or an empty text.
    role: NotRequired[str]


class FramesGold(TypedDict):
    # Whether the annotator confirmed that they understand the sentence.
    understood: NotRequired[bool]
    # Why the record was skipped, or an empty text.
    skip: NotRequired[str]
    # The positions of the verb and its particles.
    verb: NotRequired[list[int]]
    # The verb with its particles, as in files.
    lemma: NotRequired[str]
    # The name of the frame.
    frame: NotRequired[str]
    # The arguments of the verb.
    arguments: NotRequired[list[FramesGoldArgument]]
    # How sure the annotator is, from 1 to 5, or null.
    confidence: NotRequired[int | None]


class FramesValidationJudgment(TypedDict):
    # The judgment.
    verdict: Literal["verified", "disputed"]
    # Why, as the person wrote it or the site recorded it.
    reason: NotRequired[str]
    # What the judge proposes instead.
    proposal: NotRequired[dict[str, Any]]


class FramesValidationJudgedArgument(TypedDict):
    # The judgment of the head.
    head: FramesValidationJudgment
    # The judgment of the frame element, or null.
    element: NotRequired[FramesValidationJudgment | None]
    # The judgment of the generic role, or null.
    role: NotRequired[FramesValidationJudgment | None]


class FramesValidationMissing(TypedDict):
    # The positions of the argument's semantic head.
    head: list[int]
    # The words of the argument.
    filler: NotRequired[str]
    # The frame element, or an empty text.
    element: NotRequired[str]
    # The generic role, or an empty text.
    role: NotRequired[str]


class FramesValidation(TypedDict):
    # The judgment of the reason to skip, or null.
    skip: NotRequired[FramesValidationJudgment | None]
    # The judgment of the verb's positions, or null.
    verb: NotRequired[FramesValidationJudgment | None]
    # The judgment of the frame, or null.
    frame: NotRequired[FramesValidationJudgment | None]
    # The arguments of the verb.
    arguments: list[FramesValidationJudgedArgument]
    # Arguments that the judge misses.
    missing: NotRequired[list[FramesValidationMissing]]
    # The judgment of the record as a whole.
    record: NotRequired[Any]


class Stage(TypedDict):
    """The workers of a round, the time that it took them and their trainers, and its cost."""

    # The title, as people see it.
    title: str
    # Workers who were invited.
    invited: int
    # Workers who started.
    started: int
    # Workers who finished.
    finished: int
    # Workers who passed.
    passed: int
    # Workers who declined.
    declined: int
    # The time of a worker in seconds, or null.
    worker_seconds: int
    # The time of a trainer in seconds, or null.
    trainer_seconds: int
    # Settled, with fees.
    cents: int
    # Whether workers who pass join the pool.
    opens_pool: bool


class Funnel(TypedDict):
    # The rows of this page, or the outcome of each row of the request.
    results: list[Stage]


class Sentence(TypedDict):
    # The number of the row. It never changes and is not used again.
    id: int
    # The name of the sentence in the uploaded file.
    external_id: str
    # The words of the sentence in order. Positions count from 0.
    tokens: list[str]
    # As it was written, empty if unknown
    text: str
    # The half-open range of characters of each token in the text
    offsets: list[list[int]]
    # The domain of the text, such as wikinews, or an empty text.
    domain: str
    # The part of the dataset, such as train, dev or test, or an empty text.
    partition: str
    # The group that it belongs to, or null.
    group: str
    # What the file says about the sentence besides its text.
    metadata: dict[str, Any]


class QasrlGoldPublishedSlots(TypedDict):
    # The question word.
    wh: str
    # The auxiliary verb, or `_`.
    aux: str
    # The placeholder of the subject, or `_`.
    subj: str
    # Words between the subject and the verb, such as `not`, or an empty text.
    verb_prefix: str
    # The form of the verb.
    verb_slot_inflection: str
    # The placeholder of the object, or `_`.
    obj: str
    # The preposition, or `_`.
    prep: str
    # The second object, or `_`.
    obj2: str
    # Whether the question is in the passive.
    is_passive: bool
    # Whether the question is negated.
    is_negated: bool


class QasrlGoldPublishedQuestion(TypedDict):
    # The text of the question.
    question: str
    # Ranges of words, as [start, end) in ascending order.
    answers: list[list[int]]
    # The question in its slots, or null if it is outside of the template.
    slots: NotRequired[QasrlGoldPublishedSlots | None]
    # Whether the sentence only implies the arguments of the role. Absent if no one was asked.
    implied: NotRequired[bool | None]


class QasrlGold(TypedDict):
    # The questions about the verb or noun, with their answers.
    questions: list[QasrlGoldPublishedQuestion]
    # Whether the noun describes an action or event. Absent for verbs.
    is_verbal: NotRequired[bool | None]


class GroundingGoldPhrase(TypedDict):
    # The number of the row. It never changes and is not used again.
    id: str
    # How the picture shows it, if it does, and whether there are boxes.
    state: Literal["boxes", "group", "scene", "absent"]
    # Boxes as [x1, y1, x2, y2) in pixels of the upright picture.
    boxes: NotRequired[list[list[int]]]
    # False if the phrase may lack a box, because too few validators found it complete.
    complete: NotRequired[bool]


class GroundingGold(TypedDict):
    # The phrases of the caption, with their boxes.
    phrases: list[GroundingGoldPhrase]


class Gold(TypedDict):
    # The number of the row. It never changes and is not used again.
    id: int
    # The key of the item.
    item: str
    # The number of the item.
    item_id: int
    # What is annotated. Its form depends on the scheme.
    target: dict[str, Any]
    # The sentence, or its number.
    sentence: Sentence | None
    # Where the annotation comes from: generated, consolidated, expert, or imported.
    source: GoldSource
    # The number of the version of this item's gold, from 1.
    version: int
    # The annotation. Its form depends on the scheme: see the schema of its name.
    content: dict[str, Any]
    # The version of the content's form.
    schema_version: int
    # Where the annotation comes from, such as its submissions.
    provenance: list[dict[str, Any]]
    # The number of the case, or null.
    case: int | None
    # The number of the submission, or null.
    submission: int | None
    # When it was created, in UTC.
    created_at: str


class RowError(TypedDict):
    # The name of the file.
    file: str
    # The line of the file, from 1, or null.
    line: int | None
    # The column or property that is wrong, or an empty text.
    field: str
    # Return the message with the parameters that it suggests.
    message: str


class GoldImport(TypedDict):
    """An import of annotations. `items_read` grows while it runs, and a new version is `added`."""

    # The number of the row. It never changes and is not used again.
    id: int
    # Where it is in its life cycle.
    state: JobState
    # The format of the file.
    format: str
    # Whether a bad row refuses the whole file.
    strict: bool
    # Whether words are matched with those of the corpus.
    align: bool
    # Whether boxes are scaled to the size of the picture.
    rescale_boxes: bool
    # Return the encoding in which the first file is read.
    encoding: str
    # Which column of the table has which meaning.
    columns: dict[str, Any]
    # The sheet of the workbook, or an empty text for the first one.
    sheet: str
    # The files that it has.
    files: list[File]
    # Who requested it.
    requested_by: str
    # When it was requested, in UTC.
    requested_at: str
    # When work on it started, in UTC, or null.
    started_at: str | None
    # When it ended, in UTC, or null.
    ended_at: str | None
    # How many rows were refused.
    error_count: NotRequired[int]
    # The first of the refused rows, with file, line and reason.
    errors: NotRequired[list[RowError]]
    # Why it failed, or an empty text.
    problem: str
    # Where the annotation comes from: generated, consolidated, expert, or imported.
    source: GoldSource
    # Whether roles that the lexicon lacks are added to it.
    add_roles: bool
    # Items in the files.
    items_read: NotRequired[int]
    # New items, or items with new gold.
    items_added: NotRequired[int]
    # Whose newest gold was the same.
    items_known: NotRequired[int]
    # Because of errors. Null if the reader of the format does not know them.
    items_left_out: NotRequired[int | None]
    # Records without an annotation, left out.
    blank_count: NotRequired[int]
    # What was changed to fit the items, such as clipped boxes.
    notes: NotRequired[dict[str, int]]


class GroundingValidationJudgedPhrase(TypedDict):
    # The number of the row. It never changes and is not used again.
    id: str
    # The judgment of the boxes.
    valid: bool
    # Whether a box is missing.
    missing: NotRequired[bool]
    # Boxes as [x1, y1, x2, y2) in pixels of the upright picture.
    boxes: NotRequired[list[bool]]
    # Boxes that the judge drew instead.
    drawn: NotRequired[list[list[int]]]


class GroundingValidation(TypedDict):
    # The phrases of the caption, with their boxes.
    phrases: list[GroundingValidationJudgedPhrase]


class Group(TypedDict):
    """A part of the trained generators, to which batches can be published."""

    # The number of the group.
    number: int
    # The number of its workers.
    workers: int
    # The mean of the main figure in their newest evaluations.
    skill: float | None


class Groups(TypedDict):
    # The rows of this page, or the outcome of each row of the request.
    results: list[Group]


class Guidelines(TypedDict):
    """A version of the guidelines of a role. It never changes, and the highest version is current."""

    # The number of the row. It never changes and is not used again.
    id: int
    # What the worker or member does in the project.
    role: Role
    # The number of the version. Later ones have higher numbers.
    version: int
    # The language of the main text, as a BCP 47 tag.
    language: str
    # Return the languages of the translations.
    translated_into: list[str]
    # When the note was written, in UTC.
    written_at: str


class HoldReason(TypedDict):
    # A name of the reason for programs.
    code: str
    # A text for people.
    text: str


class HeldBonus(TypedDict):
    """A bonus that is paid after a review. `submissions` are the ids of its work.

    A bonus in the state `waiting` is decided when its items are consolidated. `earned_cents` is the
    bonus for all units, and `amount_cents` the one that is paid.
    """

    # The number of the row. It never changes and is not used again.
    id: int
    # Where it is in its life cycle.
    state: HeldBonusStateEnum
    # The worker's pseudonym.
    worker: str
    # Numbers of the submissions that the bonus is for.
    submissions: list[int]
    # The amount in cents.
    amount_cents: int
    # The bonus in cents that the rule gives.
    earned_cents: int
    # Why the bonus is held.
    reasons: list[HoldReason]
    # When it was held, in UTC.
    held_at: str
    # Who decided, or an empty text.
    decided_by: str
    # When it was decided, in UTC, or null.
    decided_at: str | None
    # A note for staff. Workers don't see it.
    note: str


class Import(TypedDict):
    """An import. The counts ending in `_read` grow while it runs."""

    # The number of the row. It never changes and is not used again.
    id: int
    # Where it is in its life cycle.
    state: JobState
    # The format of the file.
    format: str
    # Whether a bad row refuses the whole file.
    strict: bool
    # Whether words are matched with those of the corpus.
    align: bool
    # Whether boxes are scaled to the size of the picture.
    rescale_boxes: bool
    # Return the encoding in which the first file is read.
    encoding: str
    # Which column of the table has which meaning.
    columns: dict[str, Any]
    # The sheet of the workbook, or an empty text for the first one.
    sheet: str
    # The files that it has.
    files: list[File]
    # Who requested it.
    requested_by: str
    # When it was requested, in UTC.
    requested_at: str
    # When work on it started, in UTC, or null.
    started_at: str | None
    # When it ended, in UTC, or null.
    ended_at: str | None
    # How many rows were refused.
    error_count: NotRequired[int]
    # The first of the refused rows, with file, line and reason.
    errors: NotRequired[list[RowError]]
    # Why it failed, or an empty text.
    problem: str
    # The domain of the text, such as wikinews, or an empty text.
    domain: str
    # The part of the dataset, such as train, dev or test, or an empty text.
    partition: str
    # Whether rows that are known are changed.
    update: bool
    # Names of the files of items.
    items_files: list[File]
    # Sentences in the files.
    sentences_read: NotRequired[int]
    # Items in the files.
    items_read: NotRequired[int]
    # New sentences.
    sentences_added: NotRequired[int]
    # Known sentences that were changed.
    sentences_updated: NotRequired[int]
    # Sentences that the project already had.
    sentences_known: NotRequired[int]
    # New items, or items with new gold.
    items_added: NotRequired[int]
    # Known items that were changed.
    items_updated: NotRequired[int]
    # Items that the project already had.
    items_known: NotRequired[int]
    # How many warnings there are.
    warning_count: NotRequired[int]
    # The first warnings, with file and line.
    warnings: NotRequired[list[RowError]]


class PreviewedSentence(TypedDict):
    # The name of the sentence in the uploaded file.
    external_id: str
    # The text of the sentence.
    text: str
    # What people see of its items.
    items: list[str]
    # What is special about it, or empty.
    note: str


class ImportPreview(TypedDict):
    """What an import would do. Its counts grow until `state` is finished."""

    # The state of the reading job.
    state: JobState
    # Return why the files can't be read, or an empty text.
    problem: str
    # False if only the first rows of the files were read.
    is_whole: bool
    # The encodings in which a file that is not UTF-8 can be read, with its text.
    encodings: list[Encoding]
    # Return how a table was read.
    notes: list[str]
    # The readable sentences of the files.
    sentences_listed: int
    # New sentences.
    sentences_added: int
    # Known sentences that were changed.
    sentences_updated: int
    # Sentences that the project already had.
    sentences_known: int
    # Those whose id came before in the files.
    sentences_repeated: int
    # New sentences with the text of another one.
    duplicates: int
    # New items, or items with new gold.
    items_added: int
    # Known items that were changed.
    items_updated: int
    # How many rows were refused.
    error_count: int
    # The first of the refused rows, with file, line and reason.
    errors: list[RowError]
    # Settings of the import, and the number of bad rows that each would accept.
    settings: dict[str, int]
    # How many warnings there are.
    warning_count: int
    # The first warnings of each kind, with the line in the file.
    warnings: list[str]
    # The expected cost of an item until it is gold, with fees.
    item_cents: float
    # Return the expected cost of the new items, rounded up.
    expected_cents: int
    # True if the cost is an estimate without data of this project.
    is_assumed: bool
    # The first sentences with their items.
    sentences: list[PreviewedSentence]


class Invitation(TypedDict):
    """An open invitation. `problem` is the reason if the mail server refused it."""

    # The number of the row. It never changes and is not used again.
    id: int
    # The mail address.
    email: str
    # What the worker or member does in the project.
    role: MemberRole
    # Who invited.
    invited_by: str
    # When it was created, in UTC.
    created_at: str
    # When it becomes void, in UTC, or null if it never does.
    expires_at: str
    # When it was sent, in UTC.
    sent_at: str | None
    # Why it failed, or an empty text.
    problem: str


class InvitationsRequest(TypedDict):
    # The pseudonyms of the workers.
    workers: list[str]
    # Invite also workers who were declined or withdrew before.
    again: NotRequired[bool]


class Member(TypedDict):
    # The number of the row. It never changes and is not used again.
    id: int
    # Required. 150 characters or fewer. Letters, digits and @/./+/-/_ only.
    username: str
    # Empty for an account without an email address.
    email: str
    # The roles that it concerns.
    roles: list[MemberRole]


class Invited(TypedDict):
    """The member, if the address is that of an account, or else the invitation."""

    # The new member, or null.
    member: Member | None
    # The invitation, or null.
    invitation: Invitation | None


class Item(TypedDict):
    # The number of the row. It never changes and is not used again.
    id: int
    # The name of the row within its project. It never changes.
    key: str
    # The sentence, or its number.
    sentence: str
    # The domain of the text, such as wikinews, or an empty text.
    domain: str
    # The part of the dataset, such as train, dev or test, or an empty text.
    partition: str
    # What is annotated. Its form depends on the scheme.
    target: dict[str, Any]
    # A short text that names the item.
    headline: str
    # Its place in the order, from 0.
    position: int
    # Whether the item is for production, and not for training.
    in_production: bool
    # Where it is in its life cycle.
    state: ItemStateEnum
    # Number of accepted generations.
    generations: int
    # Number of gold versions from all sources.
    golds: int


class ItemRestorationRequest(TypedDict):
    # The keys of items, such as wiki:3/2.
    items: list[str]


class ItemWithdrawalRequest(TypedDict):
    # The keys of items, such as wiki:3/2.
    items: list[str]
    # Stored in the log.
    reason: str


class Pending(TypedDict):
    """The numbers of rows by state, without confirmed payments."""

    # How many tasks.
    hits: dict[str, int]
    # Payments that are not sent yet.
    payments: dict[str, int]
    # Cents of the payments that are not sent yet.
    payment_cents: dict[str, int]
    # Rejections that are not sent yet.
    rejections: int
    # Assignments to be recorded.
    unrecorded: int
    # Qualifications that are not granted yet.
    grants: dict[str, int]
    # Messages to workers that are not sent yet.
    messages: dict[str, int]


class Jobs(TypedDict):
    """Pending work of the sweeps, and up to 50 failures of each kind."""

    # Work that is waiting.
    pending: Pending
    # What failed and waits for a person.
    failures: dict[str, list[Failure]]


class LedgerEntry(TypedDict):
    # The number of the row. It never changes and is not used again.
    id: int
    # When it happened, in UTC.
    at: str
    # What kind of row it is.
    kind: LedgerKind
    # The amount in cents.
    amount_cents: int
    # The crowd's fee in cents.
    fee_cents: int
    # What the worker or member does in the project.
    role: str | None
    # The number of the task, or null.
    hit: str | None
    # The pseudonym of the worker, or null.
    worker: str | None
    # reward or bonus, or null if the entry is not a payment.
    payment: str | None
    # Names the happening. No two entries have the same key.
    key: str


class Scheme(TypedDict):
    # Its name.
    name: str
    # The title, as people see it.
    title: str
    # One sentence about it.
    summary: str


class ListedSchemes(TypedDict):
    # The rows of this page, or the outcome of each row of the request.
    results: list[Scheme]


class Token(TypedDict):
    # Its name.
    name: str
    # The first characters of the token, which name it.
    beginning: str
    # What the token may do.
    scopes: list[ScopesEnum]
    # Return the slugs of the projects that the token is limited to, or null for all.
    projects: list[str] | None
    # When it was created, in UTC.
    created_at: str
    # When it becomes void, in UTC, or null if it never does.
    expires_at: str | None


class Me(TypedDict):
    """The caller, and the token if the request has one."""

    # The name with which the person signs in.
    username: str
    # Whether the person may create projects.
    can_create_projects: bool
    # The token of this request.
    token: Token | None


class MessageRequest(TypedDict):
    # The pseudonyms of the workers.
    workers: list[str]
    # The subject of the message.
    subject: str
    # The text of the message.
    text: str


class NewArmRequest(TypedDict):
    """A way to help annotators, for a share of the batch's items."""

    # The share of the items in percent.
    percent: int
    # Replaces the project's setting.
    suggestions: NotRequired[SuggestionsEnum | BlankEnum]
    # A model or imported predictions.
    system: NotRequired[str]
    # What people see of the system's annotation.
    use: NotRequired[UseEnum | BlankEnum]


class NewAuthorRequest(TypedDict):
    # The family name.
    family: str
    # Given names.
    given: NotRequired[str]
    # The ORCID, or an empty text.
    orcid: NotRequired[str]
    # The institution, or an empty text.
    affiliation: NotRequired[str]


class NewBatchRequest(TypedDict):
    """A request to publish items for generation."""

    # Maximum number of items, in shuffled order.
    limit: int
    # The trained pool or anyone. The default is the pool, if the project has one.
    who: NotRequired[WhoEnum]
    # The code of another qualification of the project, whose holders may work.
    pool: NotRequired[str | None]
    # Admit only holders of the pool with these values.
    groups: NotRequired[list[int]]
    # The least share of approved work in percent, or null.
    approval_rate: NotRequired[int | None]
    # Countries of the workers, two letters each.
    locales: NotRequired[list[str]]
    # How many tasks are kept open at a time, or null for all at once.
    keep_open: NotRequired[int | None]
    # The limit in cents, or null for none.
    cap_cents: NotRequired[int | None]
    # Work without a decision is approved after this time.
    auto_approval_seconds: NotRequired[int]
    # How often an item that lacks annotations is republished automatically.
    republish_limit: NotRequired[int]
    # Assign the items at random to these arms, whose shares add up to 100.
    arms: NotRequired[list[NewArmRequest]]
    # Assign items of the test partition to arms too.
    assists_test_items: NotRequired[bool]


class NewCompensationRequest(TypedDict):
    # For the worker, without fees.
    amount_cents: int
    # What is compensated, such as the id of a lost assignment. Each purpose is paid once.
    purpose: str
    # Shown to the worker.
    reason: str


class NewDefinitionRequest(TypedDict):
    # YAML or JSON as text, whose mistakes have lines, or an object.
    definition: str | dict[str, Any]
    # The version that you changed. If it is no longer current, the answer is 409.
    changed_version: NotRequired[int]
    # Also store a version with which annotations lose parts or become incomplete.
    accept_effects: NotRequired[bool]


class NewEntryRequest(TypedDict):
    # The kind of the phase.
    phase: PhaseKind
    # A task of the benchmark, such as B.1.
    task: NotRequired[str]
    # Its name on the leaderboard.
    system: str
    # What the team says about its system.
    description: NotRequired[str]
    # The predictions.
    file: bytes


class NewExportRequest(TypedDict):
    """The contents of an export and its format. Empty fields include all domains and partitions."""

    # jsonl, or a format of the scheme.
    format: str
    # The source of the gold, or annotations for individual annotations without gold.
    source: NotRequired[NewExportSourceEnum]
    # Add the individual annotations to the gold.
    annotations: NotRequired[bool]
    # Add the certainty of the gold, if it was estimated.
    certainty: NotRequired[bool]
    # The domain of the text, such as wikinews, or an empty text.
    domain: NotRequired[str]
    # The part of the dataset, such as train, dev or test, or an empty text.
    partition: NotRequired[Partition | BlankEnum]
    # An SPDX identifier, such as CC-BY-SA-4.0.
    licence: NotRequired[str]


class NewGoldImportRequest(TypedDict):
    """Annotations of experts or of a published dataset, for items that the project has."""

    # The files that it has.
    files: list[bytes]
    # A format of the project's scheme. Recognised if it is empty.
    format: NotRequired[str]
    # Of text files. Without it, they are in UTF-8 or have a byte-order mark.
    encoding: NotRequired[str]
    # Columns of a table with other names, such as id=doc_id,text=body.
    columns: NotRequired[str]
    # Of a workbook. The first visible one by default.
    sheet: NotRequired[str]
    # Import nothing if a row is invalid.
    strict: NotRequired[bool]
    # Move positions in other tokens, by characters.
    align: NotRequired[bool]
    # Accept images that are resized copies of those that the files describe.
    rescale_boxes: NotRequired[bool]
    # expert is the reference of training and quality, imported a published dataset.
    source: NewGoldImportSourceEnum
    # Add roles that the project's inventory lacks to it.
    add_roles: NotRequired[bool]


class NewGroupsRequest(TypedDict):
    """The number of groups, and the groups of some workers. Others stay in theirs."""

    # How many groups to make.
    count: int
    # The number of the group by pseudonym, or null for no group.
    workers: NotRequired[dict[str, int | None]]


class NewGuidelinesRequest(TypedDict):
    """The changes of the current version. Texts that are left out stay as they are."""

    # What the worker or member does in the project.
    role: Role
    # The main text.
    text: NotRequired[str]
    # The language of the main text, by default that of the current version.
    language: NotRequired[LanguageEnum]
    # Texts by language. An empty text removes the translation.
    translations: NotRequired[dict[str, str]]
    # The version that you changed. If it is no longer current, the answer is 409.
    changed_version: NotRequired[int]


class NewImportRequest(TypedDict):
    # The files that it has.
    files: list[bytes]
    # A format of the project's scheme. Recognised if it is empty.
    format: NotRequired[str]
    # Of text files. Without it, they are in UTF-8 or have a byte-order mark.
    encoding: NotRequired[str]
    # Columns of a table with other names, such as id=doc_id,text=body.
    columns: NotRequired[str]
    # Of a workbook. The first visible one by default.
    sheet: NotRequired[str]
    # Import nothing if a row is invalid.
    strict: NotRequired[bool]
    # Move positions in other tokens, by characters.
    align: NotRequired[bool]
    # Accept images that are resized copies of those that the files describe.
    rescale_boxes: NotRequired[bool]
    # Files that list the items, if the corpus has none.
    items_files: NotRequired[list[bytes]]
    # A ZIP archive of the images that the sentences describe.
    images: NotRequired[bytes]
    # What to look for in the sentences without `items_files`, if the scheme has a choice.
    search: NotRequired[str]
    # The domain of the text, such as wikinews, or an empty text.
    domain: NotRequired[str]
    # The part of the dataset, such as train, dev or test, or an empty text.
    partition: NotRequired[Partition | BlankEnum]
    # Replace sentences and items that exist otherwise, unless work depends on them.
    update: NotRequired[bool]


class NewInvitationRequest(TypedDict):
    # The mail address.
    email: str
    # What the worker or member does in the project.
    role: MemberRole


class NewNoteRequest(TypedDict):
    # Only project members see it.
    text: str


class NewProjectRequest(TypedDict):
    # The name in URLs and commands.
    slug: str
    # The title, as people see it.
    title: NotRequired[str]
    # The annotation scheme.
    scheme: SchemeEnum
    # Of a custom scheme: YAML or JSON as text, or an object. By default, a starter.
    definition: NotRequired[str | dict[str, Any]]
    # The crowd provider, which must be set up on this site.
    provider: NotRequired[ProviderEnum]
    # A preset, or the terms of some roles. Other roles have those of the first preset.
    pay_scheme: NotRequired[
        Literal["custom", "frames", "grounding", "qasrl-2018", "qasrl-2020"]
        | dict[str, dict[str, int]]
    ]
    # The budget limit in cents, or null for none.
    cap_cents: NotRequired[int | None]
    # The seed of the items' shuffle.
    seed: NotRequired[int]
    # What workers' pages suggest, in schemes with suggestions.
    suggestions: NotRequired[SuggestionsEnum]
    # The language of the corpus, as a BCP 47 tag.
    language: NotRequired[LanguageEnum]
    # The sentences of the same document that pages show around a sentence.
    shown_context: NotRequired[ShownContextEnum]
    # When the work of generators is accepted and its bonus decided.
    bonus_timing: NotRequired[BonusTimingEnum]
    # How several annotations become gold.
    protocol: NotRequired[ProtocolEnum]
    # The number of validators or verifiers per item.
    validators_per_item: NotRequired[int]
    # How many of them must agree.
    validators_to_agree: NotRequired[int]
    # Under verification, how often a disputed annotation returns to its annotator.
    revision_limit: NotRequired[int]
    # Under verification, what becomes of items that are still disputed.
    after_disputes: NotRequired[AfterDisputesEnum]


class NewReleaseRequest(TypedDict):
    """The details of a release. Without partitions, all sentences are released."""

    # Two numbers, such as 1.0.
    version: str
    # Of the annotations.
    licence: Licence
    # The authors, in the order of the citation.
    authors: list[NewAuthorRequest]
    # The parts of the dataset that it contains.
    partitions: NotRequired[list[Partition | BlankEnum]]
    # By default the gold that the project produces.
    source: NotRequired[GoldSource | BlankEnum]
    # The licence of the texts.
    text_licence: NotRequired[Licence | BlankEnum]
    # A text of the release for its readers.
    notes: NotRequired[str]
    # Who paid for the work.
    funding: NotRequired[str]
    # Whom readers can ask.
    contact: NotRequired[str]
    # Its address.
    url: NotRequired[str]
    # Release the images too.
    images: NotRequired[bool]
    # About the topics of the data statement: rationale, origin, speakers, situation, genre,
    # guideline_authors, ethics, personal, uses, misuses, biases, impact, maintenance.
    answers: NotRequired[dict[str, str]]


class NewResourceImportRequest(TypedDict):
    """A file that becomes a new version, or without it only changed switches and presets."""

    # The name of the resource.
    resource: str
    # A file or a ZIP archive. Parts that it lacks are kept.
    file: NotRequired[bytes]
    # A format of the resource.
    format: NotRequired[str]
    # Keys of switches. Those that are left out stay as they are.
    switch_on: NotRequired[list[str]]
    # Keys of switches.
    switch_off: NotRequired[list[str]]
    # The chosen values, each as KEY=NAME.
    presets: NotRequired[list[str]]


class SampleRequest(TypedDict):
    """A sample of items that were never published and are in no round."""

    # How many items to draw.
    count: int
    # rich chooses those whose expert gold has the most units.
    method: NotRequired[MethodEnum]
    # The start of the random numbers. The same seed gives the same order.
    seed: NotRequired[int]
    # Only items with expert gold.
    only_gold: NotRequired[bool]


class NewRoundRequest(TypedDict):
    # Keys of the items.
    items: NotRequired[list[str]]
    # How many items to draw at random.
    sample: NotRequired[SampleRequest]
    # What the worker or member does in the project.
    role: NotRequired[NewRoundRoleEnum]
    # The title, as people see it.
    title: NotRequired[str]
    # Open to every worker who meets the requirements.
    is_screening: NotRequired[bool]
    # What happens to workers who pass.
    after_passing: NotRequired[AfterPassingEnum]


class NewSystemEvaluationRequest(TypedDict):
    """The systems and their reference, which is the project's gold of a source, or files."""

    # A file per system, named after it.
    systems: list[bytes]
    # Where the annotation comes from: generated, consolidated, expert, or imported.
    source: NotRequired[GoldSource | BlankEnum]
    # Of the project's gold.
    partition: NotRequired[Partition | BlankEnum]
    # The gold with which systems are compared.
    reference: NotRequired[list[bytes]]
    # Sentences of parsers' output without ids, if the scheme has such files.
    sentences: NotRequired[list[bytes]]
    # A task of the scheme, such as B.1.
    variant: NotRequired[str]
    # Leave out the items of bad rows, instead of refusing the file.
    skip_bad_rows: NotRequired[bool]


class NewWebhookRequest(TypedDict):
    # An address that begins with https://, at a host that the operator allows.
    url: str
    # What is sent.
    events: list[EventsEnum]


class OverturnRequest(TypedDict):
    # Whether the work is used, unless other work has replaced it.
    use: bool
    # Stored with the assignment.
    reason: str


class PaginatedBatchList(TypedDict):
    # The address of the next page, or null on the last one.
    next: NotRequired[str | None]
    # The address of the page before, or null on the first one.
    previous: NotRequired[str | None]
    # The rows of this page, or the outcome of each row of the request.
    results: list[Batch]


class PaginatedBenchmarkList(TypedDict):
    # The address of the next page, or null on the last one.
    next: NotRequired[str | None]
    # The address of the page before, or null on the first one.
    previous: NotRequired[str | None]
    # The rows of this page, or the outcome of each row of the request.
    results: list[Benchmark]


class PaginatedBlockList(TypedDict):
    # The address of the next page, or null on the last one.
    next: NotRequired[str | None]
    # The address of the page before, or null on the first one.
    previous: NotRequired[str | None]
    # The rows of this page, or the outcome of each row of the request.
    results: list[Block]


class PaginatedCaseList(TypedDict):
    # The address of the next page, or null on the last one.
    next: NotRequired[str | None]
    # The address of the page before, or null on the first one.
    previous: NotRequired[str | None]
    # The rows of this page, or the outcome of each row of the request.
    results: list[Case]


class PaginatedChangeList(TypedDict):
    # The address of the next page, or null on the last one.
    next: NotRequired[str | None]
    # The address of the page before, or null on the first one.
    previous: NotRequired[str | None]
    # The rows of this page, or the outcome of each row of the request.
    results: list[Change]


class PaginatedCompensationList(TypedDict):
    # The address of the next page, or null on the last one.
    next: NotRequired[str | None]
    # The address of the page before, or null on the first one.
    previous: NotRequired[str | None]
    # The rows of this page, or the outcome of each row of the request.
    results: list[Compensation]


class PaginatedDefinitionList(TypedDict):
    # The address of the next page, or null on the last one.
    next: NotRequired[str | None]
    # The address of the page before, or null on the first one.
    previous: NotRequired[str | None]
    # The rows of this page, or the outcome of each row of the request.
    results: list[Definition]


class PaginatedDeliveryList(TypedDict):
    # The address of the next page, or null on the last one.
    next: NotRequired[str | None]
    # The address of the page before, or null on the first one.
    previous: NotRequired[str | None]
    # The rows of this page, or the outcome of each row of the request.
    results: list[Delivery]


class PaginatedEntryList(TypedDict):
    # The address of the next page, or null on the last one.
    next: NotRequired[str | None]
    # The address of the page before, or null on the first one.
    previous: NotRequired[str | None]
    # The rows of this page, or the outcome of each row of the request.
    results: list[Entry]


class PaginatedEvaluationList(TypedDict):
    # The address of the next page, or null on the last one.
    next: NotRequired[str | None]
    # The address of the page before, or null on the first one.
    previous: NotRequired[str | None]
    # The rows of this page, or the outcome of each row of the request.
    results: list[Evaluation]


class PaginatedExportList(TypedDict):
    # The address of the next page, or null on the last one.
    next: NotRequired[str | None]
    # The address of the page before, or null on the first one.
    previous: NotRequired[str | None]
    # The rows of this page, or the outcome of each row of the request.
    results: list[Export]


class PaginatedGoldImportList(TypedDict):
    # The address of the next page, or null on the last one.
    next: NotRequired[str | None]
    # The address of the page before, or null on the first one.
    previous: NotRequired[str | None]
    # The rows of this page, or the outcome of each row of the request.
    results: list[GoldImport]


class PaginatedGoldList(TypedDict):
    # The address of the next page, or null on the last one.
    next: NotRequired[str | None]
    # The address of the page before, or null on the first one.
    previous: NotRequired[str | None]
    # The rows of this page, or the outcome of each row of the request.
    results: list[Gold]


class PaginatedGuidelinesList(TypedDict):
    # The address of the next page, or null on the last one.
    next: NotRequired[str | None]
    # The address of the page before, or null on the first one.
    previous: NotRequired[str | None]
    # The rows of this page, or the outcome of each row of the request.
    results: list[Guidelines]


class PaginatedHeldBonusList(TypedDict):
    # The address of the next page, or null on the last one.
    next: NotRequired[str | None]
    # The address of the page before, or null on the first one.
    previous: NotRequired[str | None]
    # The rows of this page, or the outcome of each row of the request.
    results: list[HeldBonus]


class PaginatedImportList(TypedDict):
    # The address of the next page, or null on the last one.
    next: NotRequired[str | None]
    # The address of the page before, or null on the first one.
    previous: NotRequired[str | None]
    # The rows of this page, or the outcome of each row of the request.
    results: list[Import]


class PaginatedInvitationList(TypedDict):
    # The address of the next page, or null on the last one.
    next: NotRequired[str | None]
    # The address of the page before, or null on the first one.
    previous: NotRequired[str | None]
    # The rows of this page, or the outcome of each row of the request.
    results: list[Invitation]


class PaginatedItemList(TypedDict):
    # The address of the next page, or null on the last one.
    next: NotRequired[str | None]
    # The address of the page before, or null on the first one.
    previous: NotRequired[str | None]
    # The rows of this page, or the outcome of each row of the request.
    results: list[Item]


class PaginatedLedgerEntryList(TypedDict):
    # The address of the next page, or null on the last one.
    next: NotRequired[str | None]
    # The address of the page before, or null on the first one.
    previous: NotRequired[str | None]
    # The rows of this page, or the outcome of each row of the request.
    results: list[LedgerEntry]


class PaginatedMemberList(TypedDict):
    # The address of the next page, or null on the last one.
    next: NotRequired[str | None]
    # The address of the page before, or null on the first one.
    previous: NotRequired[str | None]
    # The rows of this page, or the outcome of each row of the request.
    results: list[Member]


class Pool(TypedDict):
    """The trained workers of a role. `code` names them in requirements."""

    # The number of the row. It never changes and is not used again.
    id: int
    # What the worker or member does in the project.
    role: Role
    # The code of the qualification.
    code: str
    # Its name.
    name: str
    # The number of its workers.
    workers: int
    # The groups, with their sizes.
    groups: list[int]


class PaginatedPoolList(TypedDict):
    # The address of the next page, or null on the last one.
    next: NotRequired[str | None]
    # The address of the page before, or null on the first one.
    previous: NotRequired[str | None]
    # The rows of this page, or the outcome of each row of the request.
    results: list[Pool]


class PoolWorker(TypedDict):
    """A worker who has, or had, the qualification of a pool."""

    # The pseudonym of the worker, or null.
    worker: str
    # Where it is in its life cycle.
    state: PoolWorkerStateEnum
    # The group that it belongs to, or null.
    group: int | None
    # When it was last changed, in UTC.
    changed_at: str
    # The reason of a withdrawal, or why the marketplace refused the grant.
    problem: str


class PaginatedPoolWorkerList(TypedDict):
    # The address of the next page, or null on the last one.
    next: NotRequired[str | None]
    # The address of the page before, or null on the first one.
    previous: NotRequired[str | None]
    # The rows of this page, or the outcome of each row of the request.
    results: list[PoolWorker]


class Project(TypedDict):
    # The project's name in addresses.
    slug: str
    # The title, as people see it.
    title: str
    # The annotation scheme.
    scheme: str
    # The crowd that does the work.
    provider: ProviderEnum
    # The pay of each role.
    pay_scheme: dict[str, dict[str, int]]
    # The protections against junk that the terms lack. Presets lack none.
    pay_warnings: list[str]
    # The budget limit.
    cap_cents: int | None
    # The least pay an hour in cents, or null for none.
    minimum_hourly_cents: int | None
    # How several annotations become gold.
    protocol: ProtocolEnum
    # How many workers annotate an item.
    generators_per_item: int
    # How many workers judge an annotation.
    validators_per_item: int
    # How many of them have to agree.
    validators_to_agree: int
    # How often a disputed annotation returns to its author.
    revision_limit: int
    # What follows if an annotation stays disputed.
    after_disputes: AfterDisputesEnum
    # Where a worker who annotated something can't judge it.
    exclusion_scope: ExclusionScopeEnum
    # Whether the bonus of annotators waits until the item has gold.
    bonus_timing: BonusTimingEnum
    # What is recorded of how workers enter their answers.
    input_signals: InputSignalsEnum
    # What workers' pages suggest.
    suggestions: SuggestionsEnum
    # The language of the texts, as a BCP 47 tag.
    language: str
    # Which sentences of the document a page shows around the sentence.
    shown_context: ShownContextEnum
    # The start of the random numbers. The same seed gives the same order.
    seed: int
    # When the project was archived, in UTC, or null.
    archived_at: str | None
    # When it was created, in UTC.
    created_at: str


class PaginatedProjectList(TypedDict):
    # The address of the next page, or null on the last one.
    next: NotRequired[str | None]
    # The address of the page before, or null on the first one.
    previous: NotRequired[str | None]
    # The rows of this page, or the outcome of each row of the request.
    results: list[Project]


class Release(TypedDict):
    """A release. It has an archive once its files are stored."""

    # The version of the release, such as 1.0.
    version: str
    # Where the annotation comes from: generated, consolidated, expert, or imported.
    source: GoldSource
    # When the release was made, in UTC.
    released_at: str
    # Who made the release.
    released_by: str
    # How many items it has, or which ones it concerns.
    items: int
    # How many sentences it has.
    sentences: int
    # The licence of the annotations.
    licence: str
    # The licence of the texts.
    text_licence: str
    # A text of the release for its readers.
    notes: str
    # The authors, in the order of the citation.
    authors: list[Author]
    # The ZIP file, or null before it is finished.
    archive: Archive | None


class PaginatedReleaseList(TypedDict):
    # The address of the next page, or null on the last one.
    next: NotRequired[str | None]
    # The address of the page before, or null on the first one.
    previous: NotRequired[str | None]
    # The rows of this page, or the outcome of each row of the request.
    results: list[Release]


class ResourceImport(TypedDict):
    """An import of a new version of a resource. It has a version once it has finished."""

    # The number of the row. It never changes and is not used again.
    id: int
    # Where it is in its life cycle.
    state: JobState
    # The name of the resource.
    resource: str
    # The format of the file.
    format: str
    # The files that it has.
    files: list[File]
    # The switches that are set. Others stay as they are.
    switches: dict[str, bool]
    # The presets that are chosen.
    presets: dict[str, str]
    # Who requested it.
    requested_by: str
    # When it was requested, in UTC.
    requested_at: str
    # When work on it started, in UTC, or null.
    started_at: str | None
    # When it ended, in UTC, or null.
    ended_at: str | None
    # The version that is current after the import, or null.
    version: NotRequired[int | None]
    # False if nothing changed, so that there is no new version.
    is_new: NotRequired[bool | None]
    # Why it failed, or an empty text.
    problem: str


class PaginatedResourceImportList(TypedDict):
    # The address of the next page, or null on the last one.
    next: NotRequired[str | None]
    # The address of the page before, or null on the first one.
    previous: NotRequired[str | None]
    # The rows of this page, or the outcome of each row of the request.
    results: list[ResourceImport]


class ResourceVersion(TypedDict):
    """A version of a resource. It never changes, and the highest version is current."""

    # The number of the version. Later ones have higher numbers.
    version: int
    # When it was created, in UTC.
    created_at: str


class PaginatedResourceVersionList(TypedDict):
    # The address of the next page, or null on the last one.
    next: NotRequired[str | None]
    # The address of the page before, or null on the first one.
    previous: NotRequired[str | None]
    # The rows of this page, or the outcome of each row of the request.
    results: list[ResourceVersion]


class Round(TypedDict):
    # The number of the row. It never changes and is not used again.
    id: int
    # What the worker or member does in the project.
    role: Role
    # Its place among the project's rounds, from 1.
    ordinal: int
    # What kind of row it is.
    kind: RoundKind
    # The title, as people see it.
    title: str
    # Who may enter the round.
    entry: EntryEnum
    # The figures that a worker has to reach.
    thresholds: dict[str, float]
    # The roles that workers who pass may take.
    pool_roles: list[Role]
    # What workers need to be invited.
    requirements: list[dict[str, Any]]
    # How many items a worker gets, or null for all.
    items_per_worker: int | None
    # The number of its items.
    items: int
    # How often it was published.
    publications: int


class PaginatedRoundList(TypedDict):
    # The address of the next page, or null on the last one.
    next: NotRequired[str | None]
    # The address of the page before, or null on the first one.
    previous: NotRequired[str | None]
    # The rows of this page, or the outcome of each row of the request.
    results: list[Round]


class PaginatedSentenceList(TypedDict):
    # The address of the next page, or null on the last one.
    next: NotRequired[str | None]
    # The address of the page before, or null on the first one.
    previous: NotRequired[str | None]
    # The rows of this page, or the outcome of each row of the request.
    results: list[Sentence]


class Session(TypedDict):
    """A worker's place in a study."""

    # The number of the row. It never changes and is not used again.
    id: int
    # Its id.
    study: int
    # The pseudonym of the worker, or null.
    worker: str
    # Where it is in its life cycle.
    state: SessionStateEnum
    # When the participant arrived, in UTC, or null.
    arrived_at: str | None
    # Until when the session's tasks can be submitted, in UTC, or null.
    deadline: str
    # When the last task was submitted, in UTC, or null.
    finished_at: str | None
    # When the crowd recorded the completion, in UTC, or null.
    completed_at: str | None
    # When the session was approved, in UTC, or null.
    approved_at: str | None
    # What is wrong with the session, or an empty text.
    issue: IssueEnum
    # When the issue was noticed, in UTC, or null.
    issue_at: str | None
    # A person's reason to reject a session without any task, or an empty text.
    rejection_reason: str
    # What the provider refused, or empty.
    problem: str


class PaginatedSessionList(TypedDict):
    # The address of the next page, or null on the last one.
    next: NotRequired[str | None]
    # The address of the page before, or null on the first one.
    previous: NotRequired[str | None]
    # The rows of this page, or the outcome of each row of the request.
    results: list[Session]


class SessionPayment(TypedDict):
    """A payment of a session: its reward, and the rest as a bonus."""

    # The number of the row. It never changes and is not used again.
    id: int
    # Its id.
    session: int
    # The pseudonym of the worker, or null.
    worker: str
    # Where it is in its life cycle.
    state: SessionPaymentStateEnum
    # The reward for a task in cents.
    reward_cents: int
    # The part that is paid as a bonus, without fees.
    bonus_cents: int
    # When it was planned, in UTC.
    planned_at: str
    # When it was sent to the provider, in UTC, or null.
    paid_at: str | None
    # When the provider confirmed it, in UTC, or null.
    confirmed_at: str | None
    # Why it is not confirmed, or empty.
    problem: str


class PaginatedSessionPaymentList(TypedDict):
    # The address of the next page, or null on the last one.
    next: NotRequired[str | None]
    # The address of the page before, or null on the first one.
    previous: NotRequired[str | None]
    # The rows of this page, or the outcome of each row of the request.
    results: list[SessionPayment]


class Study(TypedDict):
    """A study: a posting at the provider, whose places are sessions of several HITs."""

    # The number of the row. It never changes and is not used again.
    id: int
    # The title, as people see it.
    title: str
    # Where it is in its life cycle.
    state: StudyStateEnum
    # The provider's id, or null until the study is created there.
    external_id: str | None
    # Wanted in all.
    places: int
    # Returned and rejected sessions have freed their places.
    taken: int
    # How many tasks a participant gets.
    hits_per_session: int
    # For a session, without bonuses and fees.
    reward_cents: int
    # The estimated time of a session.
    minutes: int
    # Of finished sessions, or null while they are few.
    median_minutes: float | None
    # The reward for the median time, or null.
    hourly_cents: int | None
    # Paid so far, with bonuses, fees and tax.
    cost_cents: int
    # The number of sessions by state.
    sessions: dict[str, int]
    # The tasks that wait, because they don't fill a session.
    waiting: int
    # When they get a place, or null.
    waits_until: str | None
    # When it was published at the crowd, in UTC, or null.
    published_at: str | None
    # What the provider refused, or empty.
    problem: str


class PaginatedStudyList(TypedDict):
    # The address of the next page, or null on the last one.
    next: NotRequired[str | None]
    # The address of the page before, or null on the first one.
    previous: NotRequired[str | None]
    # The rows of this page, or the outcome of each row of the request.
    results: list[Study]


class QasrlGenerationContextAnswer(TypedDict):
    # The sentence, or its number.
    sentence: str
    # The position of the first word in its sentence.
    start: int
    # The position after the last word.
    end: int
    # A text for people.
    text: NotRequired[str]


class QasrlGenerationAsked(TypedDict):
    # The text of the question.
    question: str
    # Ranges of words, as [start, end) in ascending order.
    answers: list[list[int]]
    # The question in its slots, or null if it is outside of the template.
    slots: NotRequired[Any]
    # Whether the sentence only implies the arguments of the role. Absent if no one was asked.
    implied: NotRequired[bool | None]
    # Answers in other sentences of the document.
    context_answers: NotRequired[list[QasrlGenerationContextAnswer]]
    # The rank of the suggestion that the worker picked, from 1, or null for a typed question.
    picked: NotRequired[int | None]


class QasrlGeneration(TypedDict):
    # The questions about the verb or noun, with their answers.
    questions: list[QasrlGenerationAsked]
    # Why there is no question, or an empty text.
    no_question: NotRequired[str]
    # Whether the noun describes an action or event. Absent for verbs.
    is_verbal: NotRequired[bool | None]


class QasrlConsolidationContextAnswer(TypedDict):
    # The sentence, or its number.
    sentence: str
    # The position of the first word in its sentence.
    start: int
    # The position after the last word.
    end: int
    # A text for people.
    text: NotRequired[str]


class QasrlConsolidationSource(TypedDict):
    # The number of the submission, or null.
    submission: int
    # The text of the question.
    question: int


class QasrlConsolidationJudged(TypedDict):
    # The text of the question.
    question: str
    # Ranges of words, as [start, end) in ascending order.
    answers: list[list[int]]
    # The question in its slots, or null if it is outside of the template.
    slots: NotRequired[Any]
    # Whether the sentence only implies the arguments of the role. Absent if no one was asked.
    implied: NotRequired[bool | None]
    # Answers in other sentences of the document.
    context_answers: NotRequired[list[QasrlConsolidationContextAnswer]]
    # The rank of the suggestion that the worker picked, from 1, or null for a typed question.
    picked: NotRequired[int | None]
    # The question from which it was taken, or null.
    source: QasrlConsolidationSource | None
    # The judgment.
    verdict: Literal["keep", "invalid", "redundant"]
    # The place of the kept question that this one repeats, from 0, or null.
    same_as: NotRequired[int | None]


class QasrlConsolidation(TypedDict):
    # The questions about the verb or noun, with their answers.
    questions: list[QasrlConsolidationJudged]
    # Whether the noun describes an action or event. Absent for verbs.
    is_verbal: NotRequired[bool | None]


class QasrlValidationVerdict(TypedDict):
    # The text of the question.
    question: NotRequired[str]
    # The question in its slots, or null if it is outside of the template.
    slots: NotRequired[Any]
    # Ranges of words, as [start, end) in ascending order.
    answers: list[list[int]]
    # The judgment.
    verdict: Literal["valid", "invalid", "redundant"]
    # The place of the kept question that this one repeats, from 0, or null.
    same_as: NotRequired[int | None]


class QasrlValidation(TypedDict):
    # The questions about the verb or noun, with their answers.
    questions: list[QasrlValidationVerdict]


class Step(TypedDict):
    # Active time on the step.
    seconds: int
    # What the worker did on the page, in order.
    moves: int


class Submission(TypedDict):
    # The number of the row. It never changes and is not used again.
    id: int
    # The key of the item.
    item: str
    # The number of the item.
    item_id: int
    # What the worker or member does in the project.
    role: Role
    # The worker's pseudonym, or null for an expert.
    worker: str | None
    # Where it is in its life cycle.
    state: SubmissionState
    # The annotation. Its form depends on the scheme: see the schema of its name.
    content: dict[str, Any]
    # The version of the content's form.
    schema_version: int
    # Why it failed, or an empty text.
    problem: str
    # When the worker first opened the task, in UTC, or null.
    opened_at: str
    # When the worker submitted it, in UTC, or null.
    submitted_at: str
    # The time in seconds in which the page was in use.
    active_seconds: int
    # What the worker did on the page, in order.
    moves: int
    # The page's steps by name. Empty if the scheme's page has no steps.
    steps: dict[str, Step]
    # What the worker wrote about the task.
    comment: str


class PaginatedSubmissionList(TypedDict):
    # The address of the next page, or null on the last one.
    next: NotRequired[str | None]
    # The address of the page before, or null on the first one.
    previous: NotRequired[str | None]
    # The rows of this page, or the outcome of each row of the request.
    results: list[Submission]


class SweepFailure(TypedDict):
    """A row that a sweep could not process. It is tried again, unless it was set aside."""

    # The number of the row. It never changes and is not used again.
    id: int
    # The name of the background process.
    sweep: str
    # The type of the row.
    model: str
    # The number of the row that changed.
    object_id: int
    # What went wrong.
    error: str
    # How often it was sent.
    attempts: int
    # When it failed for the first time, in UTC.
    first_failed_at: str
    # When it is tried again, in UTC.
    retry_at: str
    # When a person stopped further attempts, in UTC, or null.
    set_aside_at: str | None
    # Who did so, or an empty text.
    set_aside_by: str


class PaginatedSweepFailureList(TypedDict):
    # The address of the next page, or null on the last one.
    next: NotRequired[str | None]
    # The address of the page before, or null on the first one.
    previous: NotRequired[str | None]
    # The rows of this page, or the outcome of each row of the request.
    results: list[SweepFailure]


class SystemFigure(TypedDict):
    # The figure. Fractions are between 0 and 1.
    value: float | None
    # The lower end of the 95 % interval.
    low: float | None
    # The upper end of the 95 % interval.
    high: float | None


class ScoredSystem(TypedDict):
    # Its name.
    name: str
    # Other facts about the system.
    facts: dict[str, int]
    # The measured figures by name.
    figures: dict[str, SystemFigure]


class SystemDifference(TypedDict):
    """How far the first system is above the second. Systems are numbers in `systems`, from 0."""

    # The first of the two systems.
    first: int
    # The second of the two systems.
    second: int
    # The figure that is compared.
    measure: str
    # The figure. Fractions are between 0 and 1.
    value: float | None
    # The lower end of the 95 % interval.
    low: float | None
    # The upper end of the 95 % interval.
    high: float | None
    # The p-value of the paired test, adjusted after Holm.
    p_value: float | None
    # The p-value, adjusted for the number of pairs (Holm).
    adjusted: float | None


class SystemResult(TypedDict):
    # How many items it has, or which ones it concerns.
    items: int
    # The number of documents, which are resampled.
    documents: int
    # The systems that are compared.
    systems: list[ScoredSystem]
    # What differs between the two.
    differences: list[SystemDifference]


class SystemEvaluation(TypedDict):
    """An evaluation. It has a result and files once it has finished."""

    # The number of the row. It never changes and is not used again.
    id: int
    # Where it is in its life cycle.
    state: JobState
    # When it was requested, in UTC.
    requested_at: str
    # When it ended, in UTC, or null.
    ended_at: str | None
    # The systems that are compared.
    systems: list[str]
    # Why it failed, or an empty text.
    problem: str
    # The result, or null before it is finished.
    result: SystemResult | None
    # The files that it has.
    files: dict[str, str]


class PaginatedSystemEvaluationList(TypedDict):
    # The address of the next page, or null on the last one.
    next: NotRequired[str | None]
    # The address of the page before, or null on the first one.
    previous: NotRequired[str | None]
    # The rows of this page, or the outcome of each row of the request.
    results: list[SystemEvaluation]


class Trainee(TypedDict):
    """A worker of a round. `figures` have the trainer's corrections, if there are any."""

    # The number of the row. It never changes and is not used again.
    id: int
    # The pseudonym of the worker, or null.
    worker: str
    # Where it is in its life cycle.
    state: EnrolmentState
    # When the worker joined the round, in UTC.
    enrolled_at: str
    # The number of the round's publication that admitted the worker.
    publication: NotRequired[int | None]
    # The newest one.
    evaluation: NotRequired[int | None]
    # Return False while the figures cover only a part of the round.
    is_finished: bool
    # The measured figures by name.
    figures: dict[str, Any]
    # The thresholds that the figures do not meet.
    unmet: list[str]
    # Whether to pass the worker, or empty.
    suggestion: str
    # The feedback to the worker.
    feedback: FeedbackEnum


class PaginatedTraineeList(TypedDict):
    # The address of the next page, or null on the last one.
    next: NotRequired[str | None]
    # The address of the page before, or null on the first one.
    previous: NotRequired[str | None]
    # The rows of this page, or the outcome of each row of the request.
    results: list[Trainee]


class Webhook(TypedDict):
    """A webhook. `failing_since` is the first failure after the last delivery that succeeded."""

    # The number of the row. It never changes and is not used again.
    id: int
    # Its address.
    url: str
    # The types of events that the webhook waits for.
    events: list[EventsEnum]
    # Whether it is switched on.
    is_active: bool
    # The first failure after the last delivery that succeeded, in UTC, or null.
    failing_since: str | None
    # When it was created, in UTC.
    created_at: str


class PaginatedWebhookList(TypedDict):
    # The address of the next page, or null on the last one.
    next: NotRequired[str | None]
    # The address of the page before, or null on the first one.
    previous: NotRequired[str | None]
    # The rows of this page, or the outcome of each row of the request.
    results: list[Webhook]


class Work(TypedDict):
    # How many submissions, or which ones.
    submissions: int
    # Accepted submissions.
    accepted: int
    # Rejected submissions.
    rejected: int
    # The mean time for a task in seconds, or null.
    mean_seconds: float | None
    # The time in seconds in which the page was in use.
    active_seconds: int
    # Confirmed payments, without fees.
    earned_cents: int


class Worker(TypedDict):
    """A worker of the project, by pseudonym, without the marketplace's id."""

    # The name of the worker in this project. It is not the crowd's.
    pseudonym: str
    # When the worker first accepted a task of the site, in UTC.
    first_seen_at: str
    # Includes agreement experiments and compensation.
    production: Work
    # The worker's training rounds.
    training: Work


class PaginatedWorkerList(TypedDict):
    # The address of the next page, or null on the last one.
    next: NotRequired[str | None]
    # The address of the page before, or null on the first one.
    previous: NotRequired[str | None]
    # The rows of this page, or the outcome of each row of the request.
    results: list[Worker]


class WorkerNote(TypedDict):
    """A note on a worker, for colleagues. The worker doesn't see it."""

    # The number of the row. It never changes and is not used again.
    id: int
    # Who wrote it.
    author: str
    # A text for people.
    text: str
    # When the note was written, in UTC.
    written_at: str


class PaginatedWorkerNoteList(TypedDict):
    # The address of the next page, or null on the last one.
    next: NotRequired[str | None]
    # The address of the page before, or null on the first one.
    previous: NotRequired[str | None]
    # The rows of this page, or the outcome of each row of the request.
    results: list[WorkerNote]


class PatchedChangedBatchRequest(TypedDict):
    """The changes of a batch. Fields that are left out stay as they are."""

    # The number of HITs that the top-up keeps open, or null for no top-up.
    keep_open: NotRequired[int | None]
    # The limit in cents, or null for none.
    cap_cents: NotRequired[int | None]
    # How often missing work of an item is published again automatically.
    republish_limit: NotRequired[int]


class PatchedChangedProjectRequest(TypedDict):
    """The changes of a project. Fields that are left out stay as they are."""

    # The title, as people see it.
    title: NotRequired[str]
    # The limit in cents, or null for none.
    cap_cents: NotRequired[int | None]
    # The least pay an hour in cents, or null for none.
    minimum_hourly_cents: NotRequired[int | None]
    # A preset, or the terms of some roles. Others keep theirs.
    pay_scheme: NotRequired[
        Literal["custom", "frames", "grounding", "qasrl-2018", "qasrl-2020"]
        | dict[str, dict[str, int]]
    ]
    # Under consolidation, until items are published.
    generators_per_item: NotRequired[int]
    # How annotations become gold. It can't be changed once items are published.
    protocol: NotRequired[ProtocolEnum]
    # The number of validators or verifiers per item, until items are published.
    validators_per_item: NotRequired[int]
    # How many of them must agree, until items are published.
    validators_to_agree: NotRequired[int]
    # Under verification, how often a disputed annotation returns to its annotator.
    revision_limit: NotRequired[int]
    # Under verification, what becomes of items that are still disputed.
    after_disputes: NotRequired[AfterDisputesEnum]
    # Where people who judge annotations must not have annotated.
    exclusion_scope: NotRequired[ExclusionScopeEnum]
    # Whether the bonus of annotators waits until the item has gold.
    bonus_timing: NotRequired[BonusTimingEnum]
    # What is recorded of how workers enter their answers.
    input_signals: NotRequired[InputSignalsEnum]
    # What workers' pages suggest.
    suggestions: NotRequired[SuggestionsEnum]
    # Which sentences of the document a page shows around the sentence.
    shown_context: NotRequired[ShownContextEnum]


class PatchedChangedRoundRequest(TypedDict):
    """The changes of a round. Fields that are left out stay as they are."""

    # The title, as people see it.
    title: NotRequired[str]
    # Who may enter the round.
    entry: NotRequired[EntryEnum]
    # What happens to workers who pass.
    after_passing: NotRequired[AfterPassingEnum]
    # The value of each figure that suggests a pass. Shares are in [0, 1].
    thresholds: NotRequired[dict[str, float]]
    # How many items a worker gets, or null for all.
    items_per_worker: NotRequired[int | None]
    # The least share of approved work in percent, or null.
    approval_rate: NotRequired[int | None]
    # The least number of approved tasks, or null.
    hits_approved: NotRequired[int | None]
    # Countries, as two-letter codes, from which workers may come.
    locales: NotRequired[list[str]]


class PatchedChangedWebhookRequest(TypedDict):
    # Its address.
    url: NotRequired[str]
    # The types of events that the webhook waits for.
    events: NotRequired[list[EventsEnum]]
    # While it is false, nothing is sent and new events are not stored.
    is_active: NotRequired[bool]


class PatchedRolesRequest(TypedDict):
    # All roles that the member has from now on.
    roles: NotRequired[list[MemberRole]]


class Payment(TypedDict):
    """A payment for an assignment."""

    # The number of the row. It never changes and is not used again.
    id: int
    # What it pays for.
    kind: PaymentKindEnum
    # Where it is in its life cycle.
    state: PaymentStateEnum
    # The amount in cents.
    amount_cents: int
    # The crowd's fee in cents.
    fee_cents: int
    # The pseudonym of the worker, or null.
    worker: str
    # The provider's id of it.
    assignment: str
    # When it was decided to pay it, in UTC.
    intended_at: str
    # Why the provider rejected it, or empty.
    problem: str


class Preset(TypedDict):
    # Its name in requests.
    key: str
    # The name that people see.
    label: str
    # To choose from.
    values: list[str]


class PreviewedImport(TypedDict):
    """An import. After a dry run, it is `uploaded`, and has a preview until it is confirmed."""

    # The number of the row. It never changes and is not used again.
    id: int
    # Where it is in its life cycle.
    state: JobState
    # The format of the file.
    format: str
    # Whether a bad row refuses the whole file.
    strict: bool
    # Whether words are matched with those of the corpus.
    align: bool
    # Whether boxes are scaled to the size of the picture.
    rescale_boxes: bool
    # Return the encoding in which the first file is read.
    encoding: str
    # Which column of the table has which meaning.
    columns: dict[str, Any]
    # The sheet of the workbook, or an empty text for the first one.
    sheet: str
    # The files that it has.
    files: list[File]
    # Who requested it.
    requested_by: str
    # When it was requested, in UTC.
    requested_at: str
    # When work on it started, in UTC, or null.
    started_at: str | None
    # When it ended, in UTC, or null.
    ended_at: str | None
    # How many rows were refused.
    error_count: NotRequired[int]
    # The first of the refused rows, with file, line and reason.
    errors: NotRequired[list[RowError]]
    # Why it failed, or an empty text.
    problem: str
    # The domain of the text, such as wikinews, or an empty text.
    domain: str
    # The part of the dataset, such as train, dev or test, or an empty text.
    partition: str
    # Whether rows that are known are changed.
    update: bool
    # Names of the files of items.
    items_files: list[File]
    # Sentences in the files.
    sentences_read: NotRequired[int]
    # Items in the files.
    items_read: NotRequired[int]
    # New sentences.
    sentences_added: NotRequired[int]
    # Known sentences that were changed.
    sentences_updated: NotRequired[int]
    # Sentences that the project already had.
    sentences_known: NotRequired[int]
    # New items, or items with new gold.
    items_added: NotRequired[int]
    # Known items that were changed.
    items_updated: NotRequired[int]
    # Items that the project already had.
    items_known: NotRequired[int]
    # How many warnings there are.
    warning_count: NotRequired[int]
    # The first warnings, with file and line.
    warnings: NotRequired[list[RowError]]
    # What the import would do, or null if it is not `uploaded`.
    preview: ImportPreview | None


class Quality(TypedDict):
    """Gold of a source compared with gold of another one. Each row has one of them as reference."""

    # When it was counted, in UTC. Figures are counted again after a while.
    counted_at: str | None
    # Why there are no figures, or empty.
    problem: str
    # Where the annotation comes from: generated, consolidated, expert, or imported.
    source: GoldSource
    # With what it is compared.
    against: GoldSource
    # The numbers of items and units of each source.
    yields: dict[str, Any]
    # The figures by reference, automatic and corrected by people.
    rows: list[dict[str, Any]]


class ReasonRequest(TypedDict):
    # Shown to the worker.
    reason: str


class RejectionReasonRequest(TypedDict):
    # Shown to the worker.
    reason: str
    # Required by providers with sessions, whose reasons need at least 100 characters.
    category: NotRequired[CategoryEnum]


class ReleaseJob(TypedDict):
    """A release in progress. It has a release once the gold is frozen, and an archive at the end."""

    # The number of the row. It never changes and is not used again.
    id: int
    # Where it is in its life cycle.
    state: JobState
    # When it was requested, in UTC.
    requested_at: str
    # When it ended, in UTC, or null.
    ended_at: str | None
    # The version of the release, such as 1.0.
    version: str
    # Why it failed, or an empty text.
    problem: str
    # The number of the release, or null.
    release: Release | None


class Switch(TypedDict):
    # Its name in requests.
    key: str
    # The name that people see.
    label: str
    # In the current version.
    is_on: bool


class Resource(TypedDict):
    """A resource of the project's scheme, and its current version."""

    # Its name in addresses and requests.
    name: str
    # The name that people see.
    label: str
    # The current version, or 0 if there is none.
    version: int
    # The number of its parts, by name.
    counts: dict[str, int]
    # The formats of files that can be imported.
    formats: list[str]
    # Settings of a version that are on or off.
    switches: list[Switch]
    # Fields of a version with named values.
    presets: list[Preset]


class Resources(TypedDict):
    # The rows of this page, or the outcome of each row of the request.
    results: list[Resource]


class RoundItemsRequest(TypedDict):
    """The items of a round: their keys in order, or a sample."""

    # Keys of the items.
    items: NotRequired[list[str]]
    # How many items to draw at random.
    sample: NotRequired[SampleRequest]


class RoundPreview(TypedDict):
    """What a publication would cost. Nothing was published."""

    # How many items it has, or which ones it concerns.
    items: int
    # The pseudonyms of the workers.
    workers: int
    # What would be reserved, with bonuses and fees.
    most_cents: int
    # Items that have no expert gold yet.
    items_without_gold: int
    # Before the publication. Null without a budget limit.
    budget_left_cents: int | None


class SchemeProtocol(TypedDict):
    """A protocol, and the roles of the people who work under it."""

    # Its name.
    name: str
    # One sentence about it.
    summary: str
    # The roles that it concerns.
    roles: list[Role]


class SessionPaymentDecisionRequest(TypedDict):
    # true books the bonus as paid, and false pays it again. Check it at the provider.
    was_paid: bool


class SessionRejectionRequest(TypedDict):
    # Shown to the worker. Providers can require a number of characters, such as 100.
    reason: str


class SlotsRequest(TypedDict):
    # How many workers may take part in an open round. Others admit those who wait.
    slots: NotRequired[int]


class Statistics(TypedDict):
    """Counts of the annotated items by group, such as the gold or a partition."""

    # When it was counted, in UTC. Figures are counted again after a while.
    counted_at: str | None
    # Why there are no figures, or empty.
    problem: str
    # Of the gold.
    source: str
    # The groups, with their sizes.
    groups: dict[str, Any]
    # The tables of the page, with their rows.
    tables: list[dict[str, Any]]
    # How often each category occurs.
    frequencies: dict[str, Any]


class WholeDefinition(TypedDict):
    """A version of the definition with its value, in which all defaults are filled in."""

    # The number of the version. Later ones have higher numbers.
    version: int
    # When it was created, in UTC.
    created_at: str
    # As in the manifest of exports.
    sha256: str
    # The definition of a custom scheme.
    definition: dict[str, Any]


class WholeEvaluation(TypedDict):
    # The number of the row. It never changes and is not used again.
    id: int
    # The place of the training round, or null.
    round: int
    # The pseudonym of the worker, or null.
    worker: str
    # The worker's current state in the round.
    state: EnrolmentState
    # The rule by which units match.
    rule: str
    # Why it was computed.
    cause: CauseEnum
    # The measured figures by name.
    figures: dict[str, Any]
    # The figures after corrections by people.
    corrected_figures: dict[str, Any] | None
    # Which annotations were compared.
    computed_from: dict[str, Any]
    # When it was computed, in UTC.
    computed_at: str
    # Which units were matched.
    alignment: list[dict[str, Any]]


class WholeGuidelines(TypedDict):
    """A version of the guidelines of a role, with its texts in Markdown."""

    # The number of the row. It never changes and is not used again.
    id: int
    # What the worker or member does in the project.
    role: Role
    # The number of the version. Later ones have higher numbers.
    version: int
    # The language of the main text, as a BCP 47 tag.
    language: str
    # Return the languages of the translations.
    translated_into: list[str]
    # When the note was written, in UTC.
    written_at: str
    # The main text.
    text: str
    # The other texts by language.
    translations: dict[str, str]


class WholeInvitation(TypedDict):
    """An open invitation. `problem` is the reason if the mail server refused it."""

    # The number of the row. It never changes and is not used again.
    id: int
    # The mail address.
    email: str
    # What the worker or member does in the project.
    role: MemberRole
    # Who invited.
    invited_by: str
    # When it was created, in UTC.
    created_at: str
    # When it becomes void, in UTC, or null if it never does.
    expires_at: str
    # When it was sent, in UTC.
    sent_at: str | None
    # Why it failed, or an empty text.
    problem: str
    # The address that accepts the invitation. It is shown once.
    link: str


class WholeResourceVersion(TypedDict):
    """A version of a resource with its value, which can be imported again in the format json."""

    # The number of the version. Later ones have higher numbers.
    version: int
    # When it was created, in UTC.
    created_at: str
    # As in the manifest of exports.
    sha256: str
    # What it contains.
    value: dict[str, Any]


class WholeRound(TypedDict):
    """A round with its items, and what the next publication needs."""

    # The number of the row. It never changes and is not used again.
    id: int
    # What the worker or member does in the project.
    role: Role
    # Its place among the project's rounds, from 1.
    ordinal: int
    # What kind of row it is.
    kind: RoundKind
    # The title, as people see it.
    title: str
    # Who may enter the round.
    entry: EntryEnum
    # The figures that a worker has to reach.
    thresholds: dict[str, float]
    # The roles that workers who pass may take.
    pool_roles: list[Role]
    # What workers need to be invited.
    requirements: list[dict[str, Any]]
    # How many items a worker gets, or null for all.
    items_per_worker: int | None
    # The number of its items.
    items: int
    # How often it was published.
    publications: int
    # The keys of the items.
    item_keys: list[str]
    # Return how many items need expert gold before the round can be published.
    items_without_gold: int
    # Return the number of workers whom the next publication would admit.
    waiting: int


class WholeScheme(TypedDict):
    """A scheme: what projects can choose, and the form of the content in submissions and gold."""

    # Its name.
    name: str
    # The title, as people see it.
    title: str
    # One sentence about it.
    summary: str
    # The version of the content's form.
    schema_version: int
    # The JSON Schema of each kind of content, such as generation and gold.
    content: dict[str, dict[str, Any]]
    # The protocols of the scheme.
    protocols: list[SchemeProtocol]
    # The pay schemes that a project can start with.
    pay_presets: dict[str, dict[str, dict[str, int]]]
    # Of imported corpora.
    sentence_formats: list[str]
    # Of imported gold.
    gold_formats: list[str]
    # The formats in which gold can be exported.
    export_formats: list[str]
    # What can be found in plain text as items.
    searches: dict[str, str]


class WithdrawalRequest(TypedDict):
    # The pseudonyms of the workers.
    workers: list[str]
    # Shown to the worker.
    reason: str
