"""Questions to the hub about models and data sets at their pinned revisions."""

from fnmatch import fnmatch
from urllib.parse import urlsplit

from robustdr.core.hub import MODEL_FILES
from robustdr.encoding.source import WEIGHTS
from robustdr.preflight.hosts import Hosts
from robustdr.preflight.things import Pinned

CONFIG = "config.json"
CHANGE = "name a revision that the hub has in the configuration"


def asked(wanted: Pinned, hosts: Hosts, needs: str) -> int | tuple[str, str] | None:
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
        hosts.needed(host, wanted.named, needs)
        return None
    try:
        api = HfApi(endpoint=constants.ENDPOINT)
        tree = api.list_repo_tree(wanted.name, recursive=True, revision=wanted.revision, repo_type=wanted.kind)
        files = {one.path: one for one in tree if isinstance(one, RepoFile)}
    except errors.OfflineModeIsEnabled:
        return f"{wanted.named} is not in the hub's cache (HF_HOME), and HF_HUB_OFFLINE is set", "unset HF_HUB_OFFLINE"
    except errors.RevisionNotFoundError:
        return f"{wanted.named}: the hub has no such revision", CHANGE
    except errors.RepositoryNotFoundError:  # also one with terms that were not accepted
        how = "export HF_TOKEN=…  # a token of a reader of it, who accepted its terms"
        return f"{wanted.named}: the hub has no such {wanted.kind}, or shows it to others alone", how
    except errors.HfHubHTTPError as error:
        return f"{wanted.named}: the hub answers {' '.join(str(error).split())[:160]}", "run this again later"
    except (HTTPError, OSError) as error:
        hosts.failed(host, error)
        hosts.needed(host, wanted.named, needs)
        return None
    names = [wanted.file] if wanted.file else [CONFIG, WEIGHTS]
    if absent := [name for name in names if name not in files]:
        return f"{wanted.named}: that revision has no {' and no '.join(absent)}", CHANGE
    main = files[names[-1]]
    if wanted.sha and main.lfs and main.lfs.sha256 != wanted.sha:
        return f"{wanted.named}: {main.path} has the SHA-256 {main.lfs.sha256} there, {wanted.sha} is pinned", CHANGE
    beside = [name for name in files if any(fnmatch(name, form) for form in MODEL_FILES)]
    return sum(files[name].size for name in (names if wanted.file else beside))
