"""The forms for a new release and its publication on other services."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django import forms
from django.forms import BoundField

from consolidation.enums import GoldSource
from projects.forms import NamedProjectForm
from releases.domain.comments import MAX_COMMENT, MAX_REASON
from releases.domain.details import (
    ReleaseDetails,
    ReleaseDetailsError,
    authors_text,
    parse_authors,
    parse_version,
)
from releases.domain.licences import LICENCES
from releases.domain.publishing.plan import Plan
from releases.domain.topics import TOPICS
from releases.enums import Service
from web.fields import sentence_case, set_choices

_ANSWER = "answer_"
_NO_PARTITION = "none"
_LICENCES = [(licence, f"{name} ({licence})") for licence, name in LICENCES.items()]
_DETAILS = (
    *("version", "source", "notes", "licence", "text_licence"),
    *("funding", "contact", "url", "images"),
)


class ReleaseForm(forms.Form):
    """The details of a release, and what the authors write about the topics of the data statement.

    `items` counts the items with gold by source, and `partitions` are those of the corpus. `previous` are
    the details of the newest release, from which the form starts.
    """

    version = forms.CharField(max_length=13, help_text="Two numbers, such as 1.0.")
    source = forms.ChoiceField(label="Gold")
    partitions = forms.MultipleChoiceField(
        widget=forms.CheckboxSelectMultiple, help_text="The others are not released."
    )
    notes = forms.CharField(
        required=False, widget=forms.Textarea(attrs={"rows": 3}), help_text="What is new."
    )
    licence = forms.ChoiceField(label="Licence of the annotations", choices=_LICENCES)
    text_licence = forms.ChoiceField(
        required=False,
        label="Licence of the texts",
        choices=[("", "Not stated"), *_LICENCES],
    )
    authors = forms.CharField(
        widget=forms.Textarea(attrs={"rows": 3}),
        help_text="One per line: family name, given name; ORCID; affiliation.",
    )
    funding = forms.CharField(
        required=False, widget=forms.Textarea(attrs={"rows": 2}), help_text="One funder per line."
    )
    contact = forms.CharField(
        required=False, max_length=200, help_text="A mail address or a web page."
    )
    url = forms.URLField(
        required=False, label="Web page of the dataset", max_length=300, assume_scheme="https"
    )
    images = forms.BooleanField(required=False, label="Release the images too")

    def __init__(
        self,
        *args: Any,
        items: Mapping[str, int],
        partitions: Sequence[str],
        has_images: bool,
        previous: ReleaseDetails | None,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self.initial = _initial(previous, partitions)
        sources = [
            (value, f"{label} gold ({items[value]:,})")
            for value, label in sentence_case(GoldSource.choices)
            if value in items
        ]
        named = [(name or _NO_PARTITION, name or "No partition") for name in partitions]
        set_choices(self, source=sources, partitions=named)
        if not has_images:
            del self.fields["images"]
        for topic in TOPICS:
            self.fields[f"{_ANSWER}{topic.key}"] = forms.CharField(
                required=False,
                label=topic.label,
                help_text=topic.text,
                widget=forms.Textarea(attrs={"rows": 2}),
            )

    def main_fields(self) -> Iterator[BoundField]:
        """Yield the fields of the release itself."""
        return (field for field in self if not field.name.startswith(_ANSWER))

    def answer_fields(self) -> Iterator[BoundField]:
        """Yield the fields with answers about topics."""
        return (field for field in self if field.name.startswith(_ANSWER))

    def clean_version(self) -> str:
        version: str = self.cleaned_data["version"]
        try:
            parse_version(version)
        except ReleaseDetailsError as error:
            raise forms.ValidationError(str(error)) from error
        return version

    def clean_authors(self) -> list[Any]:
        try:
            return list(parse_authors(self.cleaned_data["authors"]))
        except ReleaseDetailsError as error:
            raise forms.ValidationError(str(error)) from error

    def details(self) -> ReleaseDetails:
        """Return the details of a valid form."""
        data = self.cleaned_data
        answers = {
            name.removeprefix(_ANSWER): value
            for name, value in data.items()
            if name.startswith(_ANSWER) and value
        }
        partitions = ["" if name == _NO_PARTITION else name for name in data["partitions"]]
        given = {name: data[name] for name in _DETAILS if name in data}
        return ReleaseDetails(
            authors=data["authors"], partitions=partitions, answers=answers, **given
        )


class ImportReleaseForm(NamedProjectForm):
    """A release that becomes the corpus of a new project, with its gold."""

    file = forms.FileField(
        label="ZIP file of a release",
        max_length=200,
        widget=forms.ClearableFileInput(attrs={"accept": ".zip"}),
        help_text="As downloaded from a release, here or on another site.",
    )
    field_order = ("file",)


class PublicForm(forms.Form):
    """How a release is made public."""

    has_comments = forms.BooleanField(
        required=False,
        label="Let people with an account comment on items",
        help_text="Anyone can read the comments. You can remove them.",
    )


class CommentForm(forms.Form):
    text = forms.CharField(
        label="Comment",
        max_length=MAX_COMMENT,
        widget=forms.Textarea(attrs={"rows": 5}),
        help_text="Such as what is wrong with the annotation, and why.",
    )


class RemoveCommentForm(forms.Form):
    reason = forms.CharField(
        label="Reason",
        max_length=MAX_REASON,
        help_text="Stored with the comment. Only staff see it.",
    )


def _initial(previous: ReleaseDetails | None, partitions: Sequence[str]) -> dict[str, Any]:
    """Return the values of the form: the next version, with the other details of the newest one."""
    every = [name or _NO_PARTITION for name in partitions]
    if previous is None:
        return {"version": "1.0", "partitions": every, "licence": "CC-BY-4.0"}
    major, minor = parse_version(previous.version)
    chosen = [name or _NO_PARTITION for name in previous.partitions]
    names = ("source", "licence", "text_licence", "funding", "contact", "url", "images")
    return {
        **{name: getattr(previous, name) for name in names},
        **{f"{_ANSWER}{key}": text for key, text in previous.answers.items()},
        "version": f"{major}.{minor + 1}",
        "partitions": chosen or every,
        "authors": authors_text(previous.authors),
    }


class HubForm(forms.Form):
    """The dataset on the Hub that a release goes to. Other services have nothing to choose."""

    repository = forms.CharField(
        max_length=193,
        required=False,
        label="Dataset",
        help_text="The owner and the name, such as lab/wikinews. Without an owner, it is the account of "
        "the token.",
    )
    private = forms.BooleanField(
        required=False,
        label="Create it as a private dataset",
        help_text="A dataset that exists stays as it is.",
    )

    def target(self, service: Service) -> dict[str, Any]:
        """Return what the user chose, as arguments of Target."""
        if service != Service.HUGGINGFACE:
            return {}
        data = self.cleaned_data
        return {"repository": data["repository"], "private": data["private"]}


class TokenForm(forms.Form):
    token = forms.CharField(
        max_length=500,
        help_text="Stored encrypted, and never shown again.",
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}),
    )

    def clean_token(self) -> str:
        token: str = self.cleaned_data["token"]
        if not (token.isascii() and token.isprintable()) or " " in token:
            raise forms.ValidationError("A token has ASCII letters, digits and symbols only.")
        return token


class ConfirmUploadForm(forms.Form):
    """The confirmation of a plan. It does not fit another plan than the user has seen."""

    digest = forms.CharField(widget=forms.HiddenInput)
    confirmation = forms.CharField(widget=forms.TextInput(attrs={"autocomplete": "off"}))

    def __init__(self, data: Any, *, plan: Plan) -> None:
        super().__init__(data, initial={"digest": plan.digest})
        self.plan = plan
        self.fields["confirmation"].label = f"Enter “{plan.confirmation}” to confirm"

    def clean_confirmation(self) -> str:
        entered: str = self.cleaned_data["confirmation"]
        if entered.strip() != self.plan.confirmation:
            raise forms.ValidationError(f"Enter “{self.plan.confirmation}”.")
        return entered

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if data.get("digest") != self.plan.digest:
            # The next form is about what the page shows now.
            self.data = {
                "confirmation": data.get("confirmation", ""),
                "digest": self.plan.digest,
            }
            raise forms.ValidationError("Something has changed since you checked. Read it again.")
        return data
