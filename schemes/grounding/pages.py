"""Data of the workers' pages: the image, the captions, and the limits of boxes."""

from collections.abc import Sequence

from schemes.contract.items import ItemContext
from schemes.contract.pages import Pages
from schemes.contract.values import Json
from schemes.grounding.content import MAX_BOXES, MAX_ITEM_BOXES

# Sides of a box that workers draw, in pixels of the image.
MIN_SIDE = 3
# Boxes with at least this IoU are the same: the mean of two annotators' boxes is proposed to the
# consolidator, and a validator does not draw a box again.
AGREED_IOU = 0.9


class GroundingPages(Pages):
    """Pages of captions."""

    def shared(self, contexts: Sequence[ItemContext]) -> Json:
        """Return the smallest side of a box, limits, and the IoU of agreement."""
        return {
            "minSide": MIN_SIDE,
            "maxBoxes": MAX_BOXES,
            "maxItemBoxes": MAX_ITEM_BOXES,
            "agreedIou": AGREED_IOU,
        }

    def item(self, context: ItemContext) -> Json:
        """Return the image and the captions, which are half-open token spans.

        `{"image": {"url", "width", "height", "name"} or None, "captions": [[start, end], ...]}`.
        """
        image = context.image
        return {
            "image": image
            and {
                "url": image.url,
                "width": image.width,
                "height": image.height,
                "name": image.name,
            },
            "captions": context.metadata.get("captions") or [[0, len(context.tokens)]],
        }


PAGES = GroundingPages()
