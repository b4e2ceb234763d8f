from model_annotators.models import ModelAnnotator
from tests.crowd.factories import NOW


def make_model(project, **fields) -> ModelAnnotator:
    """Create a model whose server no test starts."""
    values = {"name": "Qwen 3", "url": "http://127.0.0.1:1/v1", "model": "qwen3", "cap_cents": 100}
    return ModelAnnotator.objects.create(project=project, registered_at=NOW, **values | fields)


def model_of(project) -> ModelAnnotator:
    """Return a model of the project, which is created if there is none."""
    return project.model_annotators.first() or make_model(project)
