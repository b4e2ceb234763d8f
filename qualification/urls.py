from django.urls import path

from qualification.views import desk, feedback, rounds, trainee

app_name = "qualification"

AT = "projects/<slug:slug>/training/"
TRAINEE = AT + "rounds/<int:pk>/<str:pseudonym>/"

urlpatterns = [
    path(AT, rounds.rounds, name="rounds"),
    path(AT + "set-up/", rounds.set_up, name="set_up"),
    path(AT + "funnel.svg", rounds.funnel_svg, name="funnel_svg"),
    path(AT + "funnel.csv", rounds.funnel_csv, name="funnel_csv"),
    path(AT + "rounds/<int:pk>/", desk.desk, name="round"),
    path(AT + "rounds/<int:pk>/publish/", rounds.publish, name="publish"),
    path(AT + "rounds/<int:pk>/decide/", desk.decide, name="decide"),
    path(TRAINEE, trainee.trainee, name="trainee"),
    path(TRAINEE + "overrule/", trainee.overrule, name="overrule"),
    path(TRAINEE + "feedback/", trainee.write, name="write"),
    path(TRAINEE + "preview/", trainee.preview, name="preview"),
    path("feedback/<str:token>/", feedback.feedback, name="feedback"),
]
