"""What the trainer's pages send."""

from typing import Any, cast

from django import forms

from annotation.domain.publish import terms_of
from annotation.models import Guidelines
from crowd.domain.pay_scheme import Terms
from qualification.domain.decide import Verdict
from qualification.domain.edit_round import Admission, RoundChanges, admission_of
from qualification.domain.production_groups import MOST_GROUPS
from qualification.domain.set_up_rounds import PRESETS
from qualification.enums import EnrolmentState, RoundEntry
from qualification.models import Round

VERDICTS = [
    (Verdict.PASS, "Pass"),
    (Verdict.REPEAT, "Repeat the round"),
    (Verdict.DECLINE, "Decline"),
    (Verdict.WITHDRAW, "Withdrawn by the worker"),
]
MOST_WORKERS = 1000


class SetUpForm(forms.Form):
    preset = forms.ChoiceField(choices=[(one, one) for one in PRESETS])
    file = forms.FileField(
        required=False,
        label="Items of each round",
        help_text="A CSV file with the columns qasrl_id, verb_idx and round (0 is the screening).",
    )
    annotations = forms.FileField(
        required=False,
        label="Annotations for consolidators to merge",
        help_text="A CSV file in the published format with what two people wrote about each verb. "
        "Its verbs are the items of the consolidators' round.",
    )

    def clean(self) -> dict[str, Any]:
        files = self.cleaned_data
        if not self.errors and not files.get("file") and not files.get("annotations"):
            raise forms.ValidationError("Choose at least one of the two files.")
        return files


class GuidelinesField(forms.ModelChoiceField):
    def label_from_instance(self, obj: Any) -> str:
        return f"version {obj.version}, of {obj.written_at:%d %B %Y}"


class RoundForm(forms.Form):
    """A round's page. Ratios are in per cent, money is in cents; an empty pay is the project's."""

    title = forms.CharField(max_length=120)
    entry = forms.ChoiceField(choices=RoundEntry.choices, label="Who may enter")
    approval_rate = forms.IntegerField(
        required=False,
        min_value=0,
        max_value=100,
        label="Work approved so far, at least (per cent)",
    )
    hits_approved = forms.IntegerField(
        required=False, min_value=0, max_value=1_000_000, label="HITs approved so far, at least"
    )
    locales = forms.CharField(
        required=False,
        max_length=200,
        label="Countries",
        help_text="Two capitals each, with blanks between them: US GB CA. Empty: from everywhere.",
    )
    items_per_worker = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=1000,
        label="Items for each worker",
        help_text="Empty: everybody does all of them. Else the items are dealt in hands of this size.",
    )
    ua = forms.DecimalField(
        required=False, min_value=0, max_value=100, label="UA F1, at least (per cent)"
    )
    la = forms.DecimalField(
        required=False, min_value=0, max_value=100, label="LA F1, at least (per cent)"
    )
    questions = forms.DecimalField(
        required=False, min_value=0, max_value=20, label="Questions per item, at least"
    )
    guidelines = GuidelinesField(
        required=False,
        queryset=Guidelines.objects.none(),
        label="Guidelines",
        empty_label="the newest version",
    )
    reward_cents = forms.IntegerField(
        required=False, min_value=0, max_value=100_000, label="Reward of an item (cents)"
    )
    free_units = forms.IntegerField(
        required=False, min_value=0, max_value=100, label="Questions that the reward covers"
    )
    bonus_first_cents = forms.IntegerField(
        required=False, min_value=0, max_value=100_000, label="First question beyond them (cents)"
    )
    bonus_step_cents = forms.IntegerField(
        required=False, min_value=0, max_value=100_000, label="Each further one more by (cents)"
    )

    def __init__(self, data: Any = None, *, round: Round) -> None:
        super().__init__(data, initial=_initial(round))
        self._round = round
        guidelines = self.fields["guidelines"]
        assert isinstance(guidelines, forms.ModelChoiceField)
        guidelines.queryset = round.project.guidelines.filter(role=round.role).order_by("-version")

    def clean_locales(self) -> tuple[str, ...]:
        found = tuple(sorted(set(self.cleaned_data["locales"].upper().replace(",", " ").split())))
        if any(len(one) != 2 or not one.isalpha() for one in found):
            raise forms.ValidationError("Write each country as two letters, such as US.")
        return found

    def clean(self) -> dict[str, Any]:
        given = [name for name in TERMS if self.cleaned_data.get(name) is not None]
        if not self.errors and given and len(given) < len(TERMS):
            raise forms.ValidationError("Fill in all four fields of the pay, or leave all empty.")
        return self.cleaned_data

    def changes(self) -> RoundChanges:
        found = self.cleaned_data
        return RoundChanges(
            title=found["title"],
            entry=found["entry"],
            thresholds=self._thresholds(),
            admission=Admission(found["approval_rate"], found["hits_approved"], found["locales"]),
            items_per_worker=found["items_per_worker"],
            terms=self._terms(),
            guidelines=found["guidelines"],
        )

    def _thresholds(self) -> dict[str, float]:
        """Those of the page over the round's own; one that the page doesn't name stays."""
        kept = {k: v for k, v in self._round.thresholds.items() if k not in THRESHOLDS.values()}
        for field, name in THRESHOLDS.items():
            value = self.cleaned_data[field]
            if value is not None:
                kept[name] = float(value / 100 if name.endswith(".f1") else value)
        return kept

    def _terms(self) -> Terms | None:
        if self.cleaned_data["reward_cents"] is None:
            return None
        allowance = terms_of(self._round.project, self._round.role)["allowance_units"]
        mine = {name: self.cleaned_data[name] for name in TERMS}
        return cast(Terms, {**mine, "allowance_units": allowance})


TERMS = ("reward_cents", "free_units", "bonus_first_cents", "bonus_step_cents")
# Field -> the threshold that it sets.
THRESHOLDS = {"ua": "UA.f1", "la": "LA.f1", "questions": "questions_per_item"}


def _initial(round: Round) -> dict[str, Any]:
    admission = admission_of(round)
    found: dict[str, Any] = {
        "title": round.title,
        "entry": round.entry,
        "approval_rate": admission.approval_rate,
        "hits_approved": admission.hits_approved,
        "locales": " ".join(admission.locales),
        "items_per_worker": round.items_per_worker,
        "guidelines": round.guidelines_id,
    }
    for field, name in THRESHOLDS.items():
        value = round.thresholds.get(name)
        percent = value is not None and name.endswith(".f1")
        found[field] = f"{100 * value:g}" if percent else value
    return found | {name: (round.terms or {}).get(name) for name in TERMS}


class InviteForm(forms.Form):
    workers = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 4}),
        label="Workers to invite",
        help_text="Their ids at the marketplace, with blanks or on lines of their own.",
    )

    def clean_workers(self) -> list[str]:
        ids: list[str] = self.cleaned_data["workers"].replace(",", " ").split()
        if len(ids) > MOST_WORKERS or any(len(one) > 64 or not one.isalnum() for one in ids):
            raise forms.ValidationError(
                f"Up to {MOST_WORKERS} ids of letters and figures, of at most 64 each."
            )
        return sorted(set(ids))


class DivideForm(forms.Form):
    count = forms.IntegerField(min_value=1, max_value=MOST_GROUPS, label="How many groups")
    seed = forms.IntegerField(
        min_value=0,
        max_value=2**31 - 1,
        label="Seed",
        help_text="The same seed divides the same pool in the same way.",
    )


class SeatsForm(forms.Form):
    seats = forms.IntegerField(min_value=1, max_value=MOST_WORKERS)


class DecideForm(forms.Form):
    verdict = forms.ChoiceField(choices=VERDICTS)
    reason = forms.CharField(
        required=False,
        max_length=1000,
        help_text="For the log; the worker does not read it.",
    )
    enrolment = forms.MultipleChoiceField()

    def __init__(self, data: Any, *, choices: list[int]) -> None:
        super().__init__(data)
        field = self.fields["enrolment"]
        assert isinstance(field, forms.MultipleChoiceField)
        field.choices = [(str(one), str(one)) for one in choices]
        field.error_messages["required"] = "Choose at least one worker."


class DeskFilterForm(forms.Form):
    state = forms.ChoiceField(
        required=False, choices=[("", "any state"), *EnrolmentState.choices], label="State"
    )
    text = forms.CharField(required=False, max_length=20, label="Worker")


class AddressForm(forms.Form):
    address = forms.EmailField(
        label="Your e-mail address",
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
    )


class QuestionForm(forms.Form):
    question = forms.CharField(max_length=2000, widget=forms.Textarea(attrs={"rows": 4}))
