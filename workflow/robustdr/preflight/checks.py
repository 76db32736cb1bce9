"""Checks of what jobs take from outside: here, and unless told otherwise on the servers that it comes from."""

import hashlib
import os
import re
from collections.abc import Iterator
from functools import singledispatchmethod
from pathlib import Path

from robustdr.collections.archives import Archive
from robustdr.core import first_seen
from robustdr.core.errors import UserError
from robustdr.core.files import sha256
from robustdr.encoding.directory import WEIGHTS
from robustdr.keys.integrity import digest
from robustdr.keys.notes import note, recall
from robustdr.preflight.findings import amount
from robustdr.preflight.hosts import Hosts, ask_hub
from robustdr.preflight.things import Download, File, FirstSeen, Folder, Generator, Kept, Pinned, Server, Thing

SENTENCE = "how do people look for passages about the history of science"
Wrong = Iterator[tuple[str, str]]  # what is wrong, and the command that mends it


class Checks:
    """Checks each thing once.

    Args:
        offline: look at this machine alone.

    Attributes:
        fetched: bytes still to be fetched, by the variable of the environment that names their folder, and by thing.
    """

    def __init__(self, offline: bool):
        self.offline, self.hosts = offline, Hosts()
        self.fetched: dict[str, dict[str, int]] = {"IR_DATASETS_HOME": {}, "HF_HOME": {}}
        self._known: dict[str, list[tuple[str, str]]] = {}

    def wrong(self, thing: Thing, needs: str) -> list[tuple[str, str]]:
        """Return what is wrong with a thing, and what mends it. `needs`: what needs it, in words."""
        if (subject := repr(thing)) not in self._known:
            self._known[subject] = list(self._wrong(thing, needs))
        return self._known[subject]

    @singledispatchmethod
    def _wrong(self, thing: Thing, needs: str) -> Wrong:
        raise NotImplementedError

    @_wrong.register
    def _(self, thing: File, needs: str) -> Wrong:
        if not thing.path.is_file():
            yield f"{thing.path}: no such file", thing.mend
        elif thing.sha and (sha := digest(thing.path)) != thing.sha:
            yield f"{thing.path}: its SHA-256 is {sha}, the configuration pins {thing.sha}", thing.mend

    @_wrong.register
    def _(self, thing: FirstSeen, needs: str) -> Wrong:
        if not thing.path.exists():
            yield f"{thing.path}: no such file or folder", thing.mend
        elif difference := first_seen.changed(thing.path):
            yield difference, thing.mend

    @_wrong.register
    def _(self, thing: Folder, needs: str) -> Wrong:
        if wrong := unusable(thing.path, thing.sha, thing.tokenizer):
            yield wrong, thing.mend

    @_wrong.register
    def _(self, thing: Download, needs: str) -> Wrong:
        if self.offline:
            yield f"{thing.url} was not downloaded", thing.mend
        elif isinstance(answer := self.hosts.size(thing.url, {}, needs), str):
            yield answer, thing.mend

    @_wrong.register
    def _(self, thing: Generator, needs: str) -> Wrong:
        try:
            thing.generator.check()
        except UserError as error:
            yield str(error), thing.mend

    @_wrong.register
    def _(self, thing: Server, needs: str) -> Wrong:
        key = os.environ.get(thing.key, "") if thing.key else ""
        if thing.key and not key:
            yield f"the environment variable {thing.key}, the key of {thing.url}, is not set", f"export {thing.key}=…"
        elif not self.offline:
            headers = {"Authorization": f"Bearer {key}"} if key else {}
            answer = self.hosts.size(f"{thing.url}/models", headers, needs)
            if isinstance(answer, str) and any(f"answers {status}" in answer for status in (401, 403)):
                yield f"{answer}: it refuses the key", f"export {thing.key or 'NAME'}=…"

    @_wrong.register
    def _(self, thing: Pinned, needs: str) -> Wrong:
        from huggingface_hub import try_to_load_from_cache

        name = thing.file or WEIGHTS
        cached = try_to_load_from_cache(thing.name, name, revision=thing.revision, repo_type=thing.kind)
        if isinstance(cached, str):
            path = Path(cached)
            wrong = "" if thing.file else unusable(path.parent, "", thing.tokenizer)
            if thing.sha and (sha := digest(path)) != thing.sha:
                wrong = f"{path}: its SHA-256 is {sha}, the configuration pins {thing.sha}"
            if wrong:
                yield wrong, f"{thing.mend} --force-download"
        elif self.offline:
            yield f"{thing.label} is not in the hub's cache (HF_HOME)", thing.mend
        else:
            answer = ask_hub(thing, self.hosts, needs)
            if isinstance(answer, int):
                self.fetched["HF_HOME"][thing.label] = answer
            elif answer:
                yield answer

    @_wrong.register
    def _(self, thing: Kept, needs: str) -> Wrong:
        archive = thing.archive
        if archive_path := next((path for path in (archive.path, archive.user_copy) if path and path.exists()), None):
            if wrong := _changed(archive_path, archive):
                yield wrong, f"rm {archive_path} && {thing.mend}"
            return
        first = next(iter(archive.urls), "")
        if self.offline:
            yield f"{archive.path or first} is not here ({amount(archive.size)} from {first})", thing.mend
            return
        refused = []
        for url, headers in archive.urls.items():
            size = self.hosts.size(url, headers, needs)
            if isinstance(size, str):
                refused.append(size)
            elif size and archive.size and size != archive.size:
                refused.append(f"{url}: the server has {size:,} bytes, {archive.size:,} were released")
            else:
                self.fetched["IR_DATASETS_HOME"][first] = archive.size
                return
        yield "; ".join(refused), f"put a copy with the MD5 {archive.md5} at {archive.path}"


def _changed(file: Path, archive: Archive) -> str:
    """Return how a file differs from what was released; '' if it does not. Its digest is noted on this machine."""
    stat = file.stat()
    if archive.size and stat.st_size != archive.size:
        return f"{file} has {stat.st_size:,} bytes, {archive.size:,} were released"
    subject, state = f"MD5 of {file.resolve()}", f"{stat.st_size} {stat.st_mtime_ns} {stat.st_ino}"
    if (md5 := recall(subject, state)) is None:
        with open(file, "rb") as opened:
            md5 = hashlib.file_digest(opened, "md5").hexdigest()
        note(subject, state, md5)
    return f"{file} has the MD5 {md5}, {archive.md5} was released" if archive.md5 not in ("", md5) else ""


def unusable(folder: Path, sha: str, tokenizer: bool) -> str:
    """Return what is wrong with a model's folder; '' if nothing is.

    Args:
        sha: SHA-256 of its weights; '' if it is not known. tokenizer: whether one belongs to it.
    """
    if not folder.is_dir():
        return f"{folder}: no such folder"
    if not (folder / WEIGHTS).is_file():
        pickled = any(folder.glob("pytorch_model*.bin"))
        return f"{folder}: no {WEIGHTS}" + ("; there is a pickle, which is not read" if pickled else "")
    if sha and (actual := sha256(folder / WEIGHTS)) != sha:
        return f"{folder / WEIGHTS}: its SHA-256 is {actual}, the configuration pins {sha}"
    return _tokenizer(folder) if tokenizer else ""


def _tokenizer(folder: Path) -> str:
    """Return why the folder's tokenizer does not give a sentence back; '' if it does."""
    from robustdr.encoding import loading

    try:
        tokenizer = loading.tokenizer(folder)
        back = tokenizer.decode(tokenizer(SENTENCE)["input_ids"], skip_special_tokens=True)
    except (OSError, ValueError) as error:  # UserError is a ValueError
        return f"{folder}: its tokenizer cannot be read ({' '.join(str(error).split())[:200]})"
    if re.findall(r"\w+", back.lower()) != SENTENCE.split():
        return f"{folder}: its tokenizer reads {SENTENCE!r} and gives back {back[:100]!r}: a file of it is missing"
    return ""
