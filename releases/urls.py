from django.urls import path

from releases.converters import RELEASE
from releases.views import comments, differences, public, publishing, releases

app_name = "releases"

AT = "projects/<slug:slug>/releases/"
PUBLIC = "datasets/<slug:slug>/<version:version>/"
PUBLISH = RELEASE + "publish/<slug:service>/"

urlpatterns = [
    path("datasets/", public.public_list, name="public_list"),
    path(PUBLIC, public.public_release, name="public_release"),
    path(PUBLIC + "statistics/", public.public_statistics, name="public_statistics"),
    path(PUBLIC + "items/", public.public_items, name="public_items"),
    path(PUBLIC + "items/<int:position>/", public.public_item, name="public_item"),
    path(PUBLIC + "items/<int:position>/comment/", comments.comment, name="comment"),
    path(
        PUBLIC + "items/<int:position>/comment/<int:number>/remove/",
        comments.remove_own_comment,
        name="remove_own_comment",
    ),
    path(PUBLIC + "archive.zip", public.public_archive, name="public_archive"),
    path(RELEASE + "open/", public.open_release, name="open_release"),
    path(RELEASE + "close/", public.close_release, name="close_release"),
    path("releases/import/", releases.import_release, name="import_release"),
    path(AT, releases.releases, name="releases"),
    path(AT + "new/", releases.new_release, name="new_release"),
    path(RELEASE, releases.release_details, name="release_details"),
    path(RELEASE + "comments/", comments.release_comments, name="release_comments"),
    path(
        RELEASE + "comments/<int:number>/remove/",
        comments.remove_release_comment,
        name="remove_release_comment",
    ),
    path(RELEASE + "build/", releases.build_release, name="build_release"),
    path(RELEASE + "archive.zip", releases.release_archive, name="release_archive"),
    path(PUBLISH, publishing.publish_release, name="publish_release"),
    path(PUBLISH + "token/", publishing.store_service_token, name="store_service_token"),
    path(PUBLISH + "forget-token/", publishing.forget_service_token, name="forget_service_token"),
    path(RELEASE + "differences/", differences.release_differences, name="release_differences"),
    path(
        RELEASE + "differences.csv",
        differences.release_differences_csv,
        name="release_differences_csv",
    ),
]
