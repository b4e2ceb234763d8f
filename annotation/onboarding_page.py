"""The page before a worker's first task of a project, with its form."""

from typing import Any

from django import forms
from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.html import format_html
from django.utils.translation import gettext, gettext_lazy

from annotation.domain.work.onboarding.questionnaire import (
    LANGUAGES,
    NUMBER_LIMIT,
    VALUE_LIMIT,
    QuestionnaireField,
)
from annotation.domain.work.onboarding.steps import Onboarding
from annotation.enums import FieldKind
from projects.enums import InputSignals
from projects.models import Project
from web.fields import CountField
from web.interface_language import with_parameter
from web.markdown import render_markdown

RADIO_BUTTONS = 8
NEW_TEXT = gettext_lazy(
    "The consent text has changed since you opened this page. Read the new version."
)


class OnboardingForm(forms.Form):
    """The consent and the questionnaire."""

    def __init__(self, data: Any = None, *, onboarding: Onboarding) -> None:
        super().__init__(data, auto_id="field_%s")
        self.onboarding = onboarding
        for field in onboarding.fields:
            entry = self.fields[field.key] = form_field(field)
            language = onboarding.project.language
            entry.label = format_html('<span lang="{}" dir="auto">{}</span>', language, field.label)
        if onboarding.consent_text:
            self.fields["accepts"] = forms.BooleanField(
                label=gettext("I have read this text, and I agree to take part."),
                error_messages={
                    "required": gettext("Agree to the text, or choose “Don’t take part”.")
                },
            )

    def questionnaire(self) -> list[forms.BoundField]:
        """Return the fields of the questionnaire, in order."""
        return [self[field.key] for field in self.onboarding.fields]

    def answers(self) -> dict[str, str]:
        """Return the answers by key. Those that were skipped are left out."""
        values = {field.key: self.cleaned_data[field.key] for field in self.onboarding.fields}
        return {key: str(value) for key, value in values.items() if value not in (None, "")}


def form_field(field: QuestionnaireField) -> forms.Field:
    """Return the form field that a worker fills in."""
    shared: dict[str, Any] = {"label": field.label, "required": field.is_required}
    match field.kind:
        case FieldKind.NUMBER:
            return CountField(
                min_value=-NUMBER_LIMIT if field.lowest is None else field.lowest,
                max_value=NUMBER_LIMIT if field.highest is None else field.highest,
                help_text=_range(field),
                **shared,
            )
        case FieldKind.CHOICE:
            choices = [(option, option) for option in field.options]
            if not field.is_required:
                choices.append(("", gettext("No answer")))
            is_short = len(choices) <= RADIO_BUTTONS
            if field.is_required and not is_short:
                choices.insert(0, ("", gettext("Choose")))
            widget = forms.RadioSelect if is_short else forms.Select
            return forms.ChoiceField(choices=choices, widget=widget, **shared)
        case FieldKind.LANGUAGE:
            return LanguageField(**shared)
        case _:
            return forms.CharField(max_length=VALUE_LIMIT, **shared)


class LanguageField(forms.CharField):
    """A field for a language, with suggestions. Other languages can be entered as well."""

    widget = forms.TextInput(attrs={"list": "languages", "autocomplete": "off"})

    def __init__(self, **options: Any) -> None:
        super().__init__(max_length=100, **options)

    def clean(self, value: Any) -> str:
        entered: str = super().clean(value)
        known = {language.casefold(): language for language in LANGUAGES}
        return known.get(entered.casefold(), entered)


def inputs_notice(project: Project) -> dict[str, Any]:
    """Return the context of the notice that pages record how answers are entered."""
    return {
        "records_inputs": project.input_signals != InputSignals.OFF,
        "copies_days": settings.COPIES_DAYS,
    }


def _range(field: QuestionnaireField) -> str:
    match field.lowest, field.highest:
        case None, None:
            return ""
        case None, highest:
            return gettext("At most %(highest)s.") % {"highest": highest}
        case lowest, None:
            return gettext("At least %(lowest)s.") % {"lowest": lowest}
        case lowest, highest:
            return gettext("From %(lowest)s to %(highest)s.") % {
                "lowest": lowest,
                "highest": highest,
            }


def render_onboarding(
    request: HttpRequest,
    onboarding: Onboarding,
    *,
    form: OnboardingForm | None = None,
    problem: str = "",
    address: str = "",
) -> HttpResponse:
    """Render the page, with `form` or a `problem` if what was entered is refused.

    `address` is that of the task, which opens afterwards.
    """
    has_languages = any(field.kind == FieldKind.LANGUAGE for field in onboarding.fields)
    text = onboarding.consent_text
    context = {
        "onboarding": onboarding,
        "form": form or OnboardingForm(onboarding=onboarding),
        "problem": problem,
        "consent_text": render_markdown(text.text) if text else "",
        **inputs_notice(onboarding.project),
        "languages": LANGUAGES if has_languages else (),
        "next": address or request.get_full_path(),
        # The frame may have no cookies that state the worker's language
        "action": with_parameter(request, reverse("annotation:onboarding")),
        "language": onboarding.project.language,
    }
    status = 422 if form or problem else 200
    return render(request, "annotation/onboarding.html", context, status=status)
