"""Errors in the user's input: one line that names file, key, value and what is allowed."""

import os
import re
import sys
from collections.abc import Callable, Iterable
from difflib import get_close_matches

from robustdr.core.markup import one_line

# Where a URL may hold a secret: before an `@`, and in parameters of such names.
SECRETS = r"[^\s?&#;=]{0,100}(?:key|token|secret|passw|pwd|credential|auth(?!or)|\bsig(?:nature)?\b)[^\s?&#;=]{0,100}"
HELD = re.compile(
    r"(?<=://)\S{0,300}@"
    r"|(?<![^\s'\"(=])[^\s:@/'\"]{1,300}:(?!//)[^\s@]{1,300}@"
    rf"|(?<=[?&#;])(?P<name>{SECRETS})=[^\s&#;'\"]*",
    re.IGNORECASE,
)


LONGEST = 2000  # characters of an error


def redacted(text: str) -> str:
    """Return a text with `…` for every possible secret in its URLs."""
    return HELD.sub(lambda match: f"{match['name']}=…" if match["name"] else "…@", text)


class UserError(ValueError):
    """Bad input. The command line prints its message alone, without a traceback, and exits with 2.

    Secrets in URLs are removed from the message.
    """

    def __init__(self, message: str):
        super().__init__(redacted(message))


class Absent(UserError):
    """A number is not there. What asked for it may write the message, so that keys cover its words."""


def unknown(subject: str, value: str, allowed: Iterable[str], meant: Iterable[str] = ()) -> UserError:
    """Return a `UserError` for `value`, which is not in `allowed`. It lists `meant` or the nearest first, then all."""
    allowed = sorted(allowed)
    suggestions = [*meant] or get_close_matches(value, allowed, n=3)
    hint = f" (did you mean {', '.join(suggestions)}?)" if suggestions else ""
    return UserError(f"{subject}: {value!r} is unknown{hint}; allowed: {', '.join(allowed)}")


def exit_status(run: Callable[[], int | None]) -> int:
    """Run a command and return its exit status. Bad input prints one line on standard error and gives status 2."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:  # the caller has closed it
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: SIM115  # it stays open
    try:
        return run() or 0
    except UserError as error:
        _say(str(error))
    except BrokenPipeError:  # the reader, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except MemoryError:
        _say("not enough memory on this machine; give the command a smaller file, or a machine with more")
    except RecursionError:
        _say("a file has too many parts inside each other; give the command a simpler one")
    except Exception as error:
        if not isinstance(error, OSError) and type(error).__name__ != "SafetensorError":
            raise
        _say(f"{redacted(str(error))}; nothing was left half-written")
    return 2


def shortened(text: str) -> str:
    """Return a text without its middle if it has more than `LONGEST` characters."""
    return text if len(text) <= LONGEST else f"{text[: LONGEST // 2]} … {text[-LONGEST // 2 :]}"


def _say(text: str) -> None:
    """Print an error as one line that moves no cursor."""
    line = "".join(c if c.isprintable() else repr(c)[1:-1] for c in one_line(text))
    print(f"robustdr: {shortened(line)}", file=sys.stderr)
