"""The network, refused to jobs that compute: what they need was fetched before, on the host that submits them."""

import os
import socket
import sys
from functools import cache
from ipaddress import ip_address
from typing import Any

from robustdr.core.errors import UserError

LOOPBACK = ("localhost", "127.0.0.1", "::1")


@cache
def refuse() -> None:
    """Refuse this process, from now on, every connection beyond this machine; the hub's library is told to be offline.

    Python's own sockets are refused. Libraries in other languages that connect GPUs and nodes of a job are not.
    """
    os.environ["HF_HUB_OFFLINE"] = "1"
    sys.addaudithook(_check)


def _check(event: str, arguments: tuple[Any, ...]) -> None:
    """Raise a `UserError` for an event of Python's audit that reaches beyond this machine."""
    if event in ("socket.getaddrinfo", "socket.gethostbyname"):
        host = arguments[0]
    elif event in ("socket.connect", "socket.sendto", "socket.sendmsg"):
        host = arguments[1][0] if isinstance(arguments[1], tuple) else None  # a socket of Unix has a path
    else:
        return
    name = host.decode() if isinstance(host, bytes) else host
    if name and not _is_here(str(name)):
        raise UserError(
            f"this job asked for {name} over the network; jobs that compute have none, because compute nodes may not: "
            "a job on the submitting host fetches it before (`robustdr preflight TARGET` says what is missing)"
        )


def _is_here(host: str) -> bool:
    if host in (*LOOPBACK, socket.gethostname()):
        return True
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return False
    return address.is_loopback or address.is_unspecified
