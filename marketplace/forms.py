"""Forms of the workers' site and of the operator's pages."""

from collections.abc import Sequence
from datetime import date, datetime, timedelta
from typing import Any

from django import forms
from django.contrib.auth.password_validation import validate_password
from django.core.exceptions import ValidationError
from django.http import QueryDict
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy
from django_countries import countries

from marketplace.domain.accounts.operator_profile import DEFAULT_PAYOUTS
from marketplace.domain.accounts.payouts import period_of
from marketplace.domain.hits.find_groups import GroupFilter, Sort
from marketplace.domain.notifications.worker_messages import MAX_TEXT_LENGTH
from marketplace.models import ConsentText
from web.fields import DollarsField

# Dollars, in the filters of the list of HITs.
MAX_PAY = 1000


class CodeField(forms.RegexField):
    """A code of a state or province in ISO 3166, of at most two capitals or digits."""

    default_error_messages = {"invalid": gettext_lazy("Enter a two-letter ISO 3166 code.")}

    def __init__(self, regex: str, **kwargs: Any) -> None:
        super().__init__(regex, max_length=2, strip=True, **kwargs)

    def to_python(self, value: Any) -> str:
        return str(super().to_python(value)).upper()


def _countries() -> list[tuple[str, str]]:
    """Return the countries' codes with their names in the current language."""
    return [("", gettext("Choose a country")), *countries]


class CountryField(forms.ChoiceField):
    """A country from the list of ISO 3166. Its value is the code of two letters."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(label=gettext_lazy("Country"), choices=_countries, **kwargs)

    def to_python(self, value: Any) -> str:
        return super().to_python(value).strip().upper()


class JoinForm(forms.Form):
    username = forms.RegexField(
        r"^[\w.@+-]{3,60}$",
        label=gettext_lazy("Username"),
        help_text=gettext_lazy("3 to 60 letters, digits and . @ + - _"),
        widget=forms.TextInput(attrs={"autocomplete": "username"}),
    )
    email = forms.EmailField(
        label=gettext_lazy("Email"), widget=forms.EmailInput(attrs={"autocomplete": "email"})
    )
    password = forms.CharField(
        label=gettext_lazy("Password"),
        validators=[validate_password],
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )
    # Nothing is chosen in advance, because requirements check the country.
    country = CountryField(widget=forms.Select(attrs={"autocomplete": "country"}))
    subdivision = CodeField(
        r"^[A-Z0-9]{1,2}\Z",
        label=gettext_lazy("State or province"),
        required=False,
        help_text=gettext_lazy("Two letters. Leave empty if your country has none."),
    )
    is_adult = forms.BooleanField(label=gettext_lazy("I am 18 or older"), required=False)


class LoginForm(forms.Form):
    username = forms.CharField(
        label=gettext_lazy("Username"),
        max_length=60,
        widget=forms.TextInput(attrs={"autocomplete": "username"}),
    )
    password = forms.CharField(
        label=gettext_lazy("Password"),
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )


class PasswordForm(forms.Form):
    current = forms.CharField(
        label=gettext_lazy("Current password"),
        widget=forms.PasswordInput(attrs={"autocomplete": "current-password"}),
    )
    password = forms.CharField(
        label=gettext_lazy("New password"),
        validators=[validate_password],
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )


class ChangeEmailForm(forms.Form):
    email = forms.EmailField(
        label=gettext_lazy("New email"), widget=forms.EmailInput(attrs={"autocomplete": "email"})
    )
    password = LoginForm.base_fields["password"]


class CloseAccountForm(forms.Form):
    keeps_email = forms.BooleanField(
        label=gettext_lazy("Keep my email until the operator has paid what I'm owed"),
        required=False,
    )
    password = LoginForm.base_fields["password"]


class GroupFilterForm(forms.Form):
    """What a worker looks for in the list of HITs. Amounts are in dollars."""

    text = forms.CharField(
        label=gettext_lazy("Search"),
        required=False,
        max_length=100,
        widget=forms.TextInput(attrs={"type": "search"}),
    )
    reward = DollarsField(
        label=gettext_lazy("Minimum reward ($)"),
        max_value=MAX_PAY,
        # Browsers accept only the separator of their own language in a field for numbers
        widget=forms.TextInput(attrs={"inputmode": "decimal"}),
    )
    hourly = DollarsField(label=gettext_lazy("Minimum hourly pay ($)"), max_value=MAX_PAY)
    sort = forms.ChoiceField(label=gettext_lazy("Sort by"), required=False, choices=Sort)
    qualified = forms.BooleanField(
        label=gettext_lazy("Only tasks that I qualify for"), required=False
    )
    #: The code of a requester, which links set.
    requester = forms.CharField(required=False, max_length=32, widget=forms.HiddenInput)

    def wanted(self) -> GroupFilter:
        """Return the filter. Fields with an error are ignored."""
        self.is_valid()
        data = self.cleaned_data
        return GroupFilter(
            text=data.get("text", ""),
            min_reward_cents=data.get("reward") or 0,
            min_hourly_cents=data.get("hourly") or 0,
            qualified_only=data.get("qualified", False),
            sort=data.get("sort") or Sort.NEWEST,
            requester=data.get("requester", ""),
        )


class SaveSearchForm(forms.Form):
    name = forms.CharField(label=gettext_lazy("Name of this filter"), max_length=60)
    notifies = forms.BooleanField(
        label=gettext_lazy("Send me a message when new tasks match"), required=False, initial=True
    )


class AppealForm(forms.Form):
    text = forms.CharField(
        label=gettext_lazy("Why should this work be paid?"),
        max_length=2000,
        widget=forms.Textarea(attrs={"rows": 5}),
    )


class WorkerMessageForm(forms.Form):
    text = forms.CharField(
        label=gettext_lazy("Your message"),
        max_length=MAX_TEXT_LENGTH,
        widget=forms.Textarea(attrs={"rows": 5}),
    )


class QualificationAnswerForm(forms.Form):
    answer = forms.CharField(
        label=gettext_lazy("Message to the requester"),
        required=False,
        max_length=4000,
        widget=forms.Textarea(attrs={"rows": 4}),
    )


class RequesterForm(forms.Form):
    name = forms.CharField(label="Name", max_length=100)
    email = forms.EmailField(label=gettext_lazy("Email"), required=False)
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


class RequesterProfileForm(forms.Form):
    """The fields of a requester's account that the operator can change."""

    name = forms.CharField(
        label="Name", max_length=100, help_text="Workers see it, for example the name of the lab."
    )
    about = forms.CharField(
        label="About",
        required=False,
        max_length=2000,
        help_text="Who you are and what the tasks are for. Workers read it on the requester's page.",
        widget=forms.Textarea(attrs={"rows": 5}),
    )
    email = forms.EmailField(
        label=gettext_lazy("Email"),
        required=False,
        help_text="Notifications by email are sent to this address only. Workers don't see it.",
    )


class AboutForm(forms.Form):
    """The text that a requester can change without the operator."""

    about = RequesterProfileForm.base_fields["about"]


class OperatorProfileForm(forms.Form):
    contact = forms.CharField(
        label="Contact",
        required=False,
        max_length=300,
        help_text="Where workers reach you, for example an email address.",
    )
    payouts = forms.CharField(
        label="Payouts",
        required=False,
        max_length=2000,
        help_text=f"How and when you pay workers. The default is: {DEFAULT_PAYOUTS}",
        widget=forms.Textarea(attrs={"rows": 4}),
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

    country = CountryField()
    subdivision = CodeField(r"^.{1,2}\Z", label=gettext_lazy("State or province"), required=False)
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

    def period(self) -> dict[str, datetime]:
        """Return the half-open span of the days in UTC, as `since` and `until`."""
        since, until = period_of(self.cleaned_data["first"], self.cleaned_data["last"])
        return {"since": since, "until": until}


class RecordPayoutForm(forms.Form):
    """A payout that was made, to the workers whose ids are in `worker` or to `everyone`."""

    everyone = forms.BooleanField(
        label="All workers to whom money is due for this period", required=False
    )
    reference = forms.CharField(
        label="Reference",
        max_length=200,
        help_text="For example, the number of the bank transfer. The workers see it.",
    )
    paid_on = forms.DateField(label="Paid on", widget=forms.DateInput(attrs={"type": "date"}))
    worker = forms.MultipleChoiceField(required=False, widget=forms.MultipleHiddenInput)
    seen = forms.IntegerField(required=False, widget=forms.HiddenInput)

    def __init__(self, data: QueryDict | None = None, **kwargs: Any) -> None:
        super().__init__(data, **kwargs)
        worker = self.fields["worker"]
        assert isinstance(worker, forms.MultipleChoiceField)
        # Other ids choose nothing later.
        worker.choices = [(code, code) for code in (data.getlist("worker") if data else [])]

    def clean_paid_on(self) -> date:
        paid_on: date = self.cleaned_data["paid_on"]
        # It is already tomorrow in some time zones.
        if paid_on > timezone.now().date() + timedelta(days=1):
            raise ValidationError("This day is in the future. Record payouts that were made.")
        return paid_on

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if not cleaned.get("everyone") and not cleaned.get("worker"):
            raise ValidationError("Select workers in the list, or all of them.")
        return cleaned


class PaymentDetailsForm(forms.Form):
    details = forms.CharField(
        label=gettext_lazy("How do you want to be paid?"),
        required=False,
        max_length=1000,
        help_text=gettext_lazy(
            "For example, the holder and the number of a bank account, or an address for payments. "
            "It is stored encrypted, and only the operator of this marketplace sees it."
        ),
        widget=forms.Textarea(attrs={"rows": 4, "autocomplete": "off"}),
    )


class ConsentForm(forms.Form):
    """The acceptance of a version. The form states the version that the worker has read."""

    version = forms.IntegerField(widget=forms.HiddenInput)
    accepts = forms.BooleanField(
        label=gettext_lazy("I have read this text, and I agree."),
        error_messages={
            "required": gettext_lazy("You can work here only if you agree to the text.")
        },
    )

    def __init__(self, data: Any = None, *, text: ConsentText) -> None:
        super().__init__(data, initial={"version": text.version})
        self.text = text

    def clean_version(self) -> int:
        version: int = self.cleaned_data["version"]
        if version != self.text.version:
            # The form shows the new version, which is not accepted yet.
            others = {name: value for name, value in self.data.items() if name != "accepts"}
            self.data = others | {"version": self.text.version}
            raise forms.ValidationError(gettext("The text has changed. Read the new version."))
        return version


class PublishConsentForm(forms.Form):
    text = forms.CharField(
        max_length=100_000,
        required=False,
        strip=False,
        label="Consent text",
        help_text=(
            "Who runs this marketplace, what is stored about workers, how they are paid, and how "
            "they leave. Every version asks all workers. Leave empty to ask for no consent."
        ),
        widget=forms.Textarea(attrs={"rows": 18, "spellcheck": "true"}),
    )

    def clean_text(self) -> str:
        # Browsers send CR LF, which must not make an unchanged text a new version.
        text: str = self.cleaned_data["text"].replace("\r\n", "\n").strip()
        return text
