"""Every error a user can meet, each with its exit code; the command line catches them once."""


class GardenerError(Exception):
    """One line for the user: what, where, what to do. Subclasses fix the exit code."""

    exit_code = 70


class UsageError(GardenerError):
    """The command or the settings are not usable as given."""

    exit_code = 2


class SettingsError(UsageError):
    """A key of `gardener.toml` is unknown or has a value that does not fit."""


class StaleError(GardenerError):
    """Something moved since it was read; nothing was changed."""

    exit_code = 3


class PartialError(GardenerError):
    """Some of what was asked was done, the rest is named in the message."""

    exit_code = 4


class BusyError(GardenerError):
    """Another process holds the store, git is in the middle of something, or an apply is unfinished."""

    exit_code = 5


class NoStoreError(GardenerError):
    """There is no store here, or its memory folder turned up missing or empty."""

    exit_code = 6


class RestartError(GardenerError):
    """A folder the daemon was confined to was replaced; the service manager should start it anew."""

    exit_code = 75


class ConfinementError(GardenerError):
    """`confine = "require"` is set and the kernel cannot confine this process."""

    exit_code = 78
