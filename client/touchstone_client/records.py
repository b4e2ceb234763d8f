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
    workers: list[str]
    role: NotRequired[Role]
    # Admit also workers whose qualification was withdrawn.
    again: NotRequired[bool]


class Agreement(TypedDict):
    """The agreement of annotators by pair and in total. Each figure has a 95 % interval."""

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
    validators: list[dict[str, Any]]


class Decided(TypedDict):
    id: int
    # Null if there is none.
    state: SubmissionState | None
    # Why it was not decided, or empty.
    problem: str


class AllDecided(TypedDict):
    results: list[Decided]


class Archive(TypedDict):
    name: str
    bytes: int
    sha256: str
    url: str


class Arm(TypedDict):
    # Say what the arm does, such as "pre-annotation by parser".
    name: str
    percent: int
    suggestions: SuggestionsEnum
    system: str
    use: UseEnum | BlankEnum


class Author(TypedDict):
    family: str
    given: str
    orcid: str
    affiliation: str


class Batch(TypedDict):
    id: int
    role: Role
    state: BatchState
    title: str
    description: str
    keywords: str
    reward_cents: int
    bonus_allowance_cents: int
    assignment_seconds: int
    lifetime_seconds: int
    auto_approval_seconds: int
    qualifications: list[dict[str, Any]]
    cap_cents: int | None
    keep_open: int | None
    item_limit: int | None
    republish_limit: int
    arms: list[Arm]
    assists_test_items: bool
    to_publish: int | None
    problem: str
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

    hits: dict[str, int]
    submissions: dict[str, int]


class BenchmarkTask(TypedDict):
    key: str
    title: str


class Phase(TypedDict):
    """A phase. Its inputs have an address once it has started."""

    kind: PhaseKind
    starts_at: str
    ends_at: str
    max_per_day: int
    max_total: int
    shows_scores: bool
    is_open: bool
    inputs: str | None


class Benchmark(TypedDict):
    """A benchmark on a version of a dataset. Without tasks, there is only one."""

    dataset: str
    version: str
    title: str
    ranked_by: str
    has_public_leaderboard: bool
    opened_at: str
    closed_at: str | None
    tasks: list[BenchmarkTask]
    phases: list[Phase]


class Budget(TypedDict):
    cap_cents: int | None
    reserved_cents: int
    spent_cents: int
    # Null without a budget limit.
    left_cents: int | None


class CaseSource(TypedDict):
    position: int
    submission: int


class Case(TypedDict):
    id: int
    item: str
    item_id: int
    attempt: int
    round: int
    state: CaseState
    opened_at: str
    sources: list[CaseSource]


class Change(TypedDict):
    """A change of a row. `kind` and `object_id` name the row, and `actor` a person, token or task."""

    id: int
    at: str
    actor: str
    kind: str
    object_id: int
    old: str
    new: str
    reason: str


class ChangedItems(TypedDict):
    # The number of items that were not so before.
    changed: int


class ChangedPart(TypedDict):
    part: str
    old: str
    new: str


class ChangedTrainee(TypedDict):
    id: int
    # Null if there is none.
    state: EnrolmentState | None
    # Why nothing was done, or empty.
    problem: str


class ChangedTrainees(TypedDict):
    results: list[ChangedTrainee]


class ChangedWorker(TypedDict):
    # The pseudonym.
    worker: str
    changed: bool
    # Why nothing was changed, or empty.
    problem: str


class ChangedWorkers(TypedDict):
    results: list[ChangedWorker]


class Mistake(TypedDict):
    # Counted from 1. Null for a definition that is an object.
    line: int | None
    # The place, such as fields.0.labels.2.key, or empty.
    path: str
    message: str


class LostPart(TypedDict):
    text: str
    annotations: int
    # Keys of some items.
    items: list[str]


class LostParts(TypedDict):
    """The parts of most annotations. `parts_in_all` counts all parts."""

    annotations: int
    parts_in_all: int
    parts: list[LostPart]


class Effects(TypedDict):
    """What becomes of the annotations with a version."""

    unchanged: int
    mapped: int
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
    is_new: bool
    mistakes: list[Mistake]
    # Null if there are mistakes.
    effects: Effects | None


class ChosenCopyRequest(TypedDict):
    # `ours` is the copy that this site received, and `theirs` the provider's.
    copy: CopyEnum
    # Stored in the log.
    reason: str


class Compensation(TypedDict):
    """A payment for lost or expired work. It is the reward of a HIT only for the worker."""

    id: int
    # What is compensated. It is paid only once.
    purpose: str
    reason: str
    amount_cents: int
    offered_by: str
    offered_at: str


class Copy(TypedDict):
    """A copy of the content of a submission."""

    # The content, or what the scheme refused.
    content: Any
    # Why the scheme refused it, or empty.
    refusal: str


class Copies(TypedDict):
    """The copy that this site received, and the provider's, with their differences."""

    ours: Copy
    theirs: Copy
    differences: list[str]


class Cost(TypedDict):
    # Paid to workers.
    amount_cents: int
    # Fees of the marketplace.
    fee_cents: int
    total_cents: int


class Costs(TypedDict):
    """The cost of the project so far. `ledger` sums the entries by kind, with fees."""

    budget: Budget
    total: Cost
    by_role: dict[str, Cost]
    ledger: dict[str, int]
    finished_items: int
    mean_finished_item_cents: float | None


class CreatedWebhook(TypedDict):
    """A new webhook with its secret, which no other response has."""

    id: int
    url: str
    events: list[EventsEnum]
    is_active: bool
    failing_since: str | None
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
    decisions: list[DecisionRequest]
    # Send the drafts or the suggested remarks before the decisions.
    send_feedback: NotRequired[bool]


class RejectionRequest(TypedDict):
    id: int
    # Shown to the worker.
    reason: str
    # Required by providers with sessions, whose reasons need at least 100 characters.
    category: NotRequired[CategoryEnum]


class DecisionsRequest(TypedDict):
    """The ids of submissions to accept, and those to reject with a reason each."""

    accept: NotRequired[list[int]]
    reject: NotRequired[list[RejectionRequest]]


class Definition(TypedDict):
    """A version of the definition. It never changes, and the highest version is current."""

    version: int
    created_at: str


class DeletionRequest(TypedDict):
    # The project's slug once more, so that no other one is deleted.
    slug: str


class Delivery(TypedDict):
    """An event and its delivery. `status` is the HTTP status of the last answer."""

    id: int
    event_id: str
    event: EventEnum
    state: DeliveryStateEnum
    created_at: str
    attempts: int
    attempted_at: str | None
    # The time of the next attempt.
    due_at: str | None
    status: int | None
    # The beginning of the last answer, or the error.
    answer: str
    # The body of the request.
    body: dict[str, Any]


class ItemChange(TypedDict):
    kind: ItemChangeKindEnum
    key: str
    reason: str
    parts: list[ChangedPart]


class FigureChange(TypedDict):
    label: str
    # %, cents, or empty for a count.
    unit: str
    old: float | None
    new: float | None


class Differences(TypedDict):
    """What differs between a release and an earlier one."""

    version: str
    against: str
    unchanged: int
    items: list[ItemChange]
    figures: list[FigureChange]


class DividedRequest(TypedDict):
    count: int
    # The same pool and seed give the same groups. By default that of the project.
    seed: NotRequired[int]


class EnlargementRequest(TypedDict):
    # How many more workers each HIT is offered to.
    assignments: int


class EntryScore(TypedDict):
    value: float | None
    # The lower end of the 95 % interval.
    low: float | None
    high: float | None


class Entry(TypedDict):
    """An entry. It has scores once it is scored and the phase shows scores."""

    id: int
    team: str
    phase: PhaseKind
    task: str
    system: str
    description: str
    file: str
    sha256: str
    state: EntryState
    error: str
    sent_at: str
    withdrawn_at: str | None
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
    code: str
    detail: str
    # The field, query parameter or header that the error is about.
    attr: str | None


class ErrorResponse(TypedDict):
    type: TypeEnum
    errors: list[Error]


class Evaluation(TypedDict):
    id: int
    round: int
    worker: str
    # The worker's current state in the round.
    state: EnrolmentState
    rule: str
    cause: CauseEnum
    figures: dict[str, Any]
    corrected_figures: dict[str, Any] | None
    computed_from: dict[str, Any]
    computed_at: str


class ExportFile(TypedDict):
    name: str
    rows: int | None
    bytes: int
    sha256: str
    url: str


class Export(TypedDict):
    """An export. It has files once it has finished."""

    id: int
    state: JobState
    requested_at: str
    ended_at: str | None
    format: str
    source: str
    items: NotRequired[int | None]
    problem: str
    files: list[ExportFile]
    archive: ExportFile | None


class ExtensionRequest(TypedDict):
    # The days from now until the HITs end.
    days: NotRequired[int]


class Failure(TypedDict):
    what: str
    state: str
    error: str
    at: str
    worker: str
    cents: int | None


class NewFeedbackRequest(TypedDict):
    """Feedback to a worker. Without text and notes, the draft or the suggested remarks are sent."""

    # The id in the list of trainees.
    id: int
    text: NotRequired[str]
    # A note by the key of an item of the round.
    notes: NotRequired[dict[str, str]]


class FeedbackToTraineesRequest(TypedDict):
    feedback: list[NewFeedbackRequest]


class File(TypedDict):
    name: str
    bytes: int


class RoleForecast(TypedDict):
    role: Role
    # Places that are open or undecided.
    offered: int
    # Places that are not published yet.
    to_come: int
    # Assignments behind the forecast. 0 if there are too few for a range of 95 %.
    seen: int
    low_cents: int
    expected_cents: int
    high_cents: int
    # What is expected for `to_come`.
    to_come_cents: int


class Forecast(TypedDict):
    """What the outstanding work is expected to cost, in cents with fees and a 95 % range."""

    counted_at: str
    spent_cents: int
    reserved_cents: int
    low_cents: int
    expected_cents: int
    high_cents: int
    roles: list[RoleForecast]


class FramesConsolidationSource(TypedDict):
    submission: int
    unit: int


class FramesConsolidationMergedArgument(TypedDict):
    head: list[int]
    filler: NotRequired[str]
    element: NotRequired[str]
    role: NotRequired[str]
    source: NotRequired[FramesConsolidationSource | None]


class FramesConsolidation(TypedDict):
    understood: NotRequired[bool]
    skip: NotRequired[str]
    verb: NotRequired[list[int]]
    lemma: NotRequired[str]
    frame: NotRequired[str]
    arguments: NotRequired[list[FramesConsolidationMergedArgument]]
    confidence: NotRequired[int | None]


class FramesGoldArgument(TypedDict):
    head: list[int]
    filler: NotRequired[str]
    element: NotRequired[str]
    role: NotRequired[str]


class FramesGold(TypedDict):
    understood: NotRequired[bool]
    skip: NotRequired[str]
    verb: NotRequired[list[int]]
    lemma: NotRequired[str]
    frame: NotRequired[str]
    arguments: NotRequired[list[FramesGoldArgument]]
    confidence: NotRequired[int | None]


class FramesValidationJudgment(TypedDict):
    verdict: Literal["verified", "disputed"]
    reason: NotRequired[str]
    proposal: NotRequired[dict[str, Any]]


class FramesValidationJudgedArgument(TypedDict):
    head: FramesValidationJudgment
    element: NotRequired[FramesValidationJudgment | None]
    role: NotRequired[FramesValidationJudgment | None]


class FramesValidationMissing(TypedDict):
    head: list[int]
    filler: NotRequired[str]
    element: NotRequired[str]
    role: NotRequired[str]


class FramesValidation(TypedDict):
    skip: NotRequired[FramesValidationJudgment | None]
    verb: NotRequired[FramesValidationJudgment | None]
    frame: NotRequired[FramesValidationJudgment | None]
    arguments: list[FramesValidationJudgedArgument]
    missing: NotRequired[list[FramesValidationMissing]]
    record: NotRequired[Any]


class Stage(TypedDict):
    """The workers of a round, the time that it took them and their trainers, and its cost."""

    title: str
    invited: int
    started: int
    finished: int
    passed: int
    declined: int
    worker_seconds: int
    trainer_seconds: int
    # Settled, with fees.
    cents: int
    opens_pool: bool


class Funnel(TypedDict):
    results: list[Stage]


class Sentence(TypedDict):
    id: int
    external_id: str
    tokens: list[str]
    # As it was written, empty if unknown
    text: str
    # The half-open range of characters of each token in the text
    offsets: list[list[int]]
    domain: str
    partition: str
    group: str
    metadata: dict[str, Any]


class QasrlGoldPublishedSlots(TypedDict):
    wh: str
    aux: str
    subj: str
    verb_prefix: str
    verb_slot_inflection: str
    obj: str
    prep: str
    obj2: str
    is_passive: bool
    is_negated: bool


class QasrlGoldPublishedQuestion(TypedDict):
    question: str
    answers: list[list[int]]
    slots: NotRequired[QasrlGoldPublishedSlots | None]
    implied: NotRequired[bool | None]


class QasrlGold(TypedDict):
    questions: list[QasrlGoldPublishedQuestion]
    is_verbal: NotRequired[bool | None]


class GroundingGoldPhrase(TypedDict):
    id: str
    state: Literal["boxes", "group", "scene", "absent"]
    boxes: NotRequired[list[list[int]]]
    complete: NotRequired[bool]


class GroundingGold(TypedDict):
    phrases: list[GroundingGoldPhrase]


class Gold(TypedDict):
    id: int
    item: str
    item_id: int
    target: dict[str, Any]
    sentence: Sentence | None
    source: GoldSource
    version: int
    content: dict[str, Any]
    schema_version: int
    provenance: list[dict[str, Any]]
    case: int | None
    submission: int | None
    created_at: str


class RowError(TypedDict):
    file: str
    line: int | None
    field: str
    # Return the message with the parameters that it suggests.
    message: str


class GoldImport(TypedDict):
    """An import of annotations. `items_read` grows while it runs, and a new version is `added`."""

    id: int
    state: JobState
    format: str
    strict: bool
    align: bool
    rescale_boxes: bool
    # Return the encoding in which the first file is read.
    encoding: str
    columns: dict[str, Any]
    sheet: str
    files: list[File]
    requested_by: str
    requested_at: str
    started_at: str | None
    ended_at: str | None
    error_count: NotRequired[int]
    errors: NotRequired[list[RowError]]
    problem: str
    source: GoldSource
    add_roles: bool
    items_read: NotRequired[int]
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
    id: str
    valid: bool
    missing: NotRequired[bool]
    boxes: NotRequired[list[bool]]
    drawn: NotRequired[list[list[int]]]


class GroundingValidation(TypedDict):
    phrases: list[GroundingValidationJudgedPhrase]


class Group(TypedDict):
    """A part of the trained generators, to which batches can be published."""

    number: int
    # The number of its workers.
    workers: int
    # The mean of the main figure in their newest evaluations.
    skill: float | None


class Groups(TypedDict):
    results: list[Group]


class HoldReason(TypedDict):
    code: str
    text: str


class HeldBonus(TypedDict):
    """A bonus that is paid after a review. `submissions` are the ids of its work.

    A bonus in the state `waiting` is decided when its items are consolidated. `earned_cents` is the
    bonus for all units, and `amount_cents` the one that is paid.
    """

    id: int
    state: HeldBonusStateEnum
    # The worker's pseudonym.
    worker: str
    submissions: list[int]
    amount_cents: int
    earned_cents: int
    reasons: list[HoldReason]
    held_at: str
    decided_by: str
    decided_at: str | None
    note: str


class Import(TypedDict):
    """An import. The counts ending in `_read` grow while it runs."""

    id: int
    state: JobState
    format: str
    strict: bool
    align: bool
    rescale_boxes: bool
    # Return the encoding in which the first file is read.
    encoding: str
    columns: dict[str, Any]
    sheet: str
    files: list[File]
    requested_by: str
    requested_at: str
    started_at: str | None
    ended_at: str | None
    error_count: NotRequired[int]
    errors: NotRequired[list[RowError]]
    problem: str
    domain: str
    partition: str
    update: bool
    items_files: list[File]
    sentences_read: NotRequired[int]
    items_read: NotRequired[int]
    sentences_added: NotRequired[int]
    sentences_updated: NotRequired[int]
    sentences_known: NotRequired[int]
    items_added: NotRequired[int]
    items_updated: NotRequired[int]
    items_known: NotRequired[int]
    warning_count: NotRequired[int]
    warnings: NotRequired[list[RowError]]


class Invitation(TypedDict):
    """An open invitation. `problem` is the reason if the mail server refused it."""

    id: int
    email: str
    role: MemberRole
    invited_by: str
    created_at: str
    expires_at: str
    sent_at: str | None
    problem: str


class InvitationsRequest(TypedDict):
    workers: list[str]
    # Invite also workers who were declined or withdrew before.
    again: NotRequired[bool]


class Member(TypedDict):
    id: int
    # Required. 150 characters or fewer. Letters, digits and @/./+/-/_ only.
    username: str
    # Empty for an account without an email address.
    email: str
    roles: list[MemberRole]


class Invited(TypedDict):
    """The member, if the address is that of an account, or else the invitation."""

    member: Member | None
    invitation: Invitation | None


class Item(TypedDict):
    id: int
    key: str
    sentence: str
    domain: str
    partition: str
    target: dict[str, Any]
    headline: str
    position: int
    in_production: bool
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

    hits: dict[str, int]
    payments: dict[str, int]
    payment_cents: dict[str, int]
    rejections: int
    # Assignments to be recorded.
    unrecorded: int
    grants: dict[str, int]
    messages: dict[str, int]


class Jobs(TypedDict):
    """Pending work of the sweeps, and up to 50 failures of each kind."""

    pending: Pending
    failures: dict[str, list[Failure]]


class LedgerEntry(TypedDict):
    id: int
    at: str
    kind: LedgerKind
    amount_cents: int
    fee_cents: int
    role: str | None
    hit: str | None
    worker: str | None
    # reward or bonus, or null if the entry is not a payment.
    payment: str | None
    key: str


class Scheme(TypedDict):
    name: str
    title: str
    summary: str


class ListedSchemes(TypedDict):
    results: list[Scheme]


class Token(TypedDict):
    name: str
    beginning: str
    scopes: list[ScopesEnum]
    # Return the slugs of the projects that the token is limited to, or null for all.
    projects: list[str] | None
    created_at: str
    expires_at: str | None


class Me(TypedDict):
    """The caller, and the token if the request has one."""

    username: str
    can_create_projects: bool
    token: Token | None


class MessageRequest(TypedDict):
    workers: list[str]
    subject: str
    text: str


class NewArmRequest(TypedDict):
    """A way to help annotators, for a share of the batch's items."""

    percent: int
    # Replaces the project's setting.
    suggestions: NotRequired[SuggestionsEnum | BlankEnum]
    # A model or imported predictions.
    system: NotRequired[str]
    # What people see of the system's annotation.
    use: NotRequired[UseEnum | BlankEnum]


class NewAuthorRequest(TypedDict):
    family: str
    given: NotRequired[str]
    orcid: NotRequired[str]
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
    approval_rate: NotRequired[int | None]
    # Countries of the workers, two letters each.
    locales: NotRequired[list[str]]
    keep_open: NotRequired[int | None]
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
    phase: PhaseKind
    # A task of the benchmark, such as B.1.
    task: NotRequired[str]
    # Its name on the leaderboard.
    system: str
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
    domain: NotRequired[str]
    partition: NotRequired[Partition | BlankEnum]
    # An SPDX identifier, such as CC-BY-SA-4.0.
    licence: NotRequired[str]


class NewGoldImportRequest(TypedDict):
    """Annotations of experts or of a published dataset, for items that the project has."""

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

    count: int
    # The number of the group by pseudonym, or null for no group.
    workers: NotRequired[dict[str, int | None]]


class NewImportRequest(TypedDict):
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
    domain: NotRequired[str]
    partition: NotRequired[Partition | BlankEnum]
    # Replace sentences and items that exist otherwise, unless work depends on them.
    update: NotRequired[bool]


class NewInvitationRequest(TypedDict):
    email: str
    role: MemberRole


class NewNoteRequest(TypedDict):
    # Only project members see it.
    text: str


class NewProjectRequest(TypedDict):
    # The name in URLs and commands.
    slug: str
    title: NotRequired[str]
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
    authors: list[NewAuthorRequest]
    partitions: NotRequired[list[Partition | BlankEnum]]
    # By default the gold that the project produces.
    source: NotRequired[GoldSource | BlankEnum]
    text_licence: NotRequired[Licence | BlankEnum]
    notes: NotRequired[str]
    funding: NotRequired[str]
    contact: NotRequired[str]
    url: NotRequired[str]
    # Release the images too.
    images: NotRequired[bool]
    # About the topics of the data statement: rationale, origin, speakers, situation, genre,
    # guideline_authors, ethics, personal, uses, misuses, biases, impact, maintenance.
    answers: NotRequired[dict[str, str]]


class SampleRequest(TypedDict):
    """A sample of items that were never published and are in no round."""

    count: int
    # rich chooses those whose expert gold has the most units.
    method: NotRequired[MethodEnum]
    seed: NotRequired[int]
    # Only items with expert gold.
    only_gold: NotRequired[bool]


class NewRoundRequest(TypedDict):
    items: NotRequired[list[str]]
    sample: NotRequired[SampleRequest]
    role: NotRequired[NewRoundRoleEnum]
    title: NotRequired[str]
    # Open to every worker who meets the requirements.
    is_screening: NotRequired[bool]
    after_passing: NotRequired[AfterPassingEnum]


class NewSystemEvaluationRequest(TypedDict):
    """The systems and their reference, which is the project's gold of a source, or files."""

    # A file per system, named after it.
    systems: list[bytes]
    source: NotRequired[GoldSource | BlankEnum]
    # Of the project's gold.
    partition: NotRequired[Partition | BlankEnum]
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
    next: NotRequired[str | None]
    previous: NotRequired[str | None]
    results: list[Batch]


class PaginatedBenchmarkList(TypedDict):
    next: NotRequired[str | None]
    previous: NotRequired[str | None]
    results: list[Benchmark]


class PaginatedCaseList(TypedDict):
    next: NotRequired[str | None]
    previous: NotRequired[str | None]
    results: list[Case]


class PaginatedChangeList(TypedDict):
    next: NotRequired[str | None]
    previous: NotRequired[str | None]
    results: list[Change]


class PaginatedCompensationList(TypedDict):
    next: NotRequired[str | None]
    previous: NotRequired[str | None]
    results: list[Compensation]


class PaginatedDefinitionList(TypedDict):
    next: NotRequired[str | None]
    previous: NotRequired[str | None]
    results: list[Definition]


class PaginatedDeliveryList(TypedDict):
    next: NotRequired[str | None]
    previous: NotRequired[str | None]
    results: list[Delivery]


class PaginatedEntryList(TypedDict):
    next: NotRequired[str | None]
    previous: NotRequired[str | None]
    results: list[Entry]


class PaginatedEvaluationList(TypedDict):
    next: NotRequired[str | None]
    previous: NotRequired[str | None]
    results: list[Evaluation]


class PaginatedExportList(TypedDict):
    next: NotRequired[str | None]
    previous: NotRequired[str | None]
    results: list[Export]


class PaginatedGoldImportList(TypedDict):
    next: NotRequired[str | None]
    previous: NotRequired[str | None]
    results: list[GoldImport]


class PaginatedGoldList(TypedDict):
    next: NotRequired[str | None]
    previous: NotRequired[str | None]
    results: list[Gold]


class PaginatedHeldBonusList(TypedDict):
    next: NotRequired[str | None]
    previous: NotRequired[str | None]
    results: list[HeldBonus]


class PaginatedImportList(TypedDict):
    next: NotRequired[str | None]
    previous: NotRequired[str | None]
    results: list[Import]


class PaginatedInvitationList(TypedDict):
    next: NotRequired[str | None]
    previous: NotRequired[str | None]
    results: list[Invitation]


class PaginatedItemList(TypedDict):
    next: NotRequired[str | None]
    previous: NotRequired[str | None]
    results: list[Item]


class PaginatedLedgerEntryList(TypedDict):
    next: NotRequired[str | None]
    previous: NotRequired[str | None]
    results: list[LedgerEntry]


class PaginatedMemberList(TypedDict):
    next: NotRequired[str | None]
    previous: NotRequired[str | None]
    results: list[Member]


class Pool(TypedDict):
    """The trained workers of a role. `code` names them in requirements."""

    id: int
    role: Role
    code: str
    name: str
    # The number of its workers.
    workers: int
    groups: list[int]


class PaginatedPoolList(TypedDict):
    next: NotRequired[str | None]
    previous: NotRequired[str | None]
    results: list[Pool]


class PoolWorker(TypedDict):
    """A worker who has, or had, the qualification of a pool."""

    worker: str
    state: PoolWorkerStateEnum
    group: int | None
    changed_at: str
    # The reason of a withdrawal, or why the marketplace refused the grant.
    problem: str


class PaginatedPoolWorkerList(TypedDict):
    next: NotRequired[str | None]
    previous: NotRequired[str | None]
    results: list[PoolWorker]


class Project(TypedDict):
    slug: str
    title: str
    scheme: str
    provider: ProviderEnum
    pay_scheme: dict[str, dict[str, int]]
    # The protections against junk that the terms lack. Presets lack none.
    pay_warnings: list[str]
    # The budget limit.
    cap_cents: int | None
    minimum_hourly_cents: int | None
    protocol: ProtocolEnum
    generators_per_item: int
    validators_per_item: int
    validators_to_agree: int
    revision_limit: int
    after_disputes: AfterDisputesEnum
    exclusion_scope: ExclusionScopeEnum
    bonus_timing: BonusTimingEnum
    input_signals: InputSignalsEnum
    suggestions: SuggestionsEnum
    language: str
    shown_context: ShownContextEnum
    seed: int
    archived_at: str | None
    created_at: str


class PaginatedProjectList(TypedDict):
    next: NotRequired[str | None]
    previous: NotRequired[str | None]
    results: list[Project]


class Release(TypedDict):
    """A release. It has an archive once its files are stored."""

    version: str
    source: GoldSource
    released_at: str
    released_by: str
    items: int
    sentences: int
    licence: str
    text_licence: str
    notes: str
    authors: list[Author]
    archive: Archive | None


class PaginatedReleaseList(TypedDict):
    next: NotRequired[str | None]
    previous: NotRequired[str | None]
    results: list[Release]


class Round(TypedDict):
    id: int
    role: Role
    ordinal: int
    kind: RoundKind
    title: str
    entry: EntryEnum
    thresholds: dict[str, float]
    pool_roles: list[Role]
    requirements: list[dict[str, Any]]
    items_per_worker: int | None
    # The number of its items.
    items: int
    # How often it was published.
    publications: int


class PaginatedRoundList(TypedDict):
    next: NotRequired[str | None]
    previous: NotRequired[str | None]
    results: list[Round]


class PaginatedSentenceList(TypedDict):
    next: NotRequired[str | None]
    previous: NotRequired[str | None]
    results: list[Sentence]


class Session(TypedDict):
    """A worker's place in a study."""

    id: int
    # Its id.
    study: int
    worker: str
    state: SessionStateEnum
    arrived_at: str | None
    deadline: str
    finished_at: str | None
    completed_at: str | None
    approved_at: str | None
    issue: IssueEnum
    issue_at: str | None
    # What the provider refused, or empty.
    problem: str


class PaginatedSessionList(TypedDict):
    next: NotRequired[str | None]
    previous: NotRequired[str | None]
    results: list[Session]


class Study(TypedDict):
    """A study: a posting at the provider, whose places are sessions of several HITs."""

    id: int
    title: str
    state: StudyStateEnum
    # The provider's id, or null until the study is created there.
    external_id: str | None
    # Wanted in all.
    places: int
    # Returned and rejected sessions have freed their places.
    taken: int
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
    published_at: str | None
    # What the provider refused, or empty.
    problem: str


class PaginatedStudyList(TypedDict):
    next: NotRequired[str | None]
    previous: NotRequired[str | None]
    results: list[Study]


class QasrlGenerationContextAnswer(TypedDict):
    sentence: str
    start: int
    end: int
    text: NotRequired[str]


class QasrlGenerationAsked(TypedDict):
    question: str
    answers: list[list[int]]
    slots: NotRequired[Any]
    implied: NotRequired[bool | None]
    context_answers: NotRequired[list[QasrlGenerationContextAnswer]]
    picked: NotRequired[int | None]


class QasrlGeneration(TypedDict):
    questions: list[QasrlGenerationAsked]
    no_question: NotRequired[str]
    is_verbal: NotRequired[bool | None]


class QasrlConsolidationContextAnswer(TypedDict):
    sentence: str
    start: int
    end: int
    text: NotRequired[str]


class QasrlConsolidationSource(TypedDict):
    submission: int
    question: int


class QasrlConsolidationJudged(TypedDict):
    question: str
    answers: list[list[int]]
    slots: NotRequired[Any]
    implied: NotRequired[bool | None]
    context_answers: NotRequired[list[QasrlConsolidationContextAnswer]]
    picked: NotRequired[int | None]
    source: QasrlConsolidationSource | None
    verdict: Literal["keep", "invalid", "redundant"]
    same_as: NotRequired[int | None]


class QasrlConsolidation(TypedDict):
    questions: list[QasrlConsolidationJudged]
    is_verbal: NotRequired[bool | None]


class QasrlValidationVerdict(TypedDict):
    question: NotRequired[str]
    slots: NotRequired[Any]
    answers: list[list[int]]
    verdict: Literal["valid", "invalid", "redundant"]
    same_as: NotRequired[int | None]


class QasrlValidation(TypedDict):
    questions: list[QasrlValidationVerdict]


class Step(TypedDict):
    # Active time on the step.
    seconds: int
    moves: int


class Submission(TypedDict):
    id: int
    item: str
    item_id: int
    role: Role
    # The worker's pseudonym, or null for an expert.
    worker: str | None
    state: SubmissionState
    content: dict[str, Any]
    schema_version: int
    problem: str
    opened_at: str
    submitted_at: str
    active_seconds: int
    moves: int
    # The page's steps by name. Empty if the scheme's page has no steps.
    steps: dict[str, Step]
    comment: str


class PaginatedSubmissionList(TypedDict):
    next: NotRequired[str | None]
    previous: NotRequired[str | None]
    results: list[Submission]


class SystemFigure(TypedDict):
    value: float | None
    # The lower end of the 95 % interval.
    low: float | None
    high: float | None


class ScoredSystem(TypedDict):
    name: str
    facts: dict[str, int]
    figures: dict[str, SystemFigure]


class SystemDifference(TypedDict):
    """How far the first system is above the second. Systems are numbers in `systems`, from 0."""

    first: int
    second: int
    measure: str
    value: float | None
    low: float | None
    high: float | None
    p_value: float | None
    # The p-value, adjusted for the number of pairs (Holm).
    adjusted: float | None


class SystemResult(TypedDict):
    items: int
    documents: int
    systems: list[ScoredSystem]
    differences: list[SystemDifference]


class SystemEvaluation(TypedDict):
    """An evaluation. It has a result and files once it has finished."""

    id: int
    state: JobState
    requested_at: str
    ended_at: str | None
    systems: list[str]
    problem: str
    result: SystemResult | None
    files: dict[str, str]


class PaginatedSystemEvaluationList(TypedDict):
    next: NotRequired[str | None]
    previous: NotRequired[str | None]
    results: list[SystemEvaluation]


class Trainee(TypedDict):
    """A worker of a round. `figures` have the trainer's corrections, if there are any."""

    id: int
    worker: str
    state: EnrolmentState
    enrolled_at: str
    # The number of the round's publication that admitted the worker.
    publication: NotRequired[int | None]
    # The newest one.
    evaluation: NotRequired[int | None]
    # Return False while the figures cover only a part of the round.
    is_finished: bool
    figures: dict[str, Any]
    # The thresholds that the figures do not meet.
    unmet: list[str]
    # Whether to pass the worker, or empty.
    suggestion: str
    feedback: FeedbackEnum


class PaginatedTraineeList(TypedDict):
    next: NotRequired[str | None]
    previous: NotRequired[str | None]
    results: list[Trainee]


class Webhook(TypedDict):
    """A webhook. `failing_since` is the first failure after the last delivery that succeeded."""

    id: int
    url: str
    events: list[EventsEnum]
    is_active: bool
    failing_since: str | None
    created_at: str


class PaginatedWebhookList(TypedDict):
    next: NotRequired[str | None]
    previous: NotRequired[str | None]
    results: list[Webhook]


class Work(TypedDict):
    submissions: int
    accepted: int
    rejected: int
    mean_seconds: float | None
    active_seconds: int
    # Confirmed payments, without fees.
    earned_cents: int


class Worker(TypedDict):
    """A worker of the project, by pseudonym, without the marketplace's id."""

    pseudonym: str
    first_seen_at: str
    # Includes agreement experiments and compensation.
    production: Work
    training: Work


class PaginatedWorkerList(TypedDict):
    next: NotRequired[str | None]
    previous: NotRequired[str | None]
    results: list[Worker]


class WorkerNote(TypedDict):
    """A note on a worker, for colleagues. The worker doesn't see it."""

    id: int
    author: str
    text: str
    written_at: str


class PaginatedWorkerNoteList(TypedDict):
    next: NotRequired[str | None]
    previous: NotRequired[str | None]
    results: list[WorkerNote]


class PatchedChangedBatchRequest(TypedDict):
    """The changes of a batch. Fields that are left out stay as they are."""

    # The number of HITs that the top-up keeps open, or null for no top-up.
    keep_open: NotRequired[int | None]
    cap_cents: NotRequired[int | None]
    republish_limit: NotRequired[int]


class PatchedChangedProjectRequest(TypedDict):
    """The changes of a project. Fields that are left out stay as they are."""

    title: NotRequired[str]
    cap_cents: NotRequired[int | None]
    minimum_hourly_cents: NotRequired[int | None]
    # A preset, or the terms of some roles. Others keep theirs.
    pay_scheme: NotRequired[
        Literal["custom", "frames", "grounding", "qasrl-2018", "qasrl-2020"]
        | dict[str, dict[str, int]]
    ]
    # Under consolidation, until items are published.
    generators_per_item: NotRequired[int]
    # Where people who judge annotations must not have annotated.
    exclusion_scope: NotRequired[ExclusionScopeEnum]
    bonus_timing: NotRequired[BonusTimingEnum]
    input_signals: NotRequired[InputSignalsEnum]
    suggestions: NotRequired[SuggestionsEnum]
    shown_context: NotRequired[ShownContextEnum]


class PatchedChangedRoundRequest(TypedDict):
    """The changes of a round. Fields that are left out stay as they are."""

    title: NotRequired[str]
    entry: NotRequired[EntryEnum]
    after_passing: NotRequired[AfterPassingEnum]
    # The value of each figure that suggests a pass. Shares are in [0, 1].
    thresholds: NotRequired[dict[str, float]]
    items_per_worker: NotRequired[int | None]
    approval_rate: NotRequired[int | None]
    hits_approved: NotRequired[int | None]
    locales: NotRequired[list[str]]


class PatchedChangedWebhookRequest(TypedDict):
    url: NotRequired[str]
    events: NotRequired[list[EventsEnum]]
    # While it is false, nothing is sent and new events are not stored.
    is_active: NotRequired[bool]


class PatchedRolesRequest(TypedDict):
    # All roles that the member has from now on.
    roles: NotRequired[list[MemberRole]]


class Quality(TypedDict):
    """Gold of a source compared with gold of another one. Each row has one of them as reference."""

    counted_at: str | None
    # Why there are no figures, or empty.
    problem: str
    source: GoldSource
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

    id: int
    state: JobState
    requested_at: str
    ended_at: str | None
    version: str
    problem: str
    release: Release | None


class RoundItemsRequest(TypedDict):
    """The items of a round: their keys in order, or a sample."""

    items: NotRequired[list[str]]
    sample: NotRequired[SampleRequest]


class RoundPreview(TypedDict):
    """What a publication would cost. Nothing was published."""

    items: int
    workers: int
    # What would be reserved, with bonuses and fees.
    most_cents: int
    items_without_gold: int
    # Before the publication. Null without a budget limit.
    budget_left_cents: int | None


class SchemeProtocol(TypedDict):
    """A protocol, and the roles of the people who work under it."""

    name: str
    summary: str
    roles: list[Role]


class SlotsRequest(TypedDict):
    # How many workers may take part in an open round. Others admit those who wait.
    slots: NotRequired[int]


class Statistics(TypedDict):
    """Counts of the annotated items by group, such as the gold or a partition."""

    counted_at: str | None
    # Why there are no figures, or empty.
    problem: str
    # Of the gold.
    source: str
    groups: dict[str, Any]
    tables: list[dict[str, Any]]
    # How often each category occurs.
    frequencies: dict[str, Any]


class WholeDefinition(TypedDict):
    """A version of the definition with its value, in which all defaults are filled in."""

    version: int
    created_at: str
    # As in the manifest of exports.
    sha256: str
    definition: dict[str, Any]


class WholeEvaluation(TypedDict):
    id: int
    round: int
    worker: str
    # The worker's current state in the round.
    state: EnrolmentState
    rule: str
    cause: CauseEnum
    figures: dict[str, Any]
    corrected_figures: dict[str, Any] | None
    computed_from: dict[str, Any]
    computed_at: str
    alignment: list[dict[str, Any]]


class WholeInvitation(TypedDict):
    """An open invitation. `problem` is the reason if the mail server refused it."""

    id: int
    email: str
    role: MemberRole
    invited_by: str
    created_at: str
    expires_at: str
    sent_at: str | None
    problem: str
    link: str


class WholeRound(TypedDict):
    """A round with its items, and what the next publication needs."""

    id: int
    role: Role
    ordinal: int
    kind: RoundKind
    title: str
    entry: EntryEnum
    thresholds: dict[str, float]
    pool_roles: list[Role]
    requirements: list[dict[str, Any]]
    items_per_worker: int | None
    # The number of its items.
    items: int
    # How often it was published.
    publications: int
    item_keys: list[str]
    # Return how many items need expert gold before the round can be published.
    items_without_gold: int
    # Return the number of workers whom the next publication would admit.
    waiting: int


class WholeScheme(TypedDict):
    """A scheme: what projects can choose, and the form of the content in submissions and gold."""

    name: str
    title: str
    summary: str
    schema_version: int
    # The JSON Schema of each kind of content, such as generation and gold.
    content: dict[str, dict[str, Any]]
    protocols: list[SchemeProtocol]
    pay_presets: dict[str, dict[str, dict[str, int]]]
    # Of imported corpora.
    sentence_formats: list[str]
    # Of imported gold.
    gold_formats: list[str]
    export_formats: list[str]
    searches: dict[str, str]


class WithdrawalRequest(TypedDict):
    workers: list[str]
    # Shown to the worker.
    reason: str
