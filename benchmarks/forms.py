"""Forms of benchmarks: opening one, registering a team, and sending an entry."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any

from django import forms
from django.forms import BoundField
from django.utils import timezone

from annotation.enums import Partition
from benchmarks.domain.open_benchmark import MAX_RULES, BenchmarkTerms, PhaseTerms
from benchmarks.domain.queries import ORDER
from benchmarks.enums import PhaseKind
from benchmarks.models import Benchmark
from schemes.contract.scoring import SystemScoring
from web.fields import CountField, set_choices

_NO_PARTITION = "none"
_FORMAT = "%Y-%m-%dT%H:%M"
MAX_ENTRIES = 10_000
_DAYS = {PhaseKind.DEVELOPMENT: (0, 30), PhaseKind.TEST: (30, 37)}
_LIMITS = {PhaseKind.DEVELOPMENT: (10, 200), PhaseKind.TEST: (2, 5)}
_FIELDS = ("partitions", "starts_at", "ends_at", "max_per_day", "max_total", "shows_scores")


class BenchmarkForm(forms.Form):
    """A benchmark and its phases. A phase without partitions is left out."""

    title = forms.CharField(max_length=200)
    rules = forms.CharField(
        required=False,
        max_length=MAX_RULES,
        widget=forms.Textarea(attrs={"rows": 8}),
        help_text="Markdown. Who may take part, which data may be used, and what teams must publish.",
    )
    ranked_by = forms.ChoiceField(label="Rank systems by")
    has_public_leaderboard = forms.BooleanField(
        required=False, initial=True, label="Anyone can read the leaderboard"
    )

    def __init__(
        self,
        *args: Any,
        scoring: SystemScoring,
        partitions: Sequence[str],
        benchmark: Benchmark | None = None,
        title: str = "",
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        main = [(m.key, m.title) for m in scoring.measures if m.is_main]
        choices = [
            (name or _NO_PARTITION, Partition(name).label if name else "No partition")
            for name in partitions
        ]
        for kind in ORDER:
            self.fields |= _phase_fields(kind)
            set_choices(self, **{f"{kind}_partitions": choices})
        set_choices(self, ranked_by=main)
        self.initial = {**_initial(benchmark, scoring, title, partitions), **self.initial}

    def general_fields(self) -> list[BoundField]:
        return [self[name] for name in ("title", "rules", "ranked_by", "has_public_leaderboard")]

    def phase_fields(self) -> Iterator[tuple[str, list[BoundField]]]:
        for kind in ORDER:
            yield f"{kind.label.capitalize()} phase", [self[f"{kind}_{name}"] for name in _FIELDS]

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        for kind in ORDER:
            if data.get(f"{kind}_partitions"):
                for name in _FIELDS[1:-1]:
                    field = f"{kind}_{name}"
                    if data.get(field) is None and field not in self.errors:
                        self.add_error(field, "This field is required for the phase.")
        return data

    def terms(self) -> BenchmarkTerms:
        """Return what was entered in a valid form."""
        data = self.cleaned_data
        phases = [
            PhaseTerms(
                kind=kind.value,
                partitions=[
                    "" if name == _NO_PARTITION else name for name in data[f"{kind}_partitions"]
                ],
                **{name: data[f"{kind}_{name}"] for name in _FIELDS[1:]},
            )
            for kind in ORDER
            if data[f"{kind}_partitions"]
        ]
        return BenchmarkTerms(
            title=data["title"],
            rules=data["rules"],
            ranked_by=data["ranked_by"],
            has_public_leaderboard=data["has_public_leaderboard"],
            phases=phases,
        )


def _phase_fields(kind: PhaseKind) -> dict[str, forms.Field]:
    of_kind = {
        PhaseKind.DEVELOPMENT: "Leave all out for a benchmark without this phase.",
        PhaseKind.TEST: "Their gold should not be public anywhere.",
    }
    fields = {
        "partitions": forms.MultipleChoiceField(
            required=False,
            label="Items",
            widget=forms.CheckboxSelectMultiple,
            help_text=of_kind[kind],
        ),
        "starts_at": _moment_field("Start (UTC)"),
        "ends_at": _moment_field("End (UTC)"),
        "max_per_day": CountField(
            required=False, min_value=1, max_value=MAX_ENTRIES, label="Entries per team and day"
        ),
        "max_total": CountField(
            required=False, min_value=1, max_value=MAX_ENTRIES, label="Entries per team in total"
        ),
        "shows_scores": forms.BooleanField(
            required=False, label="Show scores before the end of the phase"
        ),
    }
    return {f"{kind}_{name}": field for name, field in fields.items()}


def _moment_field(label: str) -> forms.DateTimeField:
    return forms.DateTimeField(
        required=False,
        label=label,
        input_formats=[_FORMAT, "%Y-%m-%d %H:%M"],
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format=_FORMAT),
    )


def _initial(
    benchmark: Benchmark | None, scoring: SystemScoring, title: str, partitions: Sequence[str]
) -> dict[str, Any]:
    today = timezone.now().replace(hour=0, minute=0, second=0, microsecond=0)
    values: dict[str, Any] = {"title": title, "ranked_by": scoring.ranked_by}
    usual = {PhaseKind.DEVELOPMENT: "dev", PhaseKind.TEST: "test"}
    for kind in ORDER:
        first, last = _DAYS[kind]
        chosen = [usual[kind]] if usual[kind] in partitions and benchmark is None else []
        values |= {
            f"{kind}_partitions": chosen,
            f"{kind}_starts_at": today + timedelta(days=first),
            f"{kind}_ends_at": today + timedelta(days=last),
            f"{kind}_max_per_day": _LIMITS[kind][0],
            f"{kind}_max_total": _LIMITS[kind][1],
            f"{kind}_shows_scores": kind == PhaseKind.DEVELOPMENT,
        }
    return {**values, **(_stored(benchmark) if benchmark else {})}


def _stored(benchmark: Benchmark) -> Mapping[str, Any]:
    names = ("title", "rules", "ranked_by", "has_public_leaderboard")
    values = {name: getattr(benchmark, name) for name in names}
    for phase in benchmark.phases.all():
        values |= {f"{phase.kind}_{name}": getattr(phase, name) for name in _FIELDS}
        values[f"{phase.kind}_partitions"] = [name or _NO_PARTITION for name in phase.partitions]
    return values


class TeamForm(forms.Form):
    name = forms.CharField(max_length=80, label="Team name", help_text="On the leaderboard.")
    affiliation = forms.CharField(
        required=False, max_length=200, help_text="On the leaderboard, for example a university."
    )
    description = forms.CharField(
        required=False,
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 2}),
        label="About the team",
        help_text="For the organisers.",
    )


class EntryForm(forms.Form):
    """An entry. `phases` are those that accept entries."""

    phase = forms.ChoiceField()
    variant = forms.ChoiceField(label="Task")
    system = forms.CharField(
        max_length=80, label="System", help_text="Its name on the leaderboard."
    )
    description = forms.CharField(
        required=False,
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 2}),
        label="About the system",
        help_text="On the page of the entry, for you and the organisers.",
    )
    file = forms.FileField(label="Predictions")

    def __init__(
        self, *args: Any, scoring: SystemScoring, phases: Sequence[Any], **kwargs: Any
    ) -> None:
        super().__init__(*args, **kwargs)
        choices = [(phase.kind, phase.get_kind_display().capitalize()) for phase in phases]
        set_choices(self, phase=choices, variant=scoring.variants.items())
        self.fields["file"].help_text = scoring.file_help
        if not scoring.variants:
            del self.fields["variant"]


class BaselineForm(EntryForm):
    """The entry of a baseline, which organisers add."""

    field_order = ("name", "phase")
    name = forms.CharField(
        max_length=80, label="Baseline", help_text="Its name on the leaderboard."
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["system"].help_text = "For example the version of the program."


class ReasonForm(forms.Form):
    reason = forms.CharField(max_length=500)
