"""Commands read the options that they declare."""

import ast
import inspect
from argparse import ArgumentParser, _SubParsersAction
from importlib import import_module
from pathlib import Path

import pytest
from django.core.management import get_commands, load_command_class

OWN = sorted(
    name
    for name, app in get_commands().items()
    if Path(str(import_module(app).__file__)).parts[-3] != "site-packages"
    and not app.startswith("django.")
)


def read_options(tree: ast.AST) -> set[str]:
    """Return the constant keys by which the source reads `options`."""
    return {
        node.slice.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Subscript)
        and isinstance(node.value, ast.Name)
        and node.value.id == "options"
        and isinstance(node.slice, ast.Constant)
    }


def destinations(parser: ArgumentParser) -> set[str]:
    """Return the keys of the options of a parser and of its subcommands."""
    found = {action.dest for action in parser._actions}
    for action in parser._actions:
        if isinstance(action, _SubParsersAction):
            found.update(*map(destinations, action.choices.values()))
    return found


@pytest.mark.parametrize("name", OWN)
def test_command_reads_options_that_it_declares(name):
    command = load_command_class(get_commands()[name], name)
    source = inspect.getsource(inspect.getmodule(command))
    declared = destinations(command.create_parser("manage.py", name))
    assert read_options(ast.parse(source)) <= declared


def test_options_that_are_not_declared_are_found():
    assert read_options(ast.parse("options['skill'] + options['min_skill']")) == {
        "skill",
        "min_skill",
    }
