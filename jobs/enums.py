from web.states import Phrase, State, Tone, action, event


class JobState(State):
    UPLOADED = (
        "uploaded",
        Tone.WAITING,
        Phrase("uploaded the files of {it}", "the files of {it} were uploaded"),
        "Waiting for confirmation",
    )
    QUEUED = "queued", Tone.WAITING, action("started"), "Queued"
    RUNNING = "running", Tone.RUNNING, event("began"), "Running"
    FINISHED = "finished", Tone.SUCCESS, event("finished"), "Finished"
    FAILED = "failed", Tone.DANGER, event("failed"), "Failed"
    CANCELLED = "cancelled", Tone.NEUTRAL, action("cancelled"), "Cancelled"


# States in which a job still has work to do.
UNFINISHED = (JobState.QUEUED, JobState.RUNNING)
