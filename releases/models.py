"""Releases of datasets, and the items that each of them froze."""

from django.conf import settings
from django.db import models
from django.db.models import Q

from consolidation.enums import GoldSource
from consolidation.models import Gold
from jobs.models import Job
from projects.models import Project
from releases.enums import PublicationState, Service


class Release(models.Model):
    """A numbered version of a project's gold. Only `archive` and `manifest` are set later, once.

    `details` is what the requester entered (see `releases.domain.details`), and `facts` what the site
    knew at `frozen_at` (see `releases.domain.facts`). `manifest` is that of the built folder, and
    `archive` has the name, bytes and SHA-256 of its ZIP file. `job` is the job that makes the release, if
    it is not made by a command.
    """

    project = models.ForeignKey(Project, on_delete=models.PROTECT, related_name="releases")
    version = models.CharField(max_length=20)
    major = models.PositiveIntegerField()
    minor = models.PositiveIntegerField()
    source = models.CharField(max_length=20, choices=GoldSource)
    details = models.JSONField()
    facts = models.JSONField()
    job = models.ForeignKey(
        Job, on_delete=models.SET_NULL, null=True, blank=True, related_name="releases"
    )
    released_by = models.CharField(max_length=150)
    frozen_at = models.DateTimeField()
    manifest = models.JSONField(default=dict, blank=True)
    archive = models.JSONField(default=dict, blank=True)

    class Meta:
        ordering = ["-major", "-minor"]
        constraints = [
            models.UniqueConstraint(
                fields=["project", "major", "minor"], name="release_version_once"
            ),
            models.CheckConstraint(
                condition=Q(archive={}, manifest={}) | (~Q(archive={}) & ~Q(manifest={})),
                name="release_archive_with_manifest",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.project} {self.version}"

    @property
    def is_built(self) -> bool:
        return bool(self.archive)


class PublicRelease(models.Model):
    """A release that anyone may read on the site. Without a row, only the project's staff may.

    With `has_comments`, signed-in people may comment on its items.
    """

    release = models.OneToOneField(Release, on_delete=models.CASCADE, related_name="public")
    has_comments = models.BooleanField(default=False)
    opened_by = models.CharField(max_length=150)
    opened_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"public {self.release}"


class ReleasedItem(models.Model):
    """An item of a release, with all that its files contain. It never changes.

    `row` is a gold row as JSON (see `releases.domain.rows`), and `digest` the SHA-256 of its sentence,
    target and content.
    """

    release = models.ForeignKey(Release, on_delete=models.CASCADE, related_name="items")
    position = models.PositiveIntegerField()
    key = models.CharField(max_length=240)
    domain = models.CharField(max_length=60, blank=True)
    partition = models.CharField(max_length=10, blank=True)
    gold = models.ForeignKey(Gold, on_delete=models.PROTECT, related_name="+")
    row = models.JSONField()
    digest = models.CharField(max_length=64)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["release", "position"], name="released_item_order"),
            models.UniqueConstraint(fields=["release", "key"], name="released_item_once"),
        ]

    def __str__(self) -> str:
        return f"{self.key} of release {self.release_id}"


class ItemComment(models.Model):
    """What a signed-in person wrote about an item of a public release.

    A removed comment keeps its text, which only the project's staff can read. `reason` is why it was
    removed, or "" if its author removed it.
    """

    item = models.ForeignKey(ReleasedItem, on_delete=models.CASCADE, related_name="comments")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="+")
    text = models.TextField()
    created_at = models.DateTimeField()
    removed_at = models.DateTimeField(null=True, blank=True)
    removed_by = models.CharField(max_length=150, blank=True)
    reason = models.CharField(max_length=500, blank=True)

    class Meta:
        ordering = ["created_at", "pk"]

    def __str__(self) -> str:
        return f"comment {self.pk} on {self.item}"


class ServiceToken(models.Model):
    """A project's token for a service that publishes releases.

    `sealed` is the encrypted token, or "" after its deletion.
    """

    project = models.ForeignKey(Project, on_delete=models.CASCADE, related_name="service_tokens")
    service = models.CharField(max_length=20, choices=Service)
    sealed = models.TextField(blank=True)
    entered_by = models.CharField(max_length=150)
    entered_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "service"], name="service_token_once")
        ]

    def __str__(self) -> str:
        return f"token of {self.project} for {self.service}"


class Publication(models.Model):
    """A release on a service, or its upload.

    `repository` is the name of a dataset on the Hub, such as "lab/wikinews", and `record` the number of
    a record of Zenodo, which is stored before any file is sent. `commit` is the Hub's commit with the
    files. `doi` is that of the version, and `concept_doi` that of all versions. `job` is the job that
    uploads the files, if no command does.
    """

    release = models.ForeignKey(Release, on_delete=models.CASCADE, related_name="publications")
    service = models.CharField(max_length=20, choices=Service)
    repository = models.CharField(max_length=200, blank=True)
    private = models.BooleanField(default=False)
    record = models.CharField(max_length=40, blank=True)
    commit = models.CharField(max_length=40, blank=True)
    state = models.CharField(
        max_length=20, choices=PublicationState, default=PublicationState.UPLOADING
    )
    url = models.CharField(max_length=300, blank=True)
    doi = models.CharField(max_length=100, blank=True)
    concept_doi = models.CharField(max_length=100, blank=True)
    problem = models.TextField(blank=True)
    job = models.ForeignKey(
        Job, on_delete=models.SET_NULL, null=True, blank=True, related_name="publications"
    )
    started_by = models.CharField(max_length=150)
    started_at = models.DateTimeField()
    published_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["release", "service"], name="publication_once"),
            models.CheckConstraint(
                condition=Q(published_at=None) | ~Q(url=""), name="publication_with_address"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.release} on {self.get_service_display()}"
