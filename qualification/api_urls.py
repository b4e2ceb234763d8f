from django.urls import path

from qualification import api

IN_API = "projects/<slug:slug>/"

urlpatterns = [
    path(IN_API + "pools/", api.Pools.as_view(), name="pools"),
    path(IN_API + "rounds/", api.Rounds.as_view(), name="rounds"),
    path(IN_API + "evaluations/", api.Evaluations.as_view(), name="evaluations"),
    path(IN_API + "evaluations/<int:pk>/", api.EvaluationDetail.as_view(), name="evaluation"),
]
