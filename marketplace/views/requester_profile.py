"""The requester's page of what workers read about them."""

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from marketplace.forms import AboutForm
from marketplace.models import Requester
from marketplace.views.posted import posted
from marketplace.views.requester_session import requester_required


@require_http_methods(["GET", "POST"])
@requester_required
def profile(request: HttpRequest, requester: Requester) -> HttpResponseBase:
    form = AboutForm(posted(request), initial={"about": requester.about})
    if form.is_valid():
        Requester.objects.filter(pk=requester.pk).update(**form.cleaned_data)
        messages.success(request, "The text was saved. Workers read it on your page.")
        return redirect("marketplace:requester-profile")
    context = {"requester": requester, "form": form}
    return render(request, "marketplace/requester/profile.html", context)
