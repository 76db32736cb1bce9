"""Questions to servers: one line for each server that cannot be reached, whatever is fetched from it."""

from collections.abc import Iterator, Mapping
from urllib.parse import urlsplit

from robustdr.preflight.findings import Missing

PATIENCE = 15  # seconds


class Hosts:
    """The servers that were asked; one that cannot be reached is not asked again."""

    def __init__(self) -> None:
        self._reasons: dict[str, str] = {}
        self._files: dict[str, dict[str, str]] = {}  # by server: what is on it, with what needs it

    def size(self, url: str, headers: Mapping[str, str], needs: str) -> int | str | None:
        """Return the size of a file in bytes, 0 if the server does not say it, or why it is not there.

        None: the server cannot be reached; `unreachable` tells.
        """
        import requests

        host = urlsplit(url).netloc
        if host not in self._reasons:
            request_headers = {**headers, "Accept-Encoding": "identity"}
            try:
                with requests.get(url, headers=request_headers, stream=True, timeout=PATIENCE) as answer:
                    if answer.status_code >= 400:
                        return f"{url}: the server answers {answer.status_code} {answer.reason}"
                    return int(answer.headers.get("Content-Length", 0))
            except (requests.ConnectionError, requests.Timeout) as error:
                self.failed(host, error)
            except requests.RequestException as error:
                return f"{url}: {error}"
        self.note_need(host, url, needs)
        return None

    def failed(self, host: str, error: Exception) -> None:
        """Note that a server cannot be reached."""
        first: BaseException = error
        while first.__context__:
            first = first.__context__
        self._reasons[host] = " ".join(str(first).split())[:160]

    def is_down(self, host: str) -> bool:
        return host in self._reasons

    def note_need(self, host: str, needed_file: str, needs: str) -> None:
        """Note something that a server has which cannot be reached."""
        self._files.setdefault(host, {})[needed_file] = needs

    def unreachable(self) -> Iterator[Missing]:
        """Yield a line for each server that cannot be reached."""
        for host, files in self._files.items():
            problem = f"{host} cannot be reached ({self._reasons[host]}); {len(files)} thing(s) come from there: "
            names = ", ".join(list(files)[:3]) + (", …" if len(files) > 3 else "")
            mend = f"curl -sI https://{host}  # behind a proxy: export https_proxy=…"
            yield Missing(problem + names, mend, tuple(dict.fromkeys(files.values())))
