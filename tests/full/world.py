"""All that full scale reads, laid out in folders as a user has it, and the configuration that binds it."""

import json
from pathlib import Path

import yaml
from tests.full import corpora, hub, models

from robustdr.core.files import sha256
from robustdr.core.hub import MODEL_FILES
from robustdr.variations.answers import Answer, Answers
from robustdr.variations.llm import Llm

SMALL = {"batch_size": 8, "devices": 1, "epochs": 0.5, "passage_length": 48, "negatives": 3}


class World:
    """Folders below `folder`: `irds` and `hub` are the caches, `data` is what people fetch by hand.

    The folder itself is an overlay: full.yaml with smaller budgets, collections.yaml with the invented files' digests.
    """

    def __init__(self, folder: Path, config: Path):
        self.irds, self.hub, self.data = folder / "irds", folder / "hub", folder / "data"
        self.scale, self.collections = (tree(config / name) for name in ("scales/full.yaml", "collections.yaml"))
        self._papers()
        self._checkpoints(folder / "published")
        self._answers()
        self._overlay(folder)

    def _papers(self) -> None:
        queries = corpora.msmarco(self.irds)
        corpora.documents(self.irds)
        checked = corpora.antique(self.irds)
        files = corpora.hub_files(*corpora.dpr(self.irds))
        for source in self.collections.values():
            for part in source["splits"].values():
                if name := part.get("hub"):
                    path = self.data / "downloads" / part["file"].replace("/", "-")
                    corpora.put(path, files[name][part["file"]])
                    hub.cache(self.hub, "datasets", name, part["revision"], {part["file"]: path})
                    if "sha256" in part:
                        part["sha256"] = sha256(path)
        corpora.dl_typo(self.data / "dl-typo")
        corpora.qvg(self.data / "qvg", queries["2019"], checked)

    def _checkpoints(self, published: Path) -> None:
        for entry in self.scale["checkpoints"].values():
            source = entry.get("source", {})
            if "hub" in source and not (folder := published / source["hub"]).exists():
                models.write_published(models.CHECKPOINTS[source["hub"]], folder)
                hub.cache(self.hub, "models", source["hub"], source["revision"], hub.fetched(folder, MODEL_FILES))
        for name in models.FOLDERS:
            models.write_converted(name, published, self.data / "models" / name)

    def _overlay(self, folder: Path) -> None:
        typed = self.scale["variations"]["human_misspelling"]["parameters"]
        typed["digest"] = sha256(self.data / "dl-typo/query.typo.tsv")
        pinned = self.collections["dl-typo"]["sha256"]
        pinned |= {name: sha256(self.data.parent / name) for name in pinned}
        for budget in self.scale["budgets"].values():
            budget |= {key: min(small, budget[key]) for key, small in SMALL.items()}
        for budget in self.scale["pretraining"].values():
            budget |= {"epochs": 0.2, "batch_size": 16, "devices": 1, "workers": 1, "length": 48}
        self.scale |= {"seeds": 1, "seeds_of": {}, "threads": 1, "variation_shard": 20_000_000}
        self.scale["embeddings"]["shards"] = 2
        changed = ("dl-typo", "wikiqa", "natural-questions", "trivia-qa")
        for name, tree in (
            ("scales/full.yaml", self.scale),
            ("collections.yaml", {name: self.collections[name] for name in changed}),
        ):
            corpora.put(folder / name, yaml.safe_dump(tree, sort_keys=False))

    def _answers(self) -> None:
        """Keep five versions of each question, as if a language model had been asked before."""
        llm = Llm(**self.scale["variations"]["llm"]["parameters"])
        answers = Answers(self.data.parent / llm.cache)
        for fact in (*corpora.ANSWERS, *corpora.SENTENCES):
            versions = tuple(f"{fact.question}, in {n} words" for n in range(4, 9))
            answers.add(llm._key(fact.question), Answer(versions))


def tree(path: Path):
    """The tree of a YAML file, in which nothing is shared by anchors any more."""
    return json.loads(json.dumps(yaml.safe_load(path.read_text(encoding="utf-8"))))
