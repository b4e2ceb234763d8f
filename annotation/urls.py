from django.urls import path

from annotation.views import (
    bonus_appeals,
    consent_and_questionnaire,
    corpus,
    decide_bonuses,
    held_bonuses,
    images,
    onboarding,
    pay,
    publish,
    rejections,
)
from annotation.views import work as views
from web.interface_language import for_workers

AT = "projects/<slug:slug>/"
app_name = "annotation"

urlpatterns = [
    path(AT + "corpus/", corpus.corpus, name="corpus"),
    path(AT + "corpus/sample/", corpus.corpus_sample, name="corpus_sample"),
    path(AT + "corpus/<int:pk>/", corpus.corpus_preview, name="corpus_preview"),
    path(AT + "corpus/<int:pk>/bad-rows.csv", corpus.bad_rows, name="bad_rows"),
    path(AT + "pay/", pay.pay, name="pay"),
    path(AT + "publish/", publish.publish, name="publish"),
    path(AT + "rejections/", rejections.rejections, name="rejections"),
    path(AT + "rejections/<int:pk>/overturn/", rejections.overturn, name="overturn"),
    path(AT + "held-bonuses/", held_bonuses.held_bonuses, name="held_bonuses"),
    path(AT + "held-bonuses/decide/", decide_bonuses.decide, name="decide_bonuses"),
    path(AT + "held-bonuses/pay-waiting/", held_bonuses.pay_waiting, name="pay_waiting_bonuses"),
    path(AT + "held-bonuses/<int:pk>/accept/", held_bonuses.accept, name="accept_bonus"),
    path(AT + "held-bonuses/<int:pk>/decline/", held_bonuses.decline, name="decline_bonus"),
    path(
        AT + "consent-and-questionnaire/",
        consent_and_questionnaire.consent_and_questionnaire,
        name="consent_and_questionnaire",
    ),
    path(
        AT + "consent-and-questionnaire/questionnaire/",
        consent_and_questionnaire.questionnaire,
        name="questionnaire",
    ),
    path(
        AT + "consent-and-questionnaire/answers.csv",
        consent_and_questionnaire.answers_csv,
        name="questionnaire_answers",
    ),
    path(AT + "bonus-appeals/<int:pk>/answer/", bonus_appeals.answer, name="answer_appeal"),
    path("work/image/<int:pk>/<int:expires>/<str:signature>/", images.image, name="image"),
    path("work/index/<int:pk>/<str:signature>/", views.resource_index, name="resource-index"),
    *for_workers(
        [
            path("bonus/<str:token>/", bonus_appeals.bonus_appeal, name="bonus_appeal"),
            path("generate/<uuid:public_id>/", views.generate, name="generate"),
            path("compensation/<uuid:public_id>/", views.compensation, name="compensation"),
            path("work/onboarding/", onboarding.onboarding, name="onboarding"),
            path("work/draft/", views.draft, name="draft"),
            path("work/submit/", views.submit, name="submit"),
            path("work/look-up/", views.look_up, name="look-up"),
            path("work/tutorial/", views.tutorial, name="tutorial"),
            path("practice/<str:series>/", views.practice_start, name="practice-start"),
            path("practice/<str:series>/<int:number>/", views.practice, name="practice"),
            path(
                "practice/<str:series>/<int:number>/check/",
                views.practice_check,
                name="practice-check",
            ),
        ]
    ),
]
