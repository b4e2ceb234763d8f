from allauth.usersessions.adapter import get_adapter
from allauth.usersessions.models import UserSession
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_POST

from projects.permissions import signed_in_page


@require_POST
@signed_in_page
def end_session(request: HttpRequest, pk: int) -> HttpResponse:
    session = get_object_or_404(UserSession, pk=pk, user=request.user)
    get_adapter().end_sessions([session])
    messages.success(request, "The session has ended.")
    return redirect("usersessions_list")
