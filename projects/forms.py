"""Forms of projects, settings, guidelines, members, notifications and API tokens."""

from typing import Any

from django import forms
from django.contrib.auth import get_user_model
from django.contrib.auth.forms import BaseUserCreationForm
from django.db.models import QuerySet
from django.utils.text import slugify

from crowd.domain.provider.check_account import check_filter_set
from crowd.domain.provider.providers import NO_ANSWER, available_providers, knows_sessions
from crowd.domain.workers.qualifications import system_requirements
from crowd.enums import DEFAULT_PROVIDER, Provider
from projects.domain.change_project import MAX_GUIDELINES
from projects.domain.check_slug import LONGEST, SlugError, check_slug
from projects.domain.choose_protocol import MAX_REVISIONS, MAX_VALIDATORS
from projects.domain.schemes import scheme_of
from projects.domain.webhooks import MAX_URL_LENGTH
from projects.enums import (
    SUBSCRIBABLE,
    AfterDisputes,
    BonusTiming,
    ContentWarning,
    Device,
    DigestPeriod,
    ExclusionScope,
    InputSignals,
    MemberRole,
    NotificationKind,
    Protocol,
    ShownContext,
    SuggestionChoice,
    TokenScope,
)
from projects.languages import CHOICES, DEFAULT_LANGUAGE
from projects.models import Project
from projects.protocols import TERMS
from schemes.contract.content import FreeForm
from schemes.contract.pages import ContextAnswersSetting, ImpliedSetting, SuggestionSetting
from schemes.contract.values import Json
from schemes.registry import SCHEMES, get_scheme
from web.fields import MAX_STORED_DOLLARS, DollarsField, sentence_case, set_choices

# What crowd services recommend to researchers.
SUGGESTED_MINIMUM_HOURLY_CENTS = 1200

# The settings of crowd.providers.base.StudySettings.
STUDY_FIELDS = ("content_warning", "content_warning_details", "devices", "filter_set")

LANGUAGE_HELP = (
    "Browsers and screen readers need it for the texts. Exports and the data card name it."
)


class SchemeSelect(forms.RadioSelect):
    """Radio buttons for schemes. Those that projects declare are marked, for the starters."""

    def create_option(self, *args: Any, **kwargs: Any) -> dict[str, Any]:
        option = super().create_option(*args, **kwargs)
        if SCHEMES[option["value"]].declaration:
            option["attrs"]["data-declared"] = True
        return option


class NamedProjectForm(forms.Form):
    """The title and the short name of a new project."""

    title = forms.CharField(max_length=200, label="Title", help_text="Shown to members.")
    slug = forms.CharField(
        max_length=LONGEST,
        label="Short name",
        required=False,
        help_text="Used in URLs, commands and file names. Leave empty to derive it from the title.",
    )

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if self.errors.keys() & {"title", "slug"}:
            return data
        data["slug"] = data.get("slug") or slugify(data["title"])[:LONGEST].strip("-_")
        try:
            check_slug(data["slug"])
        except SlugError as error:
            self.add_error("slug", str(error))
        return data


class ProjectForm(NamedProjectForm):
    """A new project. The page folds the fields of `MORE`, which have defaults."""

    MORE = ("language", "slug", "protocol", "validators", "agree", "cap", "minimum_hourly")

    scheme = forms.ChoiceField(
        label="Annotation scheme",
        widget=SchemeSelect,
        initial=next(iter(SCHEMES)),
        help_text="What is annotated. It can't be changed.",
    )
    starter = forms.ChoiceField(
        label="Start with",
        required=False,
        widget=forms.RadioSelect,
        help_text="You can change all fields, labels and texts afterwards.",
    )
    provider = forms.ChoiceField(
        label="Crowd provider",
        required=False,
        widget=forms.RadioSelect,
        help_text="Where workers come from. It can't be changed once tasks are published.",
    )
    protocol = forms.ChoiceField(
        required=False,
        initial=Protocol.CONSOLIDATION,
        label="Protocol",
        widget=forms.RadioSelect,
        help_text="How annotations become gold. It can't be changed once items are published.",
    )
    validators = forms.IntegerField(
        min_value=1,
        max_value=MAX_VALIDATORS,
        initial=2,
        required=False,
        label="Validators or verifiers per item",
    )
    agree = forms.IntegerField(
        min_value=1,
        max_value=MAX_VALIDATORS,
        initial=2,
        required=False,
        label="Required agreement",
        help_text="How many of them must find a part valid.",
    )
    language = forms.ChoiceField(
        choices=CHOICES,
        initial=DEFAULT_LANGUAGE,
        required=False,
        label="Language of the corpus",
        help_text=LANGUAGE_HELP,
    )
    cap = DollarsField(
        label="Budget limit, in dollars",
        help_text="Publishing stops at the limit. Leave empty for no limit.",
    )
    minimum_hourly = DollarsField(
        label="Minimum hourly pay, in dollars",
        max_value=MAX_STORED_DOLLARS,
        initial=SUGGESTED_MINIMUM_HOURLY_CENTS,
        help_text="You are warned where active work pays less. Crowd services recommend about $12.00. "
        "Presets pay what the papers paid, which is less. Leave empty for no warning.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["title"].widget.attrs["autofocus"] = True
        set_choices(
            self,
            scheme=[
                (name, _titled(scheme.title, scheme.summary)) for name, scheme in SCHEMES.items()
            ],
            protocol=[(name, protocol_label(name)) for name in Protocol],
            starter=_starters(),
        )
        self.fields["starter"].initial = next((name for name, _ in _starters()), "")
        offer_providers(self, current=DEFAULT_PROVIDER)
        if "provider" in self.fields:
            self.fields["provider"].initial = DEFAULT_PROVIDER

    def more(self) -> list[forms.BoundField]:
        return [self[name] for name in self.MORE]

    def has_errors_in_more(self) -> bool:
        return any(name in self.errors for name in self.MORE)

    def definition(self) -> Json | None:
        """Return the definition to start from, or None in schemes that projects don't declare."""
        declaration = get_scheme(self.cleaned_data["scheme"]).declaration
        if declaration is None:
            return None
        names = list(declaration.starters)
        chosen = self.cleaned_data["starter"]
        return declaration.starter(chosen if chosen in names else names[0])

    def terms(self) -> dict[str, Any]:
        """Return the arguments of `choose_protocol`."""
        data = self.cleaned_data
        return {
            "protocol": data["protocol"] or Protocol.CONSOLIDATION,
            "validators": data["validators"] or 2,
            "agree": data["agree"] or 2,
        }


def _starters() -> list[tuple[str, str]]:
    """Return the names and titles of the definitions to start from."""
    declarations = [scheme.declaration for scheme in SCHEMES.values() if scheme.declaration]
    return [row for declaration in declarations for row in declaration.starters.items()]


def protocol_label(name: str) -> str:
    """Return the protocol with its summary, and the schemes that lack a part that it needs."""
    lacking = [scheme.title for scheme in SCHEMES.values() if TERMS[name].part(scheme) is None]
    label = _titled(Protocol(name).label.capitalize(), TERMS[name].summary)
    return f"{label} (not for {', '.join(lacking)})" if lacking else label


def _titled(title: str, summary: str) -> str:
    return f"{title}: {summary}" if summary else title


def offer_providers(form: forms.Form, *, current: str) -> None:
    """Let the form offer the configured providers, or remove the field if there is no choice."""
    names = {*available_providers(), current}
    field = form.fields["provider"]
    assert isinstance(field, forms.ChoiceField)
    field.choices = [(name, label) for name, label in Provider.choices if name in names]
    if len(names) == 1:
        del form.fields["provider"]


class ProtocolForm(forms.Form):
    """The protocol of a project whose items are unpublished."""

    protocol = forms.ChoiceField(label="Protocol", help_text="How annotations become gold.")
    validators = forms.IntegerField(
        min_value=1,
        max_value=MAX_VALIDATORS,
        label="Validators or verifiers per item",
        help_text="Only for validation and verification.",
    )
    agree = forms.IntegerField(min_value=1, max_value=MAX_VALIDATORS, label="Required agreement")

    def __init__(self, data: Any = None, *, project: Project) -> None:
        initial = {
            "protocol": project.protocol,
            "validators": project.validators_per_item,
            "agree": project.validators_to_agree,
        }
        super().__init__(data, initial=initial, prefix="protocol")
        scheme = scheme_of(project)
        possible = [
            (name, label)
            for name, label in sentence_case(Protocol.choices)
            if TERMS[name].part(scheme) is not None
        ]
        set_choices(self, protocol=possible)


class SettingsForm(forms.Form):
    title = forms.CharField(max_length=200)
    provider = forms.ChoiceField(
        label="Crowd provider",
        widget=forms.RadioSelect,
        help_text="Where workers come from. It can't be changed once tasks are published.",
    )
    generators_per_item = forms.IntegerField(
        min_value=1, max_value=9, label="Generators per item", help_text="Two in Roit et al. 2020."
    )
    exclusion_scope = forms.ChoiceField(
        choices=sentence_case(ExclusionScope.choices),
        label="Consolidators must not have annotated",
        widget=forms.RadioSelect,
    )
    revision_limit = forms.IntegerField(
        min_value=0,
        max_value=MAX_REVISIONS,
        label="Revisions of a disputed annotation",
        help_text="How often an annotation can be revised by its annotator. Each revision is verified.",
    )
    after_disputes = forms.ChoiceField(
        choices=sentence_case(AfterDisputes.choices),
        label="If an item is still disputed",
        widget=forms.RadioSelect,
    )
    bonus_timing = forms.ChoiceField(
        choices=sentence_case(BonusTiming.choices),
        required=False,
        widget=forms.RadioSelect,
        label="Decide the pay of annotators",
        help_text="After consolidation, work is accepted if the gold has at least half of the worker's "
        "units, and a bonus is paid for what the gold has. Other work is decided in the review queue. "
        "“By trust” does so for workers outside the trained pool, until 30 of their items have gold and "
        "at least half of the units in them were kept. Without a result, work is accepted after the "
        "hours of its batch, and a bonus is paid after 14 days.",
    )
    input_signals = forms.ChoiceField(
        choices=sentence_case(InputSignals.choices),
        required=False,
        widget=forms.RadioSelect,
        label="Record how answers are entered",
        help_text="Pages count pasted and typed characters, times and scripts, but record no content. "
        "Workers are informed. Signals never reject, decline or block anything.",
    )
    approval_rate = forms.IntegerField(
        min_value=0,
        max_value=100,
        required=False,
        label="Minimum approval rate, in percent",
        help_text="As counted by the crowd provider. Leave empty for no minimum.",
    )
    hits_approved = forms.IntegerField(
        min_value=0, required=False, label="Minimum number of approved tasks"
    )
    locales = forms.CharField(
        required=False,
        max_length=400,
        label="Countries",
        help_text="Country codes separated by spaces, such as US GB CA. Leave empty to allow all.",
    )
    content_warning = forms.ChoiceField(
        choices=sentence_case(ContentWarning.choices),
        required=False,
        label="Content warning",
        help_text="Shown to participants before they take part in a study.",
    )
    content_warning_details = forms.CharField(
        required=False,
        max_length=300,
        label="What the warning is about",
        help_text="For example, insults in comments.",
    )
    devices = forms.MultipleChoiceField(
        choices=sentence_case(Device.choices),
        required=False,
        label="Devices for studies",
        widget=forms.CheckboxSelectMultiple,
        help_text="Choose none to allow all. Pages for spans and boxes are easier with a keyboard or "
        "a mouse.",
    )
    filter_set = forms.CharField(
        required=False,
        max_length=64,
        label="Filter set",
        help_text="The id of a filter set of the workspace, such as one for native speakers. Each new "
        "study gets its filters.",
    )
    allow_free_form = forms.BooleanField(required=False)
    suggestions = forms.ChoiceField(
        choices=sentence_case(SuggestionChoice.choices), widget=forms.RadioSelect
    )
    language = forms.ChoiceField(
        choices=CHOICES, required=False, label="Language of the corpus", help_text=LANGUAGE_HELP
    )
    shown_context = forms.ChoiceField(
        choices=sentence_case(ShownContext.choices),
        required=False,
        label="Context on pages",
        help_text="The other sentences of the same document that workers and staff see with a sentence. "
        "They aren't annotated.",
    )
    allows_context_answers = forms.BooleanField(required=False)
    asks_implied = forms.BooleanField(required=False)
    accepts_identical = forms.BooleanField(
        required=False,
        label="Accept identical annotations without a consolidation",
        help_text="If all generators of an item write the same, it becomes gold at once. Saves money, "
        "but what all of them missed or got wrong isn't found.",
    )
    monitoring = forms.DecimalField(
        min_value=0,
        max_value=100,
        decimal_places=1,
        label="Reviewed share of finished items, in percent",
        help_text="Experts review a random sample of the gold. Roit et al. 2020 review 1 %.",
    )
    cap = DollarsField(label="Budget limit, in dollars", help_text="Leave empty for no limit.")
    minimum_hourly = DollarsField(
        label="Minimum hourly pay, in dollars",
        max_value=MAX_STORED_DOLLARS,
        help_text="Touchstone warns you when active work pays less. Leave empty for no warning.",
    )
    contact = forms.CharField(
        required=False,
        max_length=200,
        label="Contact for workers",
        help_text="Whom workers can ask, such as “Language Lab, lab@example.org”. The pages of their "
        "sessions show it.",
    )

    def __init__(
        self,
        *args: Any,
        protocol: str,
        provider: str,
        free_form: FreeForm | None = None,
        suggestions: SuggestionSetting | None = None,
        implied: ImpliedSetting | None = None,
        context_answers: ContextAnswersSetting | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        offer_providers(self, current=provider)
        terms = TERMS[protocol]
        of_scheme = {
            "allow_free_form": free_form,
            "suggestions": suggestions,
            "asks_implied": implied,
            # People who vote answer in the sentence alone.
            "allows_context_answers": None if terms.is_voted else context_answers,
        }
        self._provider = provider
        if not knows_sessions(provider):
            for name in (*STUDY_FIELDS, "contact"):
                del self.fields[name]
        for name, setting in of_scheme.items():
            if setting is None:
                del self.fields[name]
            else:
                field = self.fields[name]
                field.label, field.help_text = setting.label, setting.help_text
        self.fields["exclusion_scope"].label = f"{terms.noun.capitalize()}s must not have annotated"
        if terms.is_voted:
            del self.fields["generators_per_item"], self.fields["accepts_identical"]
        if not terms.is_revised:
            del self.fields["revision_limit"], self.fields["after_disputes"]

    @classmethod
    def initial_of(cls, project: Project) -> dict[str, Any]:
        requirements = {row.get("system"): row for row in project.worker_requirements}
        rate, approved = requirements.get("approval-rate"), requirements.get("hits-approved")
        return {
            "title": project.title,
            "provider": project.provider,
            "generators_per_item": project.generators_per_item,
            "exclusion_scope": project.exclusion_scope,
            "revision_limit": project.revision_limit,
            "after_disputes": project.after_disputes,
            "bonus_timing": project.bonus_timing,
            "input_signals": project.input_signals,
            "approval_rate": rate and rate["integers"][0],
            "hits_approved": approved and approved["integers"][0],
            "locales": " ".join(requirements.get("locale", {}).get("locales", [])),
            **project.study_settings,
            "allow_free_form": project.allow_free_form,
            "suggestions": project.suggestions,
            "language": project.language,
            "shown_context": project.shown_context,
            "asks_implied": project.asks_implied,
            "allows_context_answers": project.allows_context_answers,
            "accepts_identical": project.accepts_identical,
            "monitoring": f"{project.monitoring_per_thousand / 10:g}",
            "cap": project.budget.cap_cents,
            "minimum_hourly": project.minimum_hourly_cents,
            "contact": project.contact,
        }

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        try:
            data["worker_requirements"] = system_requirements(
                approval_rate=data.get("approval_rate"),
                hits_approved=data.get("hits_approved"),
                locales=data.get("locales", "").replace(",", " ").split(),
            )
        except ValueError as error:
            self.add_error("locales", str(error))
        return data

    def clean_filter_set(self) -> str:
        filter_set: str = self.cleaned_data["filter_set"].strip()
        if filter_set and filter_set != self.initial.get("filter_set"):
            try:
                check_filter_set(provider=self._provider, filter_set=filter_set)
            except NO_ANSWER as error:
                raise forms.ValidationError(
                    f"The filter set can't be read, so check its id. {error}"
                ) from error
        return filter_set

    def wanted(self) -> dict[str, Any]:
        data = dict(self.cleaned_data)
        for name in ("language", "shown_context", "bonus_timing", "input_signals"):
            if not data[name]:  # keeps the project's own
                del data[name]
        if "filter_set" in self.fields:
            studies = {name: data.pop(name) for name in STUDY_FIELDS}
            data["study_settings"] = {name: value for name, value in studies.items() if value}
        money = {"cap_cents": data["cap"], "minimum_hourly_cents": data["minimum_hourly"]}
        return data | money | {"monitoring_per_thousand": int(data["monitoring"] * 10)}


class TranslationForm(forms.Form):
    """A translation of the guidelines. An empty text removes it."""

    text = forms.CharField(
        max_length=MAX_GUIDELINES,
        strip=False,
        required=False,
        label="Translation, in Markdown",
        help_text="Workers whose browser prefers this language see it. Save an empty text to remove it.",
        widget=forms.Textarea(attrs={"rows": 24, "spellcheck": "true", "dir": "auto"}),
    )


class GuidelinesForm(TranslationForm):
    """The guidelines in their main language, which workers see who read none of the translations."""

    text = forms.CharField(
        max_length=MAX_GUIDELINES,
        strip=False,
        label="Guidelines, in Markdown",
        widget=forms.Textarea(attrs={"rows": 24, "spellcheck": "true", "dir": "auto"}),
    )
    language = forms.ChoiceField(choices=CHOICES, required=False, label="Language of the text")


class ProjectsField(forms.ModelMultipleChoiceField):
    def label_from_instance(self, obj: Project) -> str:
        return obj.title


class TokenForm(forms.Form):
    name = forms.CharField(
        max_length=60,
        label="Name",
        help_text="What the token is for, such as “Nightly export”.",
    )
    scopes = forms.MultipleChoiceField(
        choices=TokenScope.choices,
        initial=[TokenScope.READ],
        label="Scopes",
        widget=forms.CheckboxSelectMultiple,
    )
    reach = forms.ChoiceField(
        choices=[
            ("all", "All my projects, including future ones"),
            ("some", "Only these projects"),
        ],
        initial="some",
        label="Access",
        widget=forms.RadioSelect,
    )
    projects = ProjectsField(
        queryset=Project.objects.none(),
        required=False,
        label="Projects",
        widget=forms.CheckboxSelectMultiple,
    )
    days = forms.TypedChoiceField(
        choices=[(30, "30 days"), (90, "90 days"), (365, "1 year"), (0, "Never")],
        initial=90,
        coerce=int,
        label="Expires after",
    )

    def __init__(self, *args: Any, projects: QuerySet[Project], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["projects"]
        assert isinstance(field, ProjectsField)
        field.queryset = projects

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if data.get("reach") == "some" and "projects" in data and not data["projects"]:
            self.add_error("projects", "Choose at least one project or all projects.")
        return data


USERNAME_TAKEN = "A user with that username already exists."


class AccountForm(BaseUserCreationForm):
    """A form for the account of an invited person, whose address is that of the invitation."""

    class Meta:
        model = get_user_model()
        fields = ("username",)
        widgets = {"username": forms.TextInput(attrs={"autocomplete": "username"})}

    def clean_username(self) -> str:
        """Refuse a name that differs from another one in case only."""
        username: str = self.cleaned_data["username"]
        if get_user_model().objects.filter(username__iexact=username).exists():
            raise forms.ValidationError(USERNAME_TAKEN, code="unique")
        return username


class WebhookForm(forms.Form):
    url = forms.CharField(
        label="Address",
        max_length=MAX_URL_LENGTH,
        widget=forms.URLInput(attrs={"placeholder": "https://"}),
    )
    events = forms.MultipleChoiceField(
        choices=SUBSCRIBABLE, label="Events", widget=forms.CheckboxSelectMultiple
    )


class ChangedWebhookForm(WebhookForm):
    is_active = forms.BooleanField(
        label="Send events",
        required=False,
        help_text="While this is off, new events are not stored.",
    )


class InviteForm(forms.Form):
    email = forms.EmailField(label="Email address", max_length=254)
    role = forms.ChoiceField(choices=sentence_case(MemberRole.choices), initial=MemberRole.TRAINER)


class RolesForm(forms.Form):
    roles = forms.MultipleChoiceField(
        choices=sentence_case(MemberRole.choices),
        required=False,
        widget=forms.CheckboxSelectMultiple,
    )


class NotificationSettingsForm(forms.Form):
    digest = forms.ChoiceField(
        choices=DigestPeriod.choices,
        label="Email digest",
        help_text="Lists your unread notifications of the last day or week.",
    )
    kinds = forms.MultipleChoiceField(
        choices=NotificationKind.choices,
        required=False,
        label="Notify me about",
        help_text="You only receive notifications for your roles in each project.",
        widget=forms.CheckboxSelectMultiple,
    )


class SavedFilterForm(forms.Form):
    """A name for the filter of a list. `page` is the list's view name."""

    page = forms.CharField(max_length=80)
    name = forms.CharField(max_length=60)
    query = forms.CharField(max_length=2000, required=False)
