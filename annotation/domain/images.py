"""Addresses of images, which expire."""

from datetime import timedelta

from django.core import signing
from django.urls import reverse

from annotation.models import Image, Sentence
from schemes import base

SALT = "annotation.image"
LIFE = timedelta(days=40)


def image_of(sentence: Sentence) -> base.Image | None:
    """Return the sentence's image with a signed address, or None."""
    image = sentence.image
    if image is None:
        return None
    token = signing.dumps(image.pk, salt=SALT)
    address = reverse("annotation:image", args=[token])
    return base.Image(image.name, image.width, image.height, address)


def find_image(token: str) -> Image:
    """Return the image of an address. Raise signing.BadSignature, Image.DoesNotExist."""
    return Image.objects.get(pk=signing.loads(token, salt=SALT, max_age=LIFE))
