"""Secrets of servers: never in a URL, always in a variable of the environment."""

import os
import re
from typing import Annotated
from urllib.parse import unquote

from pydantic import AfterValidator, Field

from robustdr.core.errors import SECRETS, UserError


def check_url(url: str) -> str:
    """Return `url`, which is written to files unchanged.

    Raises:
        UserError: it holds a user name, a password, or a parameter such as `api-key`; the message hides them.
    """
    address, *parameters = re.split("[?&#;]", url)
    names = [unquote(parameter.partition("=")[0]) for parameter in parameters]
    held = [name for name in names if re.fullmatch(SECRETS, name, re.IGNORECASE)]
    if "@" in unquote(address) or held:
        leak = f"the parameter {held[0]!r}" if held else "a user name or a password"
        raise UserError(
            f"the URL holds {leak}, and URLs are written to files; leave it out, set an environment variable to the "
            "secret, and give that variable's name as the key (`key: NAME`, `--key NAME`)"
        )
    return url


def _without_secret(url: str) -> str:
    try:
        return check_url(url)
    except UserError as error:
        raise ValueError(error) from None


URL = Annotated[str, Field(pattern="^https?://."), AfterValidator(_without_secret)]


def check_variable(variable: str) -> None:
    """Check that `variable` may name an environment variable.

    Raises:
        UserError: it may not; the message does not print it, because it may be the key.
    """
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", variable):
        raise UserError("key: the name of the environment variable that holds the key is expected, not the key itself")


def secret(variable: str) -> str:
    """Return the key in an environment variable; '' if `variable` is empty.

    Raises:
        UserError: the variable is not set, or `variable` is not a valid name.
    """
    if not variable:
        return ""
    check_variable(variable)
    if not os.environ.get(variable):
        raise UserError(f"key: the environment variable {variable} is not set")
    return os.environ[variable]
