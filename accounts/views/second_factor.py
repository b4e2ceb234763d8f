from typing import Any

from allauth.account.decorators import reauthentication_required
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.views import ActivateTOTPView
from django.db import transaction
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.utils.decorators import method_decorator
from django.views.generic import FormView


@method_decorator(reauthentication_required(app="allauth.mfa"), name="dispatch")
class ReplaceAuthenticatorAppView(ActivateTOTPView):
    """A page that replaces the authenticator app without a gap in protection."""

    def dispatch(self, request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
        # ActivateTOTPView redirects users who have an app.
        return FormView.dispatch(self, request, *args, **kwargs)

    @transaction.atomic
    def form_valid(self, form: Any) -> HttpResponse:
        app = Authenticator.objects.filter(user=self.request.user, type=Authenticator.Type.TOTP)
        app.delete()
        return super().form_valid(form)
