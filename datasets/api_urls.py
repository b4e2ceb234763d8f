from django.urls import path

from datasets.api import figures, schemes, system_evaluations

AT = "projects/<slug:slug>/"
EVALUATIONS = AT + "system-evaluations/"

urlpatterns = [
    path("schemes/", schemes.Schemes.as_view(), name="schemes"),
    path("schemes/<slug:name>/", schemes.SchemeDetail.as_view(), name="scheme"),
    path(AT + "quality/", figures.Quality.as_view(), name="quality"),
    path(AT + "agreement/", figures.Agreement.as_view(), name="agreement"),
    path(AT + "statistics/", figures.Statistics.as_view(), name="statistics"),
    path(AT + "forecast/", figures.Forecast.as_view(), name="forecast"),
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
        EVALUATIONS + "<int:pk>/cancel/",
        system_evaluations.CancelSystemEvaluation.as_view(),
        name="cancel_system_evaluation",
    ),
    path(
        EVALUATIONS + "<int:pk>/<str:file>",
        system_evaluations.SystemEvaluationFile.as_view(),
        name="system_evaluation_file",
    ),
]
