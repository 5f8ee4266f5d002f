"""The `gardener` command and its help, grouped by what one wants to do."""

from __future__ import annotations

import importlib
from typing import Any

import click

from gardener.cli.context import Shared, shared

TASKS = {
    "Start": {"init": "setup", "doctor": "setup", "config": "setup", "explain": "setup"},
    "Look": {
        "tend": "tend",
        "status": "status",
        "list": "look",
        "show": "look",
        "why": "look",
        "log": "look",
        "brief": "look",
        "report": "tend",
        "check": "check",
    },
    "Look-alikes": {"judge": "judge", "label": "judge"},
    "Run in the background": {"daemon": "daemon", "service": "daemon"},
    "Decide": {"review": "review", "apply": "decide", "reject": "decide", "snooze": "decide", "undo": "decide"},
    "By hand": {"supersede": "decide", "qualify": "decide", "archive": "decide", "restore": "decide"},
}
"""Task → command → the module that holds it, imported only when the command runs."""


class Grouped(click.Group):
    """Loads a command's module when it is asked for, and lists the commands by task."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return [name for commands in TASKS.values() for name in commands]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        module = next((names[cmd_name] for names in TASKS.values() if cmd_name in names), None)
        if module is None:
            return None
        found = getattr(importlib.import_module(f"gardener.cli.{module}"), f"{cmd_name}_command")
        assert isinstance(found, click.Command)
        return found

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[Any, Any, list[str]]:
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            import difflib

            near = difflib.get_close_matches(args[0], self.list_commands(ctx), 1)
            hint = f"; did you mean {near[0]}?" if near else "; gardener --help lists the commands"
            raise click.UsageError(f"there is no command {args[0]!r}{hint}", ctx) from error

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        for task, names in TASKS.items():
            rows = [
                (name, command.get_short_help_str(60)) for name in names if (command := self.get_command(ctx, name))
            ]
            with formatter.section(task):
                formatter.write_dl(rows)


@click.group(cls=Grouped, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100})
@click.version_option(package_name="memory-gardener", message="%(prog)s %(version)s")
@shared
@click.pass_context
def commands(context: click.Context) -> None:
    """Find rot in a store of markdown memories, propose, and stop. A person decides."""
    context.ensure_object(Shared)
