"""Words to the service manager, in the protocol of sd_notify(3): one datagram, and silence where nobody listens."""

import os
import socket
from collections.abc import Mapping


def notify(environment: Mapping[str, str], *lines: str) -> bool:
    """Send `lines` such as `READY=1` or `STATUS=…`; False when there is no manager or it cannot be reached."""
    address = environment.get("NOTIFY_SOCKET", "")
    if not address.startswith(("/", "@")):
        return False
    # A leading @ stands for the zero byte of an abstract socket.
    target = "\0" + address[1:] if address.startswith("@") else address
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC) as channel:
            channel.connect(target)
            channel.sendall("\n".join(lines).encode())
    except OSError:
        return False
    return True


def watchdog_interval(environment: Mapping[str, str]) -> float | None:
    """Seconds between two `WATCHDOG=1`, half of what the manager allows; None when it asks for none of this process."""
    if environment.get("WATCHDOG_PID", str(os.getpid())) != str(os.getpid()):
        return None
    microseconds = environment.get("WATCHDOG_USEC", "")
    if not microseconds.isdecimal() or int(microseconds) == 0:
        return None
    return int(microseconds) / 2_000_000
