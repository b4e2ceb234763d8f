"""A project's own settings: itself, its corpus, its guidelines, its pay."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.utils.text import slugify

from annotation.domain.change_project import ProjectSettings
from annotation.enums import ExclusionScope, Partition
from crowd.domain.pay_scheme import PRESETS
from crowd.domain.qualifications import system_requirements
from dashboard.forms.fields import DollarsField
from schemes.registry import SCHEMES

# Names that addresses have already given away.
TAKEN_SLUGS = frozenset({"new"})


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
