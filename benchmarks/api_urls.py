from django.urls import path

from benchmarks.api import benchmarks
from releases import converters  # noqa: F401  # registers the converter of versions

AT = "benchmarks/<slug:slug>/<version:version>/"

urlpatterns = [
    path("benchmarks/", benchmarks.Benchmarks.as_view(), name="benchmarks"),
    path(AT, benchmarks.BenchmarkDetail.as_view(), name="benchmark"),
    path(f"{AT}entries/", benchmarks.Entries.as_view(), name="entries"),
    path(f"{AT}entries/<int:pk>/", benchmarks.EntryDetail.as_view(), name="entry"),
]
