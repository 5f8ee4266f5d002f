"""The kernel's Landlock interface, by ctypes: which version is there, and giving up the right to write for good.

Source of all numbers: linux/landlock.h and Documentation/userspace-api/landlock.rst. Only the calling thread and what
it starts later is confined, so call this before any thread exists.
"""

import ctypes
import errno
import os
import sys
from collections.abc import Iterable
from pathlib import Path

# The three system calls came with Linux 5.13 and have the same numbers on every architecture that Linux has added calls
# to since 5.1 (all that Python runs on, alpha aside).
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_CREATE_RULESET_VERSION = 1
_RULE_PATH_BENEATH = 1
_PR_SET_NO_NEW_PRIVS = 38

# Rights on what lies in a folder.
_WRITE_FILE = 1 << 1
_REMOVE_DIR, _REMOVE_FILE = 1 << 4, 1 << 5
_MAKE_CHAR, _MAKE_DIR, _MAKE_REG, _MAKE_SOCK = 1 << 6, 1 << 7, 1 << 8, 1 << 9
_MAKE_FIFO, _MAKE_BLOCK, _MAKE_SYM = 1 << 10, 1 << 11, 1 << 12
_TRUNCATE = 1 << 14
_CHANGE_TREE = _REMOVE_DIR | _REMOVE_FILE | _MAKE_CHAR | _MAKE_DIR | _MAKE_REG | _MAKE_SOCK
_CHANGE_TREE |= _MAKE_FIFO | _MAKE_BLOCK | _MAKE_SYM

TRUNCATE_ABI = 3
# A kernel without Landlock, one where it is switched off, and a container whose filter refuses the call.
_UNAVAILABLE = {errno.ENOSYS, errno.EOPNOTSUPP, errno.EPERM}


class _RulesetAttr(ctypes.Structure):
    _fields_ = (("handled_access_fs", ctypes.c_uint64),)


class _PathBeneathAttr(ctypes.Structure):
    _pack_ = 1
    _fields_ = (("allowed_access", ctypes.c_uint64), ("parent_fd", ctypes.c_int32))


def version() -> int:
    """The kernel's Landlock ABI, 0 where it has none or refuses to say."""
    if sys.platform != "linux":
        return 0
    try:
        return _call(_CREATE_RULESET, None, ctypes.c_size_t(0), ctypes.c_uint32(_CREATE_RULESET_VERSION))
    except OSError as error:
        if error.errno in _UNAVAILABLE:
            return 0
        raise


def give_up_writing(abi: int, folders: Iterable[Path], files: Iterable[Path]) -> None:
    """Let this thread, and all it starts, write only below `folders` and to `files`, for ever. Reading stays free.

    Moving and linking between folders is denied everywhere: the kernel does so unless the right to it is asked for.
    Raises OSError where the kernel refuses.
    """
    # Below version 3 the kernel knows no right to truncate, so cutting a file short by its path stays possible.
    write = _WRITE_FILE | (_TRUNCATE if abi >= TRUNCATE_ABI else 0)
    handled = _CHANGE_TREE | write
    attributes = _RulesetAttr(handled)
    size = ctypes.c_size_t(ctypes.sizeof(attributes))
    ruleset = _call(_CREATE_RULESET, ctypes.byref(attributes), size, ctypes.c_uint32(0))
    try:
        for folder in folders:
            _allow(ruleset, folder, handled)
        for file in files:
            _allow(ruleset, file, write)
        _forgo_new_privileges()
        _call(_RESTRICT_SELF, ctypes.c_int(ruleset), ctypes.c_uint32(0))
    finally:
        os.close(ruleset)


def unavailable(error: OSError) -> bool:
    """Whether `error` says that Landlock is missing or switched off, rather than that we used it wrongly."""
    return error.errno in _UNAVAILABLE


def _allow(ruleset: int, path: Path, access: int) -> None:
    parent = os.open(path, os.O_PATH | os.O_CLOEXEC)
    try:
        rule = _PathBeneathAttr(access, parent)
        _call(
            _ADD_RULE, ctypes.c_int(ruleset), ctypes.c_int(_RULE_PATH_BENEATH), ctypes.byref(rule), ctypes.c_uint32(0)
        )
    finally:
        os.close(parent)


def _forgo_new_privileges() -> None:
    zero = ctypes.c_ulong(0)
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(ctypes.c_int(_PR_SET_NO_NEW_PRIVS), ctypes.c_ulong(1), zero, zero, zero) != 0:
        raise OSError(ctypes.get_errno(), "no_new_privs was refused")


def _call(number: int, *arguments: object) -> int:
    libc = ctypes.CDLL(None, use_errno=True)
    libc.syscall.restype = ctypes.c_long
    result: int = libc.syscall(ctypes.c_long(number), *arguments)
    if result < 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))
    return result
