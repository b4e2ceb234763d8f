"""The forms of the trainer's pages, and of workers' feedback pages."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any, cast

from django import forms
from django.forms.models import model_to_dict
from django.utils.translation import gettext_lazy

from annotation.domain.corpus.item_files import ITEM_HELP
from annotation.domain.publishing.publish import terms_of
from annotation.forms import label_in_units
from crowd.domain.money.pay_scheme import TERM_FIELDS, Terms
from crowd.domain.workers.qualification_requests import MAX_REASON_LENGTH
from projects.domain.schemes import scheme_of
from projects.enums import Role
from projects.models import Guidelines
from qualification.domain.pool.production_groups import MAX_GROUPS
from qualification.domain.rounds.choose_items import MAX_ITEMS, Method
from qualification.domain.rounds.set_up_rounds import PRESETS
from qualification.domain.scores.figures import UNITS_PER_ITEM
from qualification.domain.training.decide import Verdict
from qualification.domain.training.edit_round import Admission, admission_of, pool_roles_after
from qualification.enums import AfterPassing, EnrolmentState, Opinion, RoundEntry
from qualification.models import Round
from schemes.contract.scheme import Scheme
from web.fields import ANY, CountField, sentence_case, set_choices

VERDICTS = [
    (Verdict.PASS, "Pass"),
    (Verdict.REPEAT, "Repeat the round"),
    (Verdict.DECLINE, "Decline"),
    (Verdict.WITHDRAW, "Withdrawn by the worker"),
]
MAX_WORKERS = 1000


class SetUpForm(forms.Form):
    preset = forms.ChoiceField(choices=[(preset, preset) for preset in PRESETS])
    file = forms.FileField(
        required=False,
        label="Items by round",
        help_text="A table (CSV, Excel or JSON) with the columns item and round. "
        f"{ITEM_HELP} Round 0 is the screening.",
    )
    annotations = forms.FileField(
        required=False,
        label="Annotations for consolidators to merge",
        help_text="A gold file with two people's annotations of each item. Its items become the items "
        "of the consolidation round.",
    )

    def clean(self) -> dict[str, Any]:
        files = self.cleaned_data
        if not self.errors and not files.get("file") and not files.get("annotations"):
            raise forms.ValidationError("Choose at least one of the two files.")
        return files


class ChooseItemsForm(forms.Form):
    """How to choose the items of a round."""

    method = forms.ChoiceField(
        choices=[
            (Method.RANDOM, "Sample at random"),
            (Method.RICH, "Those that teach most"),
            (Method.SEARCH, "Search and pick"),
        ],
        label="Choose items",
    )
    count = CountField(min_value=1, max_value=MAX_ITEMS, initial=15, label="Number of items")
    seed = CountField(
        min_value=0,
        max_value=2**31 - 1,
        label="Seed",
        help_text="The same seed gives the same sample.",
    )
    only_gold = forms.BooleanField(required=False, label="Only items with expert gold")
    text = forms.CharField(
        required=False,
        max_length=100,
        label="Search",
        help_text="Consecutive words as in the text, or an id.",
    )


class NewRoundForm(forms.Form):
    role = forms.ChoiceField(
        required=False,
        choices=[(Role.GENERATOR, "Generators"), (Role.CONSOLIDATOR, "Consolidators")],
        label="For",
        help_text="Consolidators merge two annotations of each item, which are made from the expert gold "
        "with errors that generators typically make.",
    )
    title = forms.CharField(max_length=120, label="Title")
    is_screening = forms.BooleanField(
        required=False,
        label="A screening that is open to every worker who meets the project’s requirements",
        help_text="Workers who pass it enter the next round.",
    )
    after_passing = forms.ChoiceField(
        required=False,
        choices=AfterPassing.choices,
        initial=AfterPassing.PRODUCTION,
        widget=forms.RadioSelect,
        label="After passing",
        help_text="The last round admits to production. If you add another round, earlier rounds that "
        "no worker has passed lead to it instead. You can change this later.",
    )

    def __init__(self, data: Any = None, *, consolidates: bool, **options: Any) -> None:
        super().__init__(data, **options)
        if not consolidates:
            del self.fields["role"]

    def clean(self) -> dict[str, Any]:
        data = self.cleaned_data
        if data.get("role") == Role.CONSOLIDATOR and data.get("is_screening"):
            raise forms.ValidationError("A screening is a round for generators.")
        return data

    def opens_pool(self) -> bool:
        """Return the choice. A missing choice is the default, and a screening leads to a round."""
        is_next = self.cleaned_data["after_passing"] == AfterPassing.NEXT_ROUND
        return not is_next and not self.cleaned_data["is_screening"]


class GuidelinesField(forms.ModelChoiceField):
    def label_from_instance(self, obj: Any) -> str:
        return f"version {obj.version}, {obj.written_at:%d %B %Y}"


def _number(label: str, most: int) -> forms.IntegerField:
    return forms.IntegerField(required=False, min_value=0, max_value=most, label=label)


class RoundForm(forms.Form):
    """A form for a round. Ratios are in percent and amounts in cents."""

    title = forms.CharField(max_length=120)
    entry = forms.ChoiceField(choices=sentence_case(RoundEntry.choices), label="Admission")
    approval_rate = _number("Minimum approval rate (percent)", 100)
    hits_approved = _number("Minimum number of approved tasks", 1_000_000)
    locales = forms.CharField(
        required=False,
        max_length=200,
        label="Countries",
        help_text="Two-letter codes separated by spaces, such as US GB CA. Leave empty to allow all.",
    )
    after_passing = forms.ChoiceField(
        required=False,
        choices=AfterPassing.choices,
        widget=forms.RadioSelect,
        label="After passing",
        help_text="Applies to decisions from now on. Workers who have passed before can be admitted on "
        "the round’s page.",
    )
    items_per_worker = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=1000,
        label="Items per worker",
        help_text="Items are split into blocks of this size. Leave empty to give every worker all items.",
    )
    guidelines = GuidelinesField(
        required=False,
        queryset=Guidelines.objects.none(),
        label="Guidelines",
        empty_label="newest version",
    )

    def __init__(self, data: Any = None, *, round: Round) -> None:
        self._round = round
        scheme = scheme_of(round.project)
        self._thresholds = list(thresholds_of(scheme))
        super().__init__(data, initial=_initial(round, self._thresholds))
        for threshold in self._thresholds:
            field = forms.DecimalField(
                required=False, min_value=0, max_value=threshold.most, label=threshold.label
            )
            field.help_text = threshold.explanation
            self.fields[threshold.field] = field
        unit = scheme.vocabulary.unit
        for term in PAY_TERMS:
            most = 100_000 if term.is_amount else 100
            self.fields[term.key] = _number(label_in_units(term.round_label, unit), most)
        guidelines = self.fields["guidelines"]
        assert isinstance(guidelines, forms.ModelChoiceField)
        guidelines.queryset = round.project.guidelines.filter(role=round.role).order_by("-version")

    def pay_fields(self) -> list[forms.BoundField]:
        return [self[term.key] for term in PAY_TERMS]

    def threshold_fields(self) -> list[forms.BoundField]:
        return [self[threshold.field] for threshold in self._thresholds]

    def clean_locales(self) -> tuple[str, ...]:
        locales = tuple(sorted(set(self.cleaned_data["locales"].upper().replace(",", " ").split())))
        if any(len(locale) != 2 or not locale.isalpha() for locale in locales):
            raise forms.ValidationError("Enter each country as two letters, such as US.")
        return locales

    def clean(self) -> dict[str, Any]:
        filled = [term for term in PAY_TERMS if self.cleaned_data.get(term.key) is not None]
        if not self.errors and filled and len(filled) < len(PAY_TERMS):
            raise forms.ValidationError("Fill in all the pay fields, or leave all of them empty.")
        return self.cleaned_data

    def admission(self) -> Admission:
        data = self.cleaned_data
        return Admission(data["approval_rate"], data["hits_approved"], data["locales"])

    def changes(self) -> dict[str, Any]:
        fields = {name: self.cleaned_data[name] for name in MODEL_FIELDS}
        return {
            **fields,
            "thresholds": self._cleaned_thresholds(),
            "terms": self._terms(),
            "pool_roles": pool_roles_after(
                round=self._round, choice=self.cleaned_data["after_passing"]
            ),
        }

    def _cleaned_thresholds(self) -> dict[str, float]:
        """Return the form's thresholds, and those of the round that the form does not have."""
        keys = {threshold.key for threshold in self._thresholds}
        cleaned = {key: value for key, value in self._round.thresholds.items() if key not in keys}
        for threshold in self._thresholds:
            value = self.cleaned_data[threshold.field]
            if value is not None:
                cleaned[threshold.key] = float(value / threshold.scale)
        return cleaned

    def _terms(self) -> Terms | None:
        if self.cleaned_data["reward_cents"] is None:
            return None
        mine = {term.key: self.cleaned_data[term.key] for term in PAY_TERMS}
        return cast(Terms, {**terms_of(self._round.project, self._round.role), **mine})


MODEL_FIELDS = ("title", "entry", "items_per_worker", "guidelines")
# The terms that a round can override.
PAY_TERMS = [term for term in TERM_FIELDS if term.round_label]
MAX_UNITS_PER_ITEM, MAX_OF_A_FIGURE = 20, 1_000_000


@dataclass(frozen=True, slots=True)
class ThresholdField:
    """The field of a threshold. Its value is the threshold times `scale`."""

    key: str
    label: str
    explanation: str = ""
    most: int = MAX_OF_A_FIGURE
    scale: int = 1

    @property
    def field(self) -> str:
        return f"threshold_{self.key}"


def thresholds_of(scheme: Scheme) -> Iterator[ThresholdField]:
    """Yield the fields of a scheme's thresholds."""
    for figure in scheme.comparison.figures:
        bound = "Minimum" if figure.higher_is_better else "Maximum"
        name = f"{bound} {figure.label}"
        if figure.unit == "%":
            name = f"{name} (percent)"
            yield ThresholdField(figure.key, name, figure.explanation, most=100, scale=100)
        else:
            yield ThresholdField(figure.key, name, figure.explanation)
    units = scheme.vocabulary.unit.plural
    yield ThresholdField(UNITS_PER_ITEM, f"Minimum {units} per item", most=MAX_UNITS_PER_ITEM)


def _initial(round: Round, thresholds: list[ThresholdField]) -> dict[str, Any]:
    admission = admission_of(round)
    initial = model_to_dict(round, MODEL_FIELDS) | asdict(admission)
    initial["locales"] = " ".join(admission.locales)
    following = AfterPassing.PRODUCTION if round.pool_roles else AfterPassing.NEXT_ROUND
    initial["after_passing"] = following
    for threshold in thresholds:
        value = round.thresholds.get(threshold.key)
        initial[threshold.field] = None if value is None else f"{threshold.scale * value:g}"
    return initial | {term.key: (round.terms or {}).get(term.key) for term in PAY_TERMS}


class RefuseRequestForm(forms.Form):
    reason = forms.CharField(
        max_length=MAX_REASON_LENGTH, label="Reason for refusing", help_text="The worker sees it."
    )

    def __init__(self, data: Any = None, *, key: int) -> None:
        super().__init__(data, auto_id=f"refuse_{key}_%s")


class DivideForm(forms.Form):
    count = forms.IntegerField(min_value=1, max_value=MAX_GROUPS, label="Number of groups")
    seed = forms.IntegerField(
        min_value=0,
        max_value=2**31 - 1,
        label="Seed",
        help_text="The same pool and seed give the same groups.",
    )


class SlotsForm(forms.Form):
    slots = forms.IntegerField(min_value=1, max_value=MAX_WORKERS)


class DecideForm(forms.Form):
    verdict = forms.ChoiceField(choices=VERDICTS)
    reason = forms.CharField(
        required=False,
        max_length=1000,
        help_text="Stored in the log. Workers don't see it.",
    )
    sends = forms.BooleanField(required=False)
    enrolment = forms.MultipleChoiceField(
        error_messages={"required": "Choose at least one worker."}
    )

    def __init__(self, data: Any, *, choices: list[int]) -> None:
        super().__init__(data)
        set_choices(self, enrolment=[(str(pk), str(pk)) for pk in choices])


class ConcludeForm(forms.Form):
    """A decision on a worker, with the feedback sent or not."""

    verdict = forms.ChoiceField(choices=VERDICTS)
    reason = forms.CharField(required=False, max_length=1000)
    sends = forms.BooleanField(required=False)
    confirmed = forms.BooleanField(required=False)


class OpinionForm(forms.Form):
    opinion = forms.ChoiceField(
        choices=Opinion.choices, widget=forms.RadioSelect, label="Your opinion"
    )
    comment = forms.CharField(
        required=False,
        max_length=2000,
        label="Comment",
        help_text="Trainers see it after the decision. The worker doesn’t.",
        widget=forms.Textarea(attrs={"rows": 2}),
    )


class OverviewFilterForm(forms.Form):
    state = forms.ChoiceField(
        required=False, choices=[ANY, *sentence_case(EnrolmentState.choices)], label="State"
    )
    text = forms.CharField(required=False, max_length=20, label="Worker")


class AddressForm(forms.Form):
    address = forms.EmailField(
        label=gettext_lazy("Your email address"),
        widget=forms.EmailInput(attrs={"autocomplete": "email"}),
    )


class ReplyForm(forms.Form):
    reply = forms.CharField(max_length=2000, widget=forms.Textarea(attrs={"rows": 4}))
