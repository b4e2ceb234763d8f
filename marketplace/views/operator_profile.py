"""The operator's page of what workers read about contact and payouts."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from marketplace.domain.accounts.operator_profile import save_operator_profile
from marketplace.forms import OperatorProfileForm
from marketplace.models import OperatorProfile
from marketplace.views.operator_pages import operator_required
from marketplace.views.posted import posted


@require_http_methods(["GET", "POST"])
@operator_required
def profile(request: HttpRequest) -> HttpResponseBase:
    stored = OperatorProfile.objects.values("contact", "payouts").first()
    form = OperatorProfileForm(posted(request), initial={**(stored or {})})
    if form.is_valid():
        save_operator_profile(**form.cleaned_data)
        messages.success(request, "Saved. Workers read it on each requester's page.")
        return redirect("marketplace:operator-contact")
    return render(request, "marketplace/operator/profile.html", {"form": form})
