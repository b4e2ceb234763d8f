from django.urls import path

from datasets.api import schemes, system_evaluations

EVALUATIONS = "projects/<slug:slug>/system-evaluations/"

urlpatterns = [
    path("schemes/", schemes.Schemes.as_view(), name="schemes"),
    path("schemes/<slug:name>/", schemes.SchemeDetail.as_view(), name="scheme"),
    path(
        EVALUATIONS,
        system_evaluations.SystemEvaluations.as_view(),
        name="system_evaluations",
    ),
    path(
        EVALUATIONS + "<int:pk>/",
        system_evaluations.SystemEvaluationDetail.as_view(),
        name="system_evaluation",
    ),
    path(
        EVALUATIONS + "<int:pk>/<str:file>",
        system_evaluations.SystemEvaluationFile.as_view(),
        name="system_evaluation_file",
    ),
]
