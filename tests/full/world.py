"""All that full scale reads, laid out in folders as a user has it, and the configuration that binds it."""

import json
from pathlib import Path

import yaml
from tests.full import corpora, hub, models

from robustdr.core.files import sha256
from robustdr.core.hub import MODEL_FILES
from robustdr.variations.llm import Answer, Answers, Llm

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
        pages = corpora.documents(self.irds)
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
        typed = corpora.dl_typo(self.data / "dl-typo")
        corpora.qvg(self.data / "qvg", queries["2019"], checked)
        splits = {"msmarco-passage/dev": queries["dev"], "msmarco-document/dev": pages, "antique/test": checked}
        # Of the training queries, RoDR's authors varied a part.
        splits |= {
            "msmarco-passage/train": queries["train"][:-3],
            "msmarco-document/train": corpora.asked_of_pages("train")[:-3],
        }
        self._released(splits | {"dl-typo/test": typed})

    def _released(self, splits: dict[str, list[tuple[str, str]]]) -> None:
        """Put a file of the user in place of each file of a repository: the labels, or the split's queries changed."""
        varied = [(of["released"], at) for of in self.scale["variations"].values() for at in of.get("released", {})]
        corrected = [(of, name) for of in self.scale["corrected"].values() for name in of]
        places = {id(of): at for at, of in self.scale["corrected"].items()}
        for holder, name in (*varied, *corrected):
            several = holder[name] if isinstance(holder[name], list) else [holder[name]]
            made = []
            for release in several:
                path = self.data / "released" / release["github"] / release["file"]
                if release.get("form") == "labels":
                    path = self.data / "qvg" / release["file"]
                elif not path.exists():
                    split = splits[places.get(id(holder), name)]
                    corpora.put(path, corpora.tsv([(qid, f"{text} {path.stem[-1]}") for qid, text in split]))
                made.append(
                    {"path": str(path), "sha256": sha256(path)}
                    | {k: v for k, v in release.items() if k in ("form", "lacks")}
                )
            holder[name] = made if isinstance(holder[name], list) else made[0]

    def _checkpoints(self, published: Path) -> None:
        for entry in self.scale["checkpoints"].values():
            source = entry.get("source", {})
            if "hub" in source and not (folder := published / source["hub"]).exists():
                models.write_published(models.CHECKPOINTS[source["hub"]], folder)
                hub.cache(self.hub, "models", source["hub"], source["revision"], hub.fetched(folder, MODEL_FILES))
        for name in models.FOLDERS:
            models.write_converted(name, published, self.data / "models" / name)
        words = sorted({word.strip(".,") for sentence in models.SENTENCES for word in sentence.lower().split()})
        for name, dimension in (("wiki-news-300d-1M.vec", 300), ("counter-fitted-vectors.txt", 20)):
            corpora.put(self.data / "vectors" / name, models.vectors(words, dimension))

    def _overlay(self, folder: Path) -> None:
        pinned = self.collections["dl-typo"]["sha256"]
        pinned |= {name: sha256(self.data.parent / name) for name in pinned}
        for budget in self.scale["budgets"].values():
            budget |= {key: min(small, budget[key]) for key, small in SMALL.items()}
        for budget in self.scale["pretraining"].values():
            budget |= {"epochs": 0.2, "batch_size": 16, "devices": 1, "workers": 1, "length": 48}
        # Random weights reach no published score; test_published.py has models that do.
        self.scale |= {
            "published": {},
            "device": "any",
            "seeds": 1,
            "seeds_of": {},
            "threads": 1,
            "variation_shard": 20_000_000,
        }
        shards = self.scale["embeddings"]["shards_of"]
        shards |= {name: min(2, number) for name, number in shards.items()}
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
