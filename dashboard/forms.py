"""What the office types in, checked at the edge."""

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, cast

from django import forms
from django.core.validators import MaxValueValidator, RegexValidator
from django.db.models import QuerySet
from django.utils.text import slugify

from annotation.domain.batch_figures import BatchFilter
from annotation.domain.change_project import ProjectSettings
from annotation.domain.choose_copy import Copy
from annotation.domain.compensate import MOST_CENTS
from annotation.domain.publish import AUTO_APPROVAL_SECONDS, REOFFER_LIMIT
from annotation.domain.steer_batch import MOST_REOFFERS
from annotation.enums import BatchState, ExclusionScope, Partition, Role, TokenScope
from annotation.models import Project
from consolidation.domain.decide_match import DecisionRefused
from consolidation.domain.queries import ItemFilter, ItemState
from consolidation.domain.search_gold import GoldFilter, GoldState
from consolidation.domain.steer import Order
from consolidation.enums import Action, GoldSource
from crowd.domain.pay_scheme import PRESETS
from crowd.domain.qualifications import system_requirements
from crowd.domain.queries import LedgerFilter
from crowd.enums import LedgerKind
from crowd.models import Worker
from dashboard.project_log import KINDS, LogFilter
from qualification.domain.forget_person import Forgetting
from schemes.registry import SCHEMES

ANY = ("", "any")
MOST_PICKED = 1000


class PublishForm(forms.Form):
    """How many HITs, and for whom. `unoffered` is what the asker saw: had it changed, ask again."""

    count = forms.IntegerField(min_value=1, label="How many HITs")
    pool = forms.ChoiceField(
        label="Who may take them",
        choices=[("pool", "the trained pool only"), ("open", "any worker of the marketplace")],
        widget=forms.RadioSelect,
    )
    auto_approval_hours = forms.IntegerField(
        label="Hours until work that nobody has decided is approved",
        help_text="Recorded with the batch; it can't be changed once the HITs are made.",
        required=False,
        min_value=1,
        max_value=720,
        initial=72,
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
    )
    reoffer_limit = forms.IntegerField(
        label="How often an item that comes back short is offered again by itself",
        help_text="After a rejection, an expiry or work set aside. 0: never.",
        required=False,
        min_value=0,
        max_value=MOST_REOFFERS,
        initial=3,
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
    )
    unoffered = forms.IntegerField(required=False, widget=forms.HiddenInput)

    def __init__(
        self,
        *args: Any,
        unoffered: int,
        has_pool: bool,
        groups: Sequence[int] = (),
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        count = self.fields["count"]
        assert isinstance(count, forms.IntegerField)
        count.max_value = unoffered
        count.validators.append(_at_most(unoffered))
        count.widget.attrs |= {"max": unoffered, "inputmode": "numeric"}
        count.initial = min(unoffered, 100)
        if has_pool:
            pool = self.fields["pool"]
            assert isinstance(pool, forms.ChoiceField)
            pool.initial = "pool"
            pool.choices = [
                *cast(list[tuple[str, str]], pool.choices),
                *((f"group-{one}", f"group {one} of the trained pool") for one in groups),
            ]
        else:
            del self.fields["pool"]

    def clean_auto_approval_hours(self) -> int:
        given = self.cleaned_data["auto_approval_hours"]
        return AUTO_APPROVAL_SECONDS // 3600 if given is None else int(given)

    def clean_reoffer_limit(self) -> int:
        given = self.cleaned_data["reoffer_limit"]
        return REOFFER_LIMIT if given is None else int(given)

    def group(self) -> int | None:
        """The production group chosen, if one was."""
        chosen: str = self.cleaned_data.get("pool", "")
        return int(chosen.removeprefix("group-")) if chosen.startswith("group-") else None


def _at_most(unoffered: int) -> MaxValueValidator:
    return MaxValueValidator(unoffered, f"There are {unoffered:,} items left to publish.")


class BatchFilterForm(forms.Form):
    state = forms.ChoiceField(required=False, choices=[ANY, *BatchState.choices])
    role = forms.ChoiceField(
        required=False,
        label="Step",
        choices=[ANY, (Role.GENERATOR, "generation"), (Role.CONSOLIDATOR, "consolidation")],
    )

    def wanted(self) -> BatchFilter:
        """The filter; fields that hold nothing usable filter nothing."""
        self.is_valid()
        return BatchFilter(**self.cleaned_data)


HIT_STATES = [
    ("", "all"),
    ("pending", "to be made"),
    ("live", "live"),
    ("paused", "paused"),
    ("finished", "finished"),
    ("expired", "expired"),
    ("failed", "refused by the marketplace"),
    ("withdrawn", "withdrawn"),
    ("short", "short of work, can be offered again"),
]


class HitFilterForm(forms.Form):
    """Which of a batch's HITs to list."""

    state = forms.ChoiceField(required=False, label="Which", choices=HIT_STATES)

    def wanted(self) -> str:
        self.is_valid()
        return str(self.cleaned_data.get("state", ""))


class SteerForm(forms.Form):
    """An order for a whole batch (`scope` batch), for HITs picked one by one (`hit`), or, where none is
    picked, for all that the filter shows. `seen` is how many HITs the asker was told."""

    action = forms.ChoiceField(choices=Action.choices)
    scope = forms.ChoiceField(choices=[("batch", ""), ("hits", "")])
    state = forms.ChoiceField(required=False, choices=HIT_STATES)
    hit = forms.TypedMultipleChoiceField(required=False, coerce=int)
    days = forms.IntegerField(
        min_value=1,
        max_value=365,
        initial=14,
        required=False,
        error_messages={
            "min_value": "Extend to 1 to 365 days from now.",
            "max_value": "Extend to 1 to 365 days from now.",
        },
    )
    assignments = forms.IntegerField(
        min_value=1,
        max_value=9,
        initial=1,
        required=False,
        error_messages={
            "min_value": "Add 1 to 9 assignments.",
            "max_value": "Add 1 to 9 assignments.",
        },
    )
    seen = forms.IntegerField(required=False)

    def __init__(self, data: Any) -> None:
        super().__init__(data)
        picked = self.fields["hit"]
        assert isinstance(picked, forms.TypedMultipleChoiceField)
        # Any numbers: those of other batches' HITs pick nothing.
        picked.choices = [(one, one) for one in data.getlist("hit") if one.isdecimal()][
            :MOST_PICKED
        ]

    def order(self) -> Order:
        given = self.cleaned_data
        return Order(
            Action(given["action"]),
            days=given["days"] or 14,
            assignments=given["assignments"] or 1,
        )


class TermsForm(forms.Form):
    """What of a batch's terms can be changed while it is out."""

    keep_open = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=100_000,
        label="HITs to keep open",
        help_text="More items are offered whenever fewer are open. Empty: no top-up.",
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
    )
    reoffer_limit = forms.IntegerField(
        min_value=0,
        max_value=MOST_REOFFERS,
        label="Offer an item again by itself, at most so often",
        help_text="After a rejection, an expiry or work set aside. 0: never.",
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
    )
    cap = forms.DecimalField(
        required=False,
        min_value=0,
        max_digits=9,
        decimal_places=2,
        label="The batch's cap, in dollars",
        help_text="For its HITs and bonuses together, under the project's cap. Empty: none.",
    )

    def __init__(self, *args: Any, can_top_up: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not can_top_up:
            del self.fields["keep_open"]

    def cap_cents(self) -> int | None:
        cap = self.cleaned_data["cap"]
        return None if cap is None else int(cap * 100)


class OverturnForm(forms.Form):
    reason = forms.CharField(
        label="Why",
        help_text="What the worker says in the appeal, or what was overlooked. Kept with the work.",
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 2}),
    )
    use = forms.ChoiceField(
        choices=[("yes", "Pay it and use the work"), ("no", "Pay it, leave the work out")],
    )


class CompensateForm(forms.Form):
    """Money for work that no HIT can pay."""

    amount = forms.DecimalField(
        label="Amount, in dollars",
        min_value=Decimal("0.01"),
        max_value=Decimal(MOST_CENTS) / 100,
        max_digits=7,
        decimal_places=2,
    )
    key = forms.CharField(
        label="For what",
        help_text="Such as the lost assignment's number: the same is paid once.",
        max_length=120,
    )
    reason = forms.CharField(
        label="Reason",
        help_text="The worker reads this.",
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 3}),
    )

    def cents(self) -> int:
        return int(self.cleaned_data["amount"] * 100)


class RejectForm(forms.Form):
    reason = forms.CharField(
        label="Reason",
        help_text="The worker reads this. Say what was missing and what would have been right.",
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 3}),
    )


class CopyForm(forms.Form):
    """Which of two copies stands."""

    copy = forms.ChoiceField(
        label="Which copy stands?",
        choices=[(Copy.OURS.value, "ours"), (Copy.THEIRS.value, "the marketplace's")],
        widget=forms.RadioSelect,
    )
    reason = forms.CharField(
        label="Why",
        help_text="Kept with the work. Its worker doesn't read it.",
        max_length=1000,
        widget=forms.Textarea(attrs={"rows": 2}),
    )


class ItemFilterForm(forms.Form):
    state = forms.ChoiceField(
        required=False, choices=[ANY, *((one.value, one.label) for one in ItemState)]
    )
    domain = forms.ChoiceField(required=False)
    partition = forms.ChoiceField(required=False, choices=[ANY, *Partition.choices])
    text = forms.CharField(
        required=False,
        max_length=200,
        label="Words",
        widget=forms.TextInput(attrs={"type": "search"}),
    )

    def __init__(self, *args: Any, domains: list[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        domain = self.fields["domain"]
        assert isinstance(domain, forms.ChoiceField)
        domain.choices = [ANY, *((one, one) for one in domains)]

    def wanted(self) -> ItemFilter:
        """The filter; fields that hold nothing usable filter nothing."""
        self.is_valid()
        return ItemFilter(**self.cleaned_data)


class GoldFilterForm(forms.Form):
    question = forms.CharField(
        required=False,
        max_length=200,
        widget=forms.TextInput(attrs={"type": "search"}),
    )
    verb = forms.CharField(required=False, max_length=60)
    worker = forms.CharField(required=False, max_length=20)
    state = forms.ChoiceField(
        required=False, choices=[ANY, *((one.value, one.label) for one in GoldState)]
    )
    source = forms.ChoiceField(required=False, choices=[ANY, *GoldSource.choices])
    domain = forms.ChoiceField(required=False)
    partition = forms.ChoiceField(required=False, choices=[ANY, *Partition.choices])

    def __init__(self, *args: Any, domains: list[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        domain = self.fields["domain"]
        assert isinstance(domain, forms.ChoiceField)
        domain.choices = [ANY, *((one, one) for one in domains)]

    def wanted(self) -> GoldFilter:
        """The filter; fields that hold nothing usable filter nothing."""
        self.is_valid()
        return GoldFilter(**self.cleaned_data)


class LedgerFilterForm(forms.Form):
    kind = forms.ChoiceField(required=False, choices=[ANY, *LedgerKind.choices])
    pseudonym = forms.CharField(required=False, max_length=20, label="Worker")
    first_day = forms.DateField(
        required=False, label="From", widget=forms.DateInput(attrs={"type": "date"})
    )
    last_day = forms.DateField(
        required=False, label="To", widget=forms.DateInput(attrs={"type": "date"})
    )

    def wanted(self) -> LedgerFilter:
        """The filter; fields that hold nothing usable filter nothing."""
        self.is_valid()
        return LedgerFilter(**self.cleaned_data)


class LogFilterForm(forms.Form):
    kind = forms.ChoiceField(
        required=False,
        label="What",
        choices=[ANY, *((label, kind.name) for label, kind in KINDS.items())],
    )
    actor = forms.CharField(required=False, max_length=150, label="Who")
    first_day = forms.DateField(
        required=False, label="From", widget=forms.DateInput(attrs={"type": "date"})
    )
    last_day = forms.DateField(
        required=False, label="To", widget=forms.DateInput(attrs={"type": "date"})
    )

    def wanted(self) -> LogFilter:
        """The filter; fields that hold nothing usable filter nothing."""
        self.is_valid()
        return LogFilter(**self.cleaned_data)


class ExportForm(forms.Form):
    """Which gold, in which format. `items` counts the items with gold by source, `sections` are the
    pairs (domain, partition) of the project's sentences."""

    source = forms.ChoiceField(label="Gold (items)")
    fmt = forms.ChoiceField(label="Format")
    domain = forms.ChoiceField(required=False)
    partition = forms.ChoiceField(required=False)
    licence = forms.CharField(
        required=False,
        max_length=80,
        label="Licence (SPDX)",
        validators=[
            RegexValidator(r"^[A-Za-z0-9.+-]*$", "An SPDX identifier, such as CC-BY-SA-4.0.")
        ],
    )

    def __init__(
        self,
        *args: Any,
        formats: Sequence[str],
        items: Mapping[str, int],
        sections: Sequence[tuple[str, str]],
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        source, fmt = self.fields["source"], self.fields["fmt"]
        assert isinstance(source, forms.ChoiceField)
        assert isinstance(fmt, forms.ChoiceField)
        for at, name in enumerate(("domain", "partition")):
            field = self.fields[name]
            assert isinstance(field, forms.ChoiceField)
            field.choices = [ANY, *((one, one) for one in sorted({s[at] for s in sections} - {""}))]
        source.choices = [
            (one.value, f"{one.label} ({items[one.value]:,})")
            for one in GoldSource
            if one.value in items
        ]
        fmt.choices = [(one, one) for one in formats]


class ProjectsField(forms.ModelMultipleChoiceField):
    def label_from_instance(self, obj: Project) -> str:
        return obj.title


class TokenForm(forms.Form):
    """A token of the API: what it is for, what it may do, where and how long."""

    name = forms.CharField(
        max_length=60, label="Name", help_text="What will use it, such as nightly export."
    )
    scopes = forms.MultipleChoiceField(
        choices=TokenScope.choices,
        initial=[TokenScope.READ],
        label="What it may do",
        widget=forms.CheckboxSelectMultiple,
    )
    reach = forms.ChoiceField(
        choices=[("all", "All of my projects, future ones too"), ("some", "Only these:")],
        initial="some",
        label="Where",
        widget=forms.RadioSelect,
    )
    projects = ProjectsField(
        queryset=Project.objects.none(),
        required=False,
        label="Projects",
        widget=forms.CheckboxSelectMultiple,
    )
    days = forms.TypedChoiceField(
        choices=[(30, "30 days"), (90, "90 days"), (365, "a year"), (0, "until it is revoked")],
        initial=90,
        coerce=int,
        label="For how long",
    )

    def __init__(self, *args: Any, projects: QuerySet[Project], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["projects"]
        assert isinstance(field, ProjectsField)
        field.queryset = projects

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        if given.get("reach") == "some" and "projects" in given and not given["projects"]:
            self.add_error("projects", "Choose at least one project, or all of them.")
        return given


class ExperimentForm(forms.Form):
    """How many items are done again, how, and by whom."""

    count = forms.IntegerField(
        min_value=1,
        max_value=500,
        initial=20,
        label="Items",
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
    )
    design = forms.ChoiceField(label="Done again by")
    workers = forms.CharField(
        required=False,
        max_length=2000,
        label="Only these workers",
        widget=forms.TextInput(attrs={"placeholder": "the whole trained pool"}),
    )

    def __init__(self, *args: Any, triplets: int, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        design = self.fields["design"]
        assert isinstance(design, forms.ChoiceField)
        design.choices = [
            ("team", f"{triplets} generators and a consolidator"),
            *((str(many), f"{many} generator{'' if many == 1 else 's'}") for many in range(1, 10)),
        ]

    def generators(self) -> int | None:
        """How many for each item; None for a whole team."""
        design = self.cleaned_data["design"]
        return None if design == "team" else int(design)

    def clean_workers(self) -> list[Worker]:
        names = {one.strip().upper() for one in self.cleaned_data["workers"].split(",")} - {""}
        found = list(Worker.objects.filter(pseudonym__in=names).order_by("pseudonym"))
        if unknown := sorted(names - {one.pseudonym for one in found}):
            raise forms.ValidationError(f"There is no worker {unknown[0]}.")
        return found


class QualityForm(forms.Form):
    """Which gold, by which reference. `sources` counts the items with gold by source."""

    source = forms.ChoiceField(
        required=False, label="Gold (items)", initial=GoldSource.CONSOLIDATED
    )
    against = forms.ChoiceField(required=False, label="Reference", initial=GoldSource.EXPERT)

    def __init__(self, *args: Any, sources: Mapping[str, int], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name in ("source", "against"):
            field = self.fields[name]
            assert isinstance(field, forms.ChoiceField)
            field.choices = [
                (one.value, f"{one.label} ({sources.get(one.value, 0):,})") for one in GoldSource
            ]
        # Shown as chosen where nothing was asked for.
        self.data = {name: self.fields[name].initial for name in self.fields} | {
            name: value for name, value in self.data.items() if value
        }


class DecisionForm(forms.Form):
    """A person's word on a pair of answers (`word`: kind|start-end|start-end; of a missed answer the
    second comes from `with-<first>`), or a decision to take back."""

    source = forms.ChoiceField(choices=GoldSource.choices)
    against = forms.ChoiceField(choices=GoldSource.choices)
    word = forms.CharField(required=False, max_length=60)
    take_back = forms.IntegerField(required=False, min_value=1, max_value=2**62)
    reason = forms.CharField(required=False, max_length=1000)

    def decision(self) -> dict[str, Any]:
        """The keywords of `decide_match`. Raises DecisionRefused."""
        kind, reference, predicted = [*self.cleaned_data["word"].split("|"), "", ""][:3]
        return {
            "kind": kind,
            "reference_span": _span(reference),
            "predicted_span": _span(predicted or self.data.get(f"with-{reference}", "")),
            "reason": self.cleaned_data["reason"],
        }


class CompareForm(forms.Form):
    """Which other project to hold this one against."""

    other = forms.ChoiceField(label="Held against")

    def __init__(self, *args: Any, projects: Sequence[Project], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        other = self.fields["other"]
        assert isinstance(other, forms.ChoiceField)
        other.choices = [
            (one.slug, f"{one.title} ({one.get_protocol_display()})") for one in projects
        ]


class ReviewForm(forms.Form):
    """An expert's word on one gold annotation that they do not correct."""

    verdict = forms.ChoiceField(
        choices=[
            ("confirm", "Right as it stands"),
            ("return", "Return it: it has to be consolidated again"),
        ],
        widget=forms.RadioSelect,
    )
    comment = forms.CharField(
        required=False,
        max_length=2000,
        label="What was wrong",
        widget=forms.Textarea(attrs={"rows": 2}),
    )


# --- a project's settings ------------------------------------------------------------------------

# Names that addresses have already given away.
TAKEN_SLUGS = frozenset({"new"})


class DollarsField(forms.DecimalField):
    """Dollars with cents, as whole cents; empty is None."""

    def __init__(self, **kwargs: Any) -> None:
        attrs = {"inputmode": "decimal", "step": "0.01"}
        widget = forms.NumberInput(attrs=attrs)
        super().__init__(
            min_value=0, max_digits=11, decimal_places=2, required=False, widget=widget, **kwargs
        )

    def clean(self, value: Any) -> Any:
        dollars = super().clean(value)
        return None if dollars is None else int(dollars * 100)

    def prepare_value(self, value: Any) -> Any:
        return f"{value / 100:.2f}" if isinstance(value, int) else value


class ProjectForm(forms.Form):
    """A new project: what it is called and what it is made of."""

    title = forms.CharField(max_length=200, label="Title", help_text="What people call it.")
    slug = forms.SlugField(
        max_length=60,
        label="Short name",
        required=False,
        help_text="Stands in addresses, commands and file names; made of the title if left empty.",
    )
    scheme = forms.ChoiceField(label="What is annotated")
    pay = forms.ChoiceField(label="Pay scheme", help_text="You can change every figure later.")
    cap = DollarsField(
        label="Budget cap, in dollars",
        help_text="Nothing can be published or paid beyond it. Empty: no cap.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        for name, choices in (("scheme", sorted(SCHEMES)), ("pay", list(PRESETS))):
            field = self.fields[name]
            assert isinstance(field, forms.ChoiceField)
            field.choices = [(one, one) for one in choices]

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        if not given.get("slug") and "slug" not in self.errors:
            given["slug"] = slugify(given.get("title", ""))[:60].strip("-")
        if given.get("slug", "") in {"", *TAKEN_SLUGS} and "slug" not in self.errors:
            self.add_error("slug", "Choose another short name, of letters, digits and hyphens.")
        return given


class CorpusForm(forms.Form):
    """Sentences, and the items in them."""

    corpus = forms.FileField(label="Sentences")
    fmt = forms.ChoiceField(label="Format", required=False)
    items = forms.FileField(
        required=False,
        label="Items",
        help_text="A file that names the items. Without it they are found in the sentences.",
    )
    domain = forms.CharField(
        required=False, max_length=60, help_text="Such as wikinews; exports keep domains apart."
    )
    partition = forms.ChoiceField(
        required=False, choices=[("", "to be drawn later"), *Partition.choices]
    )
    strict = forms.BooleanField(required=False, label="One bad row: keep nothing", initial=False)

    def __init__(self, *args: Any, formats: Mapping[str, Sequence[str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._formats = formats
        field = self.fields["fmt"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = [("", "as the file's name ends"), *((one, one) for one in formats)]

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        file = given.get("corpus")
        if file and not given.get("fmt"):
            given["fmt"] = self._format_of(file.name)
        return given

    def _format_of(self, name: str) -> str:
        for fmt, endings in self._formats.items():
            if name.lower().endswith(tuple(endings)):
                return fmt
        self.add_error("fmt", f"No format has files that end like {name}: choose one.")
        return ""


class SettingsForm(forms.Form):
    """What the office decides about a project."""

    title = forms.CharField(max_length=200)
    generators_per_item = forms.IntegerField(
        min_value=1, max_value=9, label="Generators per item", help_text="Two in the paper."
    )
    exclusion_scope = forms.ChoiceField(
        choices=ExclusionScope.choices,
        label="A consolidator must have generated nothing for",
        widget=forms.RadioSelect,
    )
    approval_rate = forms.IntegerField(
        min_value=0,
        max_value=100,
        required=False,
        label="Least approval rate, in percent",
        help_text="Of the marketplace's own count. Empty: not asked for.",
    )
    hits_approved = forms.IntegerField(
        min_value=0, required=False, label="Least number of approved HITs"
    )
    locales = forms.CharField(
        required=False,
        max_length=400,
        label="Countries",
        help_text="Two capitals each, with blanks between them, such as US GB CA. Empty: any.",
    )
    cap = DollarsField(label="Budget cap, in dollars", help_text="Empty: no cap.")
    minimum_hourly = DollarsField(
        label="Least hourly wage, in dollars",
        help_text="Pages warn where an hour of active time has earned less. Empty: no warning.",
    )

    @classmethod
    def initial_of(cls, now: ProjectSettings) -> dict[str, Any]:
        asked = {one.get("system"): one for one in now.worker_requirements}
        rate, approved = asked.get("approval-rate"), asked.get("hits-approved")
        return {
            "title": now.title,
            "generators_per_item": now.generators_per_item,
            "exclusion_scope": now.exclusion_scope,
            "approval_rate": rate and rate["integers"][0],
            "hits_approved": approved and approved["integers"][0],
            "locales": " ".join(asked.get("locale", {}).get("locales", [])),
            "cap": now.cap_cents,
            "minimum_hourly": now.minimum_hourly_cents,
        }

    def clean(self) -> dict[str, Any]:
        given = super().clean() or {}
        try:
            given["requirements"] = system_requirements(
                approval_rate=given.get("approval_rate"),
                hits_approved=given.get("hits_approved"),
                locales=given.get("locales", "").replace(",", " ").split(),
            )
        except ValueError as error:
            self.add_error("locales", str(error))
        return given

    def wanted(self) -> ProjectSettings:
        given = self.cleaned_data
        return ProjectSettings(
            title=given["title"],
            generators_per_item=given["generators_per_item"],
            exclusion_scope=given["exclusion_scope"],
            worker_requirements=given["requirements"],
            cap_cents=given["cap"],
            minimum_hourly_cents=given["minimum_hourly"],
        )


class GuidelinesForm(forms.Form):
    text = forms.CharField(
        max_length=100_000,
        strip=False,
        label="The guidelines, in Markdown",
        widget=forms.Textarea(attrs={"rows": 24, "spellcheck": "true"}),
    )

    def clean_text(self) -> str:
        # Browsers send lines that end with CR LF: the same text must not become a new version.
        text: str = self.cleaned_data["text"].replace("\r\n", "\n").rstrip() + "\n"
        return text


TERMS = {
    "reward_cents": "Reward",
    "free_units": "Questions that the reward covers",
    "bonus_first_cents": "Bonus for the first question beyond",
    "bonus_step_cents": "More for each further one",
    "allowance_units": "Questions to set money aside for",
}


class PayForm(forms.Form):
    """What one role's work earns, in whole cents and questions."""

    def __init__(self, data: Any, *, role: str, initial: Mapping[str, Any]) -> None:
        super().__init__(data, prefix=role, initial=dict(initial))
        self.role = role
        for name, label in TERMS.items():
            unit = ", in cents" if name.endswith("_cents") else ""
            self.fields[name] = forms.IntegerField(
                min_value=0, max_value=100_000, label=f"{label}{unit}"
            )


# --- people --------------------------------------------------------------------------------------


class NoteForm(forms.Form):
    text = forms.CharField(
        max_length=2000,
        label="Note",
        help_text="For colleagues; the worker does not see it.",
        widget=forms.Textarea(attrs={"rows": 2}),
    )


class ForgetForm(forms.Form):
    how = forms.ChoiceField(
        label="How much",
        choices=[
            (Forgetting.PSEUDONYMISE, "Pseudonymise: keep no id that leads to them"),
            (Forgetting.ERASE, "Erase: also a new pseudonym, and no word that they wrote"),
        ],
        widget=forms.RadioSelect,
    )
    reason = forms.CharField(
        max_length=500,
        label="Reason",
        help_text="Such as: they asked for it on 3 May. Don't name them; the log keeps this.",
    )


def _span(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"(\d{1,6})-(\d{1,6})", text, re.ASCII)
    if found is None:
        raise DecisionRefused("There is no such pair of answers to decide about.")
    return int(found[1]), int(found[2])


class QueueForm(forms.Form):
    """Which items experts work on; `there` lists what items there are to choose, as (value, label)."""

    title = forms.CharField(
        max_length=120,
        help_text="Experts read it: it should not tell whose annotations they will see.",
    )
    items = forms.ChoiceField(label="Which items")
    count = forms.IntegerField(
        required=False,
        min_value=1,
        max_value=10_000,
        initial=50,
        label="How many, of a sample",
        widget=forms.NumberInput(attrs={"inputmode": "numeric"}),
    )
    file = forms.FileField(
        required=False,
        label="Or a file that names them",
        help_text="CSV with the columns qasrl_id and verb_idx.",
    )

    def __init__(self, *args: Any, there: Sequence[tuple[str, str]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        items = self.fields["items"]
        assert isinstance(items, forms.ChoiceField)
        items.choices = list(there)

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        if cleaned.get("items") == "file" and not cleaned.get("file"):
            self.add_error("file", "Choose the file.")
        if str(cleaned.get("items")).startswith("sample") and not cleaned.get("count"):
            self.add_error("count", "Say how many.")
        return cleaned


class AnnotateQueueForm(QueueForm):
    experts_per_item = forms.IntegerField(
        min_value=1,
        max_value=9,
        initial=1,
        label="Experts per item",
        help_text="None of them learns of the others.",
    )
    makes_gold = forms.BooleanField(
        required=False,
        label="Expert gold at once",
        help_text="Only with one expert per item; what several write is merged first.",
    )


class MergeQueueForm(QueueForm):
    sources = forms.MultipleChoiceField(widget=forms.CheckboxSelectMultiple)

    def __init__(self, *args: Any, sources: Mapping[str, str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["sources"]
        assert isinstance(field, forms.MultipleChoiceField)
        field.choices = list(sources.items())
