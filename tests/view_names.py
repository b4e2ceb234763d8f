"""View names of the staff pages by route name, for tests that open pages of several apps."""

from projects.permissions import page_rules

APPS = {
    "dashboard",
    "projects",
    "annotation",
    "benchmarks",
    "consolidation",
    "datasets",
    "model_annotators",
    "rehearsal",
    "releases",
}
WORKER_PAGES = {
    *("workers", "worker", "worker_note", "erase_worker_page", "compensate"),
    *("inbox", "thread", "worker_label"),
}
VIEW_NAMES = {
    name.partition(":")[2]: name
    for name in page_rules()
    if name.partition(":")[0] in APPS or name.removeprefix("qualification:") in WORKER_PAGES
}
