"""The command line. A command parses, calls one function below, and prints."""

from gardener.cli.group import commands

__all__ = ["commands"]
