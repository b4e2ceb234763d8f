"""Forms of the workers' site and of the operator's pages."""

from collections.abc import Sequence
from typing import Any

from django import forms
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.http import QueryDict

from marketplace.domain.find_groups import GroupFilter, Sort


class CodeField(forms.RegexField):
    """An ISO 3166 code of at most two capitals or digits."""

    default_error_messages = {"invalid": "Enter a two-letter ISO 3166 code."}

    def __init__(self, regex: str, **kwargs: Any) -> None:
        super().__init__(regex, max_length=2, strip=True, **kwargs)

    def to_python(self, value: Any) -> str:
        return str(super().to_python(value)).upper()


class DollarsField(forms.DecimalField):
    """A field for dollars that returns whole cents. An empty value is 0."""

    def __init__(self, **kwargs: Any) -> None:
        widget = forms.NumberInput(attrs={"inputmode": "decimal", "step": "0.01"})
        super().__init__(
            required=False,
            min_value=0,
            max_value=1000,
            decimal_places=2,
            max_digits=6,
            widget=widget,
            **kwargs,
        )

    def clean(self, value: Any) -> int:
        return int((super().clean(value) or 0) * 100)


class JoinForm(forms.Form):
    username = forms.RegexField(
        r"^[\w.@+-]{3,60}$",
        label="Username",
        help_text="3 to 60 letters, digits and . @ + - _",
        widget=forms.TextInput(attrs={"autocomplete": "username"}),
    )
    email = forms.EmailField(
        label="Email", widget=forms.EmailInput(attrs={"autocomplete": "email"})
    )
    password = forms.CharField(
        label="Password",
        validators=[validate_password],
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )
    country = CodeField(
        r"^[A-Z]{2}\Z",
        label="Country",
        initial="US",
        help_text="Two letters, such as US or GB",
        widget=forms.TextInput(attrs={"autocomplete": "country"}),
    )
    subdivision = CodeField(
        r"^[A-Z0-9]{1,2}\Z",
        label="State or province",
        required=False,
        help_text="Two letters. Leave empty if your country has none.",
    )
    is_adult = forms.BooleanField(label="I am 18 or older", required=False)


class LoginForm(forms.Form):
    username = forms.CharField(
        label="Username",
        max_length=60,
        widget=forms.TextInput(attrs={"autocomplete": "username"}),
    )
    password = forms.CharField(
        label="Password", widget=forms.PasswordInput(attrs={"autocomplete": "current-password"})
    )


class PasswordForm(forms.Form):
    current = forms.CharField(
        label="Current password",
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )
    password = forms.CharField(
        label="New password",
        validators=[validate_password],
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )


class GroupFilterForm(forms.Form):
    """What a worker looks for in the list of HITs. Amounts are in dollars."""

    text = forms.CharField(
        label="Search",
        required=False,
        max_length=100,
        widget=forms.TextInput(attrs={"type": "search"}),
    )
    reward = DollarsField(label="Minimum reward ($)")
    hourly = DollarsField(label="Minimum hourly pay ($)")
    sort = forms.ChoiceField(label="Sort by", required=False, choices=Sort)
    qualified = forms.BooleanField(label="Only tasks that I qualify for", required=False)

    def wanted(self) -> GroupFilter:
        """Return the filter. Fields with an error are ignored."""
        self.is_valid()
        data = self.cleaned_data
        return GroupFilter(
            text=data.get("text", ""),
            min_reward_cents=data.get("reward", 0),
            min_hourly_cents=data.get("hourly", 0),
            qualified_only=data.get("qualified", False),
            sort=data.get("sort") or Sort.NEWEST,
        )


class SaveSearchForm(forms.Form):
    name = forms.CharField(label="Name of this filter", max_length=60)
    notifies = forms.BooleanField(
        label="Send me a message when new tasks match", required=False, initial=True
    )


class AppealForm(forms.Form):
    text = forms.CharField(
        label="Why should this work be paid?",
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 5}),
    )


class QualificationAnswerForm(forms.Form):
    answer = forms.CharField(
        label="Message to the requester",
        required=False,
        max_length=4000,
        widget=forms.Textarea(attrs={"rows": 4}),
    )


class RequesterForm(forms.Form):
    name = forms.CharField(label="Name", max_length=100)
    email = forms.EmailField(label="Email", required=False)
    balance = forms.DecimalField(
        label="Opening balance in dollars",
        min_value=0,
        max_digits=12,
        decimal_places=2,
        initial=0,
    )


class DepositForm(forms.Form):
    amount = forms.DecimalField(
        label="Amount in dollars",
        max_digits=12,
        decimal_places=2,
        help_text="Enter a negative amount to withdraw money.",
    )
    note = forms.CharField(label="Note", max_length=200)

    def clean_amount(self) -> Any:
        amount = self.cleaned_data["amount"]
        if not amount:
            raise ValidationError("Enter an amount other than zero.")
        return amount


class EmailForm(forms.Form):
    email = forms.EmailField(
        label="Email",
        required=False,
        help_text="Notifications by email are sent to this address only.",
    )


class RequesterLoginForm(forms.Form):
    access_key_id = forms.CharField(
        label="Access key id",
        max_length=64,
        widget=forms.TextInput(attrs={"autocomplete": "username", "spellcheck": "false"}),
    )
    secret = forms.CharField(
        label="Secret access key",
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )


class LayoutForm(forms.Form):
    name = forms.CharField(label="Name", max_length=128)
    html = forms.CharField(
        label="HTML",
        help_text="A whole page. Write placeholders as ${name}, with letters, digits and . _ -. Their "
        "values are inserted as they are, without escaping. The form that workers submit has the "
        "action /mturk/externalSubmit and a field assignmentId.",
        widget=forms.Textarea(attrs={"rows": 16, "spellcheck": "false", "class": "code"}),
        strip=False,
    )
    frame_height = forms.IntegerField(
        label="Frame height in pixels",
        help_text="0 fills the window.",
        min_value=0,
        max_value=99_999,
        initial=0,
    )


class LayoutPreviewForm(forms.Form):
    """A field for the value of each parameter of a layout."""

    def __init__(self, names: Sequence[str], data: QueryDict | None) -> None:
        super().__init__(data, prefix="value")
        self._names = names
        for name in names:
            self.fields[name] = forms.CharField(label=name, required=False, strip=False)

    def given(self) -> dict[str, str]:
        """Return the values that are not empty."""
        if not self.is_valid():
            return {}
        return {name: self.cleaned_data[name] for name in self._names if self.cleaned_data[name]}


class InvitationForm(forms.Form):
    count = forms.IntegerField(
        label="Number of invitations", min_value=1, max_value=1000, initial=10
    )
    note = forms.CharField(label="Note", max_length=200, required=False)


class WorkerForm(forms.Form):
    """The fields of a worker's account that the operator can correct."""

    country = CodeField(r"^[A-Z]{2}\Z", label="Country")
    subdivision = CodeField(r"^.{1,2}\Z", label="State or province", required=False)
    is_adult = forms.BooleanField(label="Is 18 or older", required=False)
    active = forms.BooleanField(label="Account is active", required=False)


class AppealDecisionForm(forms.Form):
    outcome = forms.ChoiceField(
        label="Decision",
        choices=[("overturned", "Pay for the work"), ("upheld", "Uphold the rejection")],
        widget=forms.RadioSelect,
    )
    answer = forms.CharField(
        label="Message to the worker", max_length=2000, widget=forms.Textarea(attrs={"rows": 3})
    )


class StatementForm(forms.Form):
    """A period in days that includes both its first and its last day."""

    first = forms.DateField(label="From", widget=forms.DateInput(attrs={"type": "date"}))
    last = forms.DateField(label="To (inclusive)", widget=forms.DateInput(attrs={"type": "date"}))

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if "first" in cleaned and "last" in cleaned and cleaned["last"] < cleaned["first"]:
            raise ValidationError("The last day must not be before the first day.")
        return cleaned
