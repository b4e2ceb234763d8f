from django.apps import AppConfig


class OperationConfig(AppConfig):
    name = "operation"

    def ready(self) -> None:
        from operation import task_records  # noqa: F401, PLC0415 - it needs the tables
