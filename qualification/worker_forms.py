"""Forms for notes on workers, compensations and erasure."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any, Self

from django import forms

from annotation.domain.work.compensate import MAX_CENTS
from crowd.domain.workers.write_messages import MAX_SUBJECT_LENGTH, MAX_TEXT_LENGTH
from projects.domain.label_worker import MAX_TAG_LENGTH, MAX_TAGS, split_tags
from projects.models import WorkerLabel
from qualification.domain.pool.erase_worker import Erasure


class CompensateForm(forms.Form):
    """A form for a payment for lost or expired work."""

    amount = forms.DecimalField(
        label="Amount (dollars)",
        min_value=Decimal("0.01"),
        max_value=Decimal(MAX_CENTS) / 100,
        max_digits=7,
        decimal_places=2,
    )
    key = forms.CharField(
        label="Purpose",
        help_text="For example, the id of the lost assignment. Each purpose is paid only once.",
        max_length=120,
    )
    reason = forms.CharField(
        label="Reason",
        help_text="Shown to the worker.",
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 3}),
    )

    def cents(self) -> int:
        return int(self.cleaned_data["amount"] * 100)


class MessageForm(forms.Form):
    subject = forms.CharField(max_length=MAX_SUBJECT_LENGTH)
    text = forms.CharField(
        max_length=MAX_TEXT_LENGTH,
        label="Message",
        widget=forms.Textarea(attrs={"rows": 8}),
    )


class WithdrawWorkersForm(forms.Form):
    reason = forms.CharField(
        label="Reason",
        help_text="The workers see this.",
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 3}),
    )


class NoteForm(forms.Form):
    text = forms.CharField(
        max_length=2000,
        label="Note",
        help_text="Only visible to project members.",
        widget=forms.Textarea(attrs={"rows": 2}),
    )


class LabelForm(forms.Form):
    """A worker's nickname and tags."""

    nickname = forms.CharField(
        max_length=60,
        required=False,
        label="Nickname",
        help_text="Shown beside the pseudonym, to project members only. It's deleted if the worker is "
        "erased.",
    )
    tags = forms.CharField(
        max_length=300,
        required=False,
        label="Tags",
        help_text="Separated by commas, for example “fast, pilot”.",
    )

    @classmethod
    def of(cls, label: WorkerLabel | None) -> Self:
        """Return the unbound form of a worker's label."""
        initial = {"nickname": label.nickname, "tags": ", ".join(label.tags)} if label else {}
        return cls(initial=initial)

    def clean_nickname(self) -> str:
        return " ".join(self.cleaned_data["nickname"].split())

    def clean_tags(self) -> list[str]:
        tags = split_tags(self.cleaned_data["tags"])
        if len(tags) > MAX_TAGS or any(len(tag) > MAX_TAG_LENGTH for tag in tags):
            raise forms.ValidationError(
                f"Enter up to {MAX_TAGS} tags of at most {MAX_TAG_LENGTH} characters each."
            )
        return tags


class WorkerFilterForm(forms.Form):
    text = forms.CharField(
        required=False,
        max_length=60,
        label="Worker",
        widget=forms.TextInput(attrs={"type": "search"}),
    )
    tag = forms.ChoiceField(required=False, label="Tag")

    def __init__(self, data: Any, *, tags: Sequence[str]) -> None:
        super().__init__(data)
        self.fields["tag"].choices = [("", "Any"), *((tag, tag) for tag in tags)]  # type: ignore[attr-defined]


class EraseForm(forms.Form):
    how = forms.ChoiceField(
        label="Extent",
        choices=[
            (Erasure.PSEUDONYMISE, "Pseudonymise: delete the crowd provider’s id"),
            (Erasure.ERASE, "Erase: also replace the pseudonym and delete all texts by the worker"),
        ],
        widget=forms.RadioSelect,
    )
    reason = forms.CharField(
        max_length=500,
        label="Reason",
        help_text="For example, “Requested on 3 May”. This is stored in the log, so don't include names.",
    )
