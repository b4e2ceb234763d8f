"""Read-only admin pages of models and their answers."""

from audit.admin import register_read_only
from model_annotators.models import ModelAnnotator, ModelAnswer

register_read_only(
    ModelAnnotator, "name project model state", filters="state", exclude=["sealed_key"]
)
register_read_only(ModelAnswer, "annotator item attempt problem answered_at", related="annotator")
