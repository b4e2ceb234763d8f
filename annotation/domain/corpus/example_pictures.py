"""Pictures of examples, which a scheme brings along or a project has stored."""

from dataclasses import replace

from django.templatetags.static import static

from annotation.domain.corpus.images import stored_image
from projects.models import Project
from schemes.contract.items import ItemContext


def with_picture(context: ItemContext, picture: str, project: Project | None) -> ItemContext | None:
    """Return an example with the address of its picture.

    `picture` is the path of a picture among the static files. Without it, the example has the project's
    image of the name in its metadata. Return None if the project has no such image.
    """
    if context.image and picture:
        return replace(context, image=replace(context.image, url=static(picture)))
    name = context.metadata.get("image")
    if not name:
        return context
    image = stored_image(project=project, name=name) if project else None
    return replace(context, image=image) if image else None
