#!/usr/bin/env python
"""Touchstone's command line in a checkout; `manage.py help` lists the commands."""

from touchstone.command_line import main

if __name__ == "__main__":
    main("manage.py")
