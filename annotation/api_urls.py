from django.urls import path

from annotation.api import batches, corpus, held_bonuses, submissions

AT = "projects/<slug:slug>/"
BATCH = AT + "batches/<int:pk>/"
HELD = AT + "held-bonuses/<int:pk>/"
SUBMISSION = AT + "submissions/<int:pk>/"

urlpatterns = [
    path(AT + "sentences/", corpus.Sentences.as_view(), name="sentences"),
    path(AT + "imports/", corpus.Imports.as_view(), name="imports"),
    path(AT + "imports/<int:pk>/", corpus.ImportDetail.as_view(), name="import"),
    path(AT + "imports/<int:pk>/confirm/", corpus.ConfirmImport.as_view(), name="confirm_import"),
    path(AT + "imports/<int:pk>/cancel/", corpus.CancelImport.as_view(), name="cancel_import"),
    path(AT + "imports/<int:pk>/bad-rows/", corpus.BadRows.as_view(), name="bad_rows"),
    path(AT + "batches/", batches.Batches.as_view(), name="batches"),
    path(BATCH, batches.BatchDetail.as_view(), name="batch"),
    path(BATCH + "progress/", batches.BatchProgress.as_view(), name="batch_progress"),
    path(BATCH + "pause/", batches.PauseBatch.as_view(), name="pause_batch"),
    path(BATCH + "resume/", batches.ResumeBatch.as_view(), name="resume_batch"),
    path(BATCH + "expire/", batches.ExpireBatch.as_view(), name="expire_batch"),
    path(AT + "submissions/", submissions.Submissions.as_view(), name="submissions"),
    path(SUBMISSION, submissions.SubmissionDetail.as_view(), name="submission"),
    path(SUBMISSION + "accept/", submissions.AcceptSubmission.as_view(), name="accept_submission"),
    path(AT + "held-bonuses/", held_bonuses.HeldBonuses.as_view(), name="held_bonuses"),
    path(HELD, held_bonuses.HeldBonusDetail.as_view(), name="held_bonus"),
    path(HELD + "accept/", held_bonuses.AcceptBonus.as_view(), name="accept_bonus"),
    path(HELD + "decline/", held_bonuses.DeclineBonus.as_view(), name="decline_bonus"),
    path(SUBMISSION + "reject/", submissions.RejectSubmission.as_view(), name="reject_submission"),
    path(
        SUBMISSION + "pay-without-using/",
        submissions.PayWithoutUsing.as_view(),
        name="set_aside_submission",
    ),
    path(
        SUBMISSION + "overturn/",
        submissions.OverturnRejection.as_view(),
        name="overturn_submission",
    ),
]
