"""The REST API of every app, under one namespace, with its schema."""

from django.http import HttpRequest, HttpResponse
from django.urls import path, re_path
from django.views.defaults import server_error as page_of_server_error
from drf_spectacular.views import SpectacularJSONAPIView

from annotation.urls import api_urlpatterns as annotation
from consolidation.urls import api_urlpatterns as consolidation
from dashboard.urls import api_urlpatterns as dashboard
from qualification.urls import api_urlpatterns as qualification
from rest import views
from rest.problems import bare_problem

app_name = "api"

urlpatterns = [
    *annotation,
    *consolidation,
    *qualification,
    *dashboard,
    path("schema/", SpectacularJSONAPIView.as_view(), name="schema"),
    path("problems/<slug:kind>/", views.problem, name="problem"),
    re_path(r"", views.nothing_here, name="nothing_here"),
]


def server_error(request: HttpRequest) -> HttpResponse:
    """The last resort, in the language of whoever asked."""
    if request.path.startswith("/api/"):
        return bare_problem("internal-error")
    return page_of_server_error(request)
