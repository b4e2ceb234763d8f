"""Services that releases are published on, and the states of their publications."""

from django.db import models

from web.states import State, Tone, action, event


class Service(models.TextChoices):
    HUGGINGFACE = "huggingface", "Hugging Face Hub"
    ZENODO = "zenodo", "Zenodo"


class PublicationState(State):
    UPLOADING = "uploading", Tone.RUNNING, action("began"), "Uploading"
    PUBLISHED = "published", Tone.SUCCESS, event("was completed"), "Published"
    FAILED = "failed", Tone.DANGER, event("failed"), "Failed"
