from django.urls import path

from releases.api import releases
from releases.converters import RELEASE

urlpatterns = [
    path("projects/<slug:slug>/releases/", releases.Releases.as_view(), name="releases"),
    path(RELEASE, releases.ReleaseDetail.as_view(), name="release"),
    path(RELEASE + "archive/", releases.ReleaseArchive.as_view(), name="release_archive"),
    path(
        RELEASE + "differences/", releases.ReleaseDifferences.as_view(), name="release_differences"
    ),
]
