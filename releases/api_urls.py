from django.urls import path

from releases.api import releases
from releases.converters import RELEASE

urlpatterns = [
    path("projects/<slug:slug>/releases/", releases.Releases.as_view(), name="releases"),
    path(
        "projects/<slug:slug>/release-jobs/<int:pk>/",
        releases.ReleaseJob.as_view(),
        name="release_job",
    ),
    path(
        "projects/<slug:slug>/release-jobs/<int:pk>/cancel/",
        releases.CancelReleaseJob.as_view(),
        name="cancel_release_job",
    ),
    path(RELEASE, releases.ReleaseDetail.as_view(), name="release"),
    path(RELEASE + "archive/", releases.ReleaseArchive.as_view(), name="release_archive"),
    path(
        RELEASE + "differences/", releases.ReleaseDifferences.as_view(), name="release_differences"
    ),
]
