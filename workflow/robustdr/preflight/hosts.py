"""Questions to servers and to the hub; one line for each server that cannot be reached, whatever comes from it."""

from collections.abc import Iterator, Mapping
from fnmatch import fnmatch
from urllib.parse import urlsplit

from robustdr.core.hub import MODEL_FILES
from robustdr.encoding.directory import WEIGHTS
from robustdr.preflight.findings import Missing
from robustdr.preflight.things import Pinned

PATIENCE = 15  # seconds
CONFIG = "config.json"
CHANGE = "name a revision that the hub has in the configuration"


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


def ask_hub(pinned: Pinned, hosts: Hosts, needs: str) -> int | tuple[str, str] | None:
    """Ask the hub for the files of a revision.

    Returns:
        The bytes that are to be fetched; or what is wrong, and what mends it; None: the hub cannot be reached, and
        `hosts` tells.
    """
    from httpx2 import HTTPError
    from huggingface_hub import HfApi, constants, errors
    from huggingface_hub.hf_api import RepoFile

    host = urlsplit(constants.ENDPOINT).netloc
    if hosts.is_down(host):
        hosts.note_need(host, pinned.label, needs)
        return None
    try:
        api = HfApi(endpoint=constants.ENDPOINT)
        tree = api.list_repo_tree(pinned.name, recursive=True, revision=pinned.revision, repo_type=pinned.kind)
        files = {entry.path: entry for entry in tree if isinstance(entry, RepoFile)}
    except errors.OfflineModeIsEnabled:
        return f"{pinned.label} is not in the hub's cache (HF_HOME), and HF_HUB_OFFLINE is set", "unset HF_HUB_OFFLINE"
    except errors.RevisionNotFoundError:
        return f"{pinned.label}: the hub has no such revision", CHANGE
    except errors.RepositoryNotFoundError:  # also one with terms that were not accepted
        mend = "export HF_TOKEN=…  # a token of a reader of it, who accepted its terms"
        return f"{pinned.label}: the hub has no such {pinned.kind}, or shows it to others alone", mend
    except errors.HfHubHTTPError as error:
        return f"{pinned.label}: the hub answers {' '.join(str(error).split())[:160]}", "run this again later"
    except (HTTPError, OSError) as error:
        hosts.failed(host, error)
        hosts.note_need(host, pinned.label, needs)
        return None
    names = [pinned.file] if pinned.file else [CONFIG, WEIGHTS]
    if absent := [name for name in names if name not in files]:
        return f"{pinned.label}: that revision has no {' and no '.join(absent)}", CHANGE
    main = files[names[-1]]
    if pinned.sha and main.lfs and main.lfs.sha256 != pinned.sha:
        return f"{pinned.label}: {main.path} has the SHA-256 {main.lfs.sha256} there, {pinned.sha} is pinned", CHANGE
    model_files = [name for name in files if any(fnmatch(name, form) for form in MODEL_FILES)]
    return sum(files[name].size for name in (names if pinned.file else model_files))
