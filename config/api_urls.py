"""The REST API of all apps, with its schema, in one namespace."""

from django.urls import path, re_path
from drf_spectacular.views import SpectacularJSONAPIView

from annotation.api_urls import urlpatterns as annotation
from benchmarks.api_urls import urlpatterns as benchmarks
from consolidation.api_urls import urlpatterns as consolidation
from dashboard.api_urls import urlpatterns as dashboard
from datasets.api_urls import urlpatterns as datasets
from projects.api_urls import urlpatterns as projects
from projects.permissions import Access, read
from qualification.api_urls import urlpatterns as qualification
from releases.api_urls import urlpatterns as releases
from web import views

app_name = "api"


class SchemaView(SpectacularJSONAPIView):
    rules = read(Access.SIGNED_IN)


urlpatterns = [
    *projects,
    *annotation,
    *consolidation,
    *qualification,
    *datasets,
    *releases,
    *benchmarks,
    *dashboard,
    path("schema/", SchemaView.as_view(), name="schema"),
    re_path(r"", views.not_found, name="not_found"),
]
