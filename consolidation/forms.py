"""Forms of batches, submissions, items, reviews, expert queues and resources."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms

from annotation.domain.corpus.item_files import ITEM_HELP
from annotation.enums import BatchState, Partition
from annotation.forms import FilesField
from consolidation.domain.cases.manage_batch import Order
from consolidation.domain.reviews.resolve_conflict import Version
from consolidation.enums import Action, Decision, GoldSource, ItemState
from crowd.domain.money.decide_assignment import check_category, check_reason
from crowd.domain.provider.providers import capabilities_of
from crowd.enums import WORK_CATEGORIES, Provider
from projects.enums import Role
from schemes.contract.resources import Resource
from schemes.contract.values import Json
from schemes.contract.written_resources import Mistake, WrittenResource, WrittenTextError
from web.fields import ANY, CountField, sentence_case, set_choices

MAX_PICKED = 1000  # HITs
MAX_WRITTEN = 256_000  # characters of a resource that is written as text


class GoldUploadForm(forms.Form):
    """A form for files with annotations, in a gold format of the scheme."""

    annotations = FilesField(label="Annotations")
    source = forms.ChoiceField(
        choices=[
            (GoldSource.EXPERT, "An expert’s annotations, the reference for training and quality"),
            (GoldSource.IMPORTED, "A published dataset"),
        ],
        label="What they are",
    )
    fmt = forms.ChoiceField(required=False, label="Format")

    def __init__(self, *args: Any, formats: Sequence[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices = [("", "Detect from the content"), *((fmt, fmt) for fmt in formats)]
        set_choices(self, fmt=choices)


class BatchFilterForm(forms.Form):
    state = forms.ChoiceField(required=False, choices=[ANY, *sentence_case(BatchState.choices)])
    role = forms.ChoiceField(
        required=False,
        label="Step",
        choices=[
            ANY,
            (Role.GENERATOR, "Generation"),
            (Role.CONSOLIDATOR, "Consolidation"),
            (Role.VALIDATOR, "Validation or verification"),
            (Role.REVISER, "Revision"),
        ],
    )

    def wanted(self) -> dict[str, str]:
        """Return the filter. Invalid fields are ignored."""
        self.is_valid()
        return self.cleaned_data


HIT_STATES = [
    ("", "All"),
    ("pending", "To be created"),
    ("live", "Live"),
    ("paused", "Paused"),
    ("finished", "Finished"),
    ("expired", "Expired"),
    ("failed", "Failed"),
    ("withdrawn", "Withdrawn"),
    ("short", "Missing annotations, can be republished"),
]


class HitFilterForm(forms.Form):
    state = forms.ChoiceField(required=False, label="Which", choices=HIT_STATES)

    def wanted(self) -> str:
        self.is_valid()
        return str(self.cleaned_data.get("state", ""))


class ManyBatchesForm(forms.Form):
    """An action on the batches whose ids are in `row`. `seen` is the number of HITs that was shown."""

    action = forms.ChoiceField(
        choices=[(action, action.label) for action in (Action.PAUSE, Action.RESUME, Action.EXPIRE)]
    )
    row = forms.TypedMultipleChoiceField(
        coerce=int, error_messages={"required": "Select at least one batch."}
    )
    seen = forms.IntegerField(required=False)

    def __init__(self, data: Any) -> None:
        super().__init__(data)
        set_choices(self, row=_any_ids(data, "row"))


def _any_ids(data: Any, name: str) -> list[tuple[str, str]]:
    """Return choices for the ids in the data. Ids of other projects select nothing later."""
    ids = [pk for pk in data.getlist(name) if pk.isdecimal() and len(pk) < 19][:MAX_PICKED]
    return [(pk, pk) for pk in ids]


def _out_of_range(message: str) -> dict[str, str]:
    return {"min_value": message, "max_value": message}


class BatchActionForm(forms.Form):
    """An action on the whole batch (`scope` batch) or on HITs.

    The HITs are those in `hit`, or with `all` those that match the filter. `seen` is the number of HITs
    shown to the user.
    """

    action = forms.ChoiceField(choices=Action.choices)
    scope = forms.ChoiceField(choices=[("batch", ""), ("hits", "")])
    state = forms.ChoiceField(required=False, choices=HIT_STATES)
    hit = forms.TypedMultipleChoiceField(required=False, coerce=int)
    all = forms.BooleanField(required=False)
    days = forms.IntegerField(
        min_value=1,
        max_value=365,
        initial=14,
        required=False,
        error_messages=_out_of_range("Extend to 1 to 365 days from now."),
    )
    assignments = forms.IntegerField(
        min_value=1,
        max_value=9,
        initial=1,
        required=False,
        error_messages=_out_of_range("Add 1 to 9 assignments."),
    )
    seen = forms.IntegerField(required=False)

    def __init__(self, data: Any) -> None:
        super().__init__(data)
        set_choices(self, hit=_any_ids(data, "hit"))

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        is_empty = not data.get("hit") and not data.get("all")
        if data.get("scope") == "hits" and is_empty and "hit" not in self.errors:
            self.add_error(None, "Select rows, or all of them.")
        return data

    def order(self) -> Order:
        data = self.cleaned_data
        action, days, assignments = data["action"], data["days"] or 14, data["assignments"] or 1
        return Order(Action(action), days, assignments)


class RejectSessionForm(forms.Form):
    """The reason to reject. Some providers require a number of characters."""

    reason = forms.CharField(
        label="Reason",
        help_text="The worker sees this. Explain what was wrong and what was expected.",
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 3}),
    )

    def __init__(self, data: Any = None, *, provider: str) -> None:
        super().__init__(data)
        self.provider = provider
        field, least = self.fields["reason"], capabilities_of(provider).min_rejection_reason
        if least > 1:
            # Browsers state how many characters are missing.
            field.widget.attrs["minlength"] = least
            label = Provider(provider).label
            field.help_text = f"{field.help_text} {label} requires at least {least} characters."

    def clean_reason(self) -> str:
        reason: str = self.cleaned_data["reason"]
        try:
            check_reason(reason, provider=self.provider)
        except ValueError as error:
            raise forms.ValidationError(str(error)) from None
        return reason


class RejectForm(RejectSessionForm):
    """The reason to reject work, and the category if the provider asks for it."""

    category = forms.ChoiceField(
        label="Category",
        choices=[("", "Choose"), *WORK_CATEGORIES],
        help_text="The worker sees this.",
    )

    def __init__(self, data: Any = None, *, provider: str) -> None:
        super().__init__(data, provider=provider)
        if not capabilities_of(provider).has_rejection_categories:
            del self.fields["category"]


class DecideManyForm(forms.Form):
    """A decision on the submissions whose ids are in `row`. `seen` is the cost that was shown."""

    decision = forms.ChoiceField(choices=Decision.choices)
    row = forms.TypedMultipleChoiceField(
        coerce=int, error_messages={"required": "Select at least one submission."}
    )
    reason = forms.CharField(required=False, max_length=1000)
    category = forms.CharField(required=False)
    seen = forms.IntegerField(required=False)

    def __init__(self, data: Any, *, provider: str) -> None:
        super().__init__(data)
        self.provider = provider
        set_choices(self, row=_any_ids(data, "row"))

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if data.get("decision") == Decision.REJECT:
            try:
                check_reason(data.get("reason", ""), provider=self.provider)
                check_category(data.get("category", ""), provider=self.provider)
            except ValueError as error:
                self.add_error("reason", str(error))
        return data


class WithdrawForm(forms.Form):
    reason = forms.CharField(
        label="Reason",
        help_text="Stored in the log. Workers don't see it.",
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 2}),
    )
    whole_sentence = forms.BooleanField(required=False, label="Withdraw all items of this sentence")


class ConflictForm(forms.Form):
    copy = forms.ChoiceField(
        label="Which copy is correct?",
        choices=[
            (Version.OURS.value, "Touchstone's"),
            (Version.THEIRS.value, "The crowd provider's"),
        ],
        widget=forms.RadioSelect,
    )
    reason = forms.CharField(
        label="Reason",
        help_text="Stored with the submission. The worker doesn't see it.",
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 2}),
    )


class ItemFilterForm(forms.Form):
    state = forms.ChoiceField(required=False, choices=[ANY, *sentence_case(ItemState.choices)])
    domain = forms.ChoiceField(required=False)
    partition = forms.ChoiceField(required=False, choices=[ANY, *sentence_case(Partition.choices)])
    text = forms.CharField(
        required=False,
        max_length=200,
        label="Words",
        widget=forms.TextInput(attrs={"type": "search"}),
    )

    skipped = forms.BooleanField(required=False, label="Skipped only")

    def __init__(
        self, *args: Any, domains: list[str], has_skips: bool = False, **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        set_choices(self, domain=[ANY, *((name, name) for name in domains)])
        if not has_skips:
            del self.fields["skipped"]

    def wanted(self) -> dict[str, Any]:
        """Return the filter. Invalid fields are ignored."""
        self.is_valid()
        return {**self.cleaned_data, "skipped": self.cleaned_data.get("skipped") or None}


class ReopenForm(forms.Form):
    kind = forms.ChoiceField(
        label="What happens",
        choices=[
            ("decide", "Other workers judge the same annotations again"),
            ("annotate", "Other workers annotate the item again"),
        ],
        initial="decide",
        widget=forms.RadioSelect,
    )
    reason = forms.CharField(
        label="Reason",
        help_text="Stored in the log. Workers don't see it.",
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 2}),
    )


class FlagForm(forms.Form):
    reason = forms.CharField(
        label="What is wrong with the item?",
        help_text="For example, an unreadable sentence, or a target that isn't one.",
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 3}),
    )


class DrawReviewsForm(forms.Form):
    """The number of items that are added to the sample of reviewed gold now."""

    count = CountField(min_value=1, max_value=1000, initial=10, label="Items")


CONFIRM_ONLY = [("confirm", "Correct")]


class ReviewForm(forms.Form):
    """An expert's judgment of gold without a correction.

    Only a consolidation can be returned. Validations and verifications are corrected.
    """

    verdict = forms.ChoiceField(
        choices=[*CONFIRM_ONLY, ("return", "Return for another consolidation")],
        widget=forms.RadioSelect,
    )
    comment = forms.CharField(
        required=False,
        max_length=2000,
        label="Comment",
        widget=forms.Textarea(attrs={"rows": 2}),
    )

    def __init__(self, *args: Any, can_return: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not can_return:
            set_choices(self, verdict=CONFIRM_ONLY)


class QueueForm(forms.Form):
    """The items of a new queue. `item_choices` are pairs (value, label)."""

    title = forms.CharField(
        max_length=120,
        help_text="Experts see this title, so it shouldn't reveal who wrote the annotations.",
    )
    items = forms.ChoiceField(label="Items")
    count = CountField(
        required=False, min_value=1, max_value=10_000, initial=50, label="Sample size"
    )
    file = forms.FileField(
        required=False,
        label="File with item ids",
        help_text=f"A table (CSV, Excel or JSON) with the column item. {ITEM_HELP}",
    )

    def __init__(self, *args: Any, item_choices: Sequence[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        set_choices(self, items=item_choices)

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        if cleaned.get("items") == "file" and not cleaned.get("file"):
            self.add_error("file", "Choose a file.")
        if str(cleaned.get("items")).startswith("sample") and not cleaned.get("count"):
            self.add_error("count", "Enter the number of items.")
        return cleaned


class AnnotateQueueForm(QueueForm):
    experts_per_item = forms.IntegerField(
        min_value=1,
        max_value=9,
        initial=1,
        label="Experts per item",
        help_text="Experts don't see each other's annotations.",
    )
    makes_gold = forms.BooleanField(
        required=False,
        initial=True,
        label="Use as expert gold immediately",
        help_text="With one expert per item. Annotations by several experts are merged first. "
        "You can change this later, and use finished annotations as gold.",
    )

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        if cleaned.get("experts_per_item", 1) > 1:
            cleaned["makes_gold"] = False
        return cleaned


class ChosenItemsForm(forms.Form):
    """The queue that gets chosen items: an open annotation queue, or a new one with these settings."""

    queue = forms.ChoiceField(required=False, label="Queue")
    title = forms.CharField(
        required=False,
        max_length=120,
        label="Title of the new queue",
        help_text="Experts see this title, so it shouldn't reveal who wrote the annotations.",
    )
    experts_per_item = AnnotateQueueForm.base_fields["experts_per_item"]
    makes_gold = AnnotateQueueForm.base_fields["makes_gold"]

    def __init__(self, *args: Any, queues: Sequence[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        set_choices(self, queue=[("", "A new queue"), *queues])

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        if not cleaned.get("queue") and not cleaned.get("title"):
            self.add_error("title", "Enter a title, or choose a queue.")
        if cleaned.get("experts_per_item", 1) > 1:
            cleaned["makes_gold"] = False
        return cleaned


class MergeQueueForm(QueueForm):
    sources = forms.MultipleChoiceField(widget=forms.CheckboxSelectMultiple)

    def __init__(self, *args: Any, sources: Mapping[str, str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        set_choices(self, sources=sources.items())


class ResourceForm(forms.Form):
    """A file that becomes a new version of a resource, and the resource's presets and switches."""

    file = forms.FileField(
        required=False,
        label="File or zip archive",
        help_text="Parts missing from the file are kept. Without a file, only the options change.",
    )
    fmt = forms.ChoiceField(label="Format")

    def __init__(self, *args: Any, resource: Resource, value: Json | None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._switches = resource.switches
        self._presets = resource.presets
        set_choices(self, fmt=[(fmt, fmt) for fmt in resource.formats])
        for preset in resource.presets:
            self.fields[f"preset-{preset.key}"] = forms.ChoiceField(
                required=False,
                label=preset.label,
                choices=[
                    ("", "Keep, or take from the file"),
                    *((name, name) for name in preset.values),
                ],
            )
        for switch in resource.switches:
            current = (value or resource.empty or {}).get(switch.key, False)
            self.fields[f"switch-{switch.key}"] = forms.BooleanField(
                required=False, label=switch.label, initial=current
            )

    def switches(self) -> dict[str, bool]:
        """Return the chosen switches by key."""
        return {switch.key: self.cleaned_data[f"switch-{switch.key}"] for switch in self._switches}

    def presets(self) -> dict[str, str]:
        """Return the names of the chosen presets by key."""
        chosen = {preset.key: self.cleaned_data[f"preset-{preset.key}"] for preset in self._presets}
        return {key: name for key, name in chosen.items() if name}


class WrittenResourceForm(forms.Form):
    """The text of a resource, and the version that it changes.

    `value` is what a valid text declares, and `mistakes` are those of an invalid one.
    """

    text = forms.CharField(
        max_length=MAX_WRITTEN,
        strip=False,
        label="Definition",
        error_messages={"required": "Write the definition. An empty text can't be saved."},
        widget=forms.Textarea(
            attrs={
                "rows": 30,
                "wrap": "off",
                "spellcheck": "false",
                "autocapitalize": "off",
                "autocomplete": "off",
            }
        ),
    )
    version = forms.IntegerField(min_value=0, widget=forms.HiddenInput)

    def __init__(self, *args: Any, written: WrittenResource, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.written = written
        self.mistakes: tuple[Mistake, ...] = ()
        self.value: Json = {}

    def clean_text(self) -> str:
        text: str = self.cleaned_data["text"].replace("\r\n", "\n")
        try:
            self.value = self.written.read(text)
        except WrittenTextError as error:
            self.mistakes = error.mistakes
            raise forms.ValidationError("Correct the mistakes below.") from error
        return text


class ResourceSearchForm(forms.Form):
    """A search in the entries of a resource."""

    query = forms.CharField(required=False, max_length=200, label="Search")

    def __init__(self, *args: Any, help_text: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["query"].help_text = help_text
