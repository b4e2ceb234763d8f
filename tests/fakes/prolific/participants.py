"""The participant's actions: find studies, take a place, and complete or return it."""

from dataclasses import dataclass

from tests.fakes.prolific import money, studies, submissions
from tests.fakes.prolific.state import Person, Platform, Study, Submission

OPEN = ("RESERVED", "ACTIVE", "PROCESSING")
NEVER_RETURNABLE = {"APPROVED", "PARTIALLY APPROVED", "REJECTED", "RETURNED", "SCREENED OUT"}


class NotEligibleError(Exception):
    """The participant can't take this study, or the submission does not allow the action."""


def tick(platform: Platform) -> None:
    """Apply all changes that are due."""
    studies.apply_due(platform)
    submissions.apply_due(platform)
    money.deliver_due_bonuses(platform)


@dataclass(frozen=True)
class Participant:
    """A participant. Methods without a submission's id use the latest submission."""

    platform: Platform
    person: Person

    @property
    def id(self) -> str:
        return self.person.id

    @property
    def submissions(self) -> list[Submission]:
        rows = self.platform.submissions.values()
        return [row for row in rows if row.participant == self.id]

    def available_studies(self) -> list[Study]:
        with self.platform.lock:
            tick(self.platform)
            return [row for row in self.platform.studies.values() if self._problem(row) is None]

    def reserve(self, study: Study | str) -> Submission:
        """Reserve a place for ten minutes."""
        platform = self.platform
        with platform.lock:
            tick(platform)
            row = platform.study(study if isinstance(study, str) else study.id)
            if problem := self._problem(row):
                raise NotEligibleError(problem)
            submission = Submission(platform.new_id(), row.id, self.id, platform.now)
            submission.access = self._free_access(row)
            submission.status = ""
            platform.submissions[submission.id] = submission
            submissions.set_status(platform, submission, "RESERVED")
            return submission

    def open(self, submission: Submission | str | None = None) -> str:
        """Open the study's page, and return its address with the three ids."""
        with self.platform.lock:
            row = self._submission(submission)
            if row.status == "RESERVED":
                submissions.start(self.platform, row)
            return self.arrival_url(row)

    def take(self, study: Study | str) -> str:
        """Take a place, and return the address with the three ids."""
        return self.open(self.reserve(study))

    def complete(self, code: str, submission: Submission | str | None = None) -> Submission:
        """Enter a completion code, by the redirect or on the page."""
        with self.platform.lock:
            row = self._submission(submission)
            study = self.platform.studies[row.study]
            is_full = study.stopped or self.platform.places_taken(study) >= study.places
            if row.status == "TIMED-OUT" and is_full:
                raise NotEligibleError("The place is no longer available.")
            if row.settles_at or row.status not in ("ACTIVE", "TIMED-OUT"):
                raise NotEligibleError(f"The submission is {row.status}.")
            submissions.complete(self.platform, row, code)
            return row

    def leave_without_code(self, submission: Submission | str | None = None) -> Submission:
        return self.complete(submissions.NO_CODE, submission)

    def return_place(self, submission: Submission | str | None = None) -> Submission:
        """Return a place, even after completion."""
        with self.platform.lock:
            row = self._submission(submission)
            if row.status in NEVER_RETURNABLE:
                raise NotEligibleError(f"The submission is {row.status}.")
            row.settles_at = None
            submissions.set_status(self.platform, row, "RETURNED")
            return row

    def arrival_url(self, submission: Submission) -> str:
        fields = self.platform.studies[submission.study].fields
        address = fields["external_study_url"]
        if submission.access is not None:
            address = fields["access_details"][submission.access]["external_url"]
        values = {
            "PROLIFIC_PID": self.id,
            "STUDY_ID": submission.study,
            "SESSION_ID": submission.id,
        }
        for name, value in values.items():
            address = address.replace("{{%" + name + "%}}", value)
        return str(address)

    def _submission(self, submission: Submission | str | None) -> Submission:
        tick(self.platform)
        if submission is None:
            return self.submissions[-1]
        row = self.platform.submission(submission if isinstance(submission, str) else submission.id)
        if row.participant != self.id:
            raise NotEligibleError("The submission is another participant's.")
        return row

    def _problem(self, study: Study) -> str | None:
        """Return why the participant can't take the study, or None."""
        platform = self.platform
        if study.status != "ACTIVE":
            return f"The study is {study.status}."
        rows = platform.submissions_of(study)
        open_count = sum(row.status in OPEN for row in rows)
        own_rows = [row for row in rows if row.participant == self.id]
        if platform.places_taken(study) >= study.places or 0 <= study.max_at_once <= open_count:
            return "All places are taken."
        if any(row.status in OPEN for row in own_rows):
            return "The participant has an open submission."
        if 0 <= study.max_per_participant <= len(own_rows):
            return "The participant has taken the study."
        if not studies.is_eligible(platform, study, self.person):
            return "The participant is not eligible."
        return None

    def _free_access(self, study: Study) -> int | None:
        """Return the index of the URL with the most open places."""
        details = study.fields["access_details"]
        if not details:
            return None
        used = [
            row.access
            for row in self.platform.submissions_of(study)
            if row.status in submissions.HOLDING
        ]
        free = [
            detail["total_allocation"] - used.count(index) for index, detail in enumerate(details)
        ]
        return free.index(max(free))
