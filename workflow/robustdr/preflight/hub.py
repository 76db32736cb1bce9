"""Questions to the hub about models and data sets at their pinned revisions."""

from fnmatch import fnmatch
from urllib.parse import urlsplit

from robustdr.core.hub import MODEL_FILES
from robustdr.encoding.source import WEIGHTS
from robustdr.preflight.hosts import Hosts
from robustdr.preflight.things import Pinned

CONFIG = "config.json"
CHANGE = "name a revision that the hub has in the configuration"


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
