"""The URLs of the host of HTMLQuestions. `ContentHostMiddleware` selects them."""

from django.urls import path

from marketplace.views.content import content_page, layout_preview

# The site's error pages link to pages that this host does not have.
handler404 = "marketplace.views.content.not_found"
handler500 = "marketplace.views.content.server_error"

urlpatterns = [
    path("hits/<str:hit_code>/content/", content_page, name="content"),
    path("layouts/<str:token>/", layout_preview, name="layout-preview"),
]
