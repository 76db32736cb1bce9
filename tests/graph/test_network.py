"""Which jobs may use the network, and that these, and no others that compute, run on the host that submits."""

import json
import re
from pathlib import Path

import yaml
from tests.changes import changed

from robustdr.experiments.models import ScaleVariation
from robustdr.graph.graph import graph
from robustdr.graph.targets import nodes
from robustdr.keys.node import histories
from robustdr.preflight.findings import FETCHED
from robustdr.preflight.things import Kept, Pinned, things

ROOT = Path(__file__).parents[2]
RULES = ROOT / "rules"
AT = ("msmarco-passage", "dev")
PINNED = f"owner/name@{'0' * 40}:{'1' * 64}"


def local_rules():
    """The rules that run on the host, by the name of their logs."""
    text = "".join(path.read_text(encoding="utf-8") for path in sorted(RULES.glob("*.smk")))
    rules = re.split(r"^ *rule\b.*:$", text, flags=re.MULTILINE)[1:]
    return {found[1] for body in rules if "localrule: True" in body and (found := re.search(r"/logs/(\w+)/", body))}


def test_the_network_is_used_on_the_host_alone(config, full):
    found = nodes("results/report/index.html", {"results": full}, list(config.papers))
    network = {node.rule for node in histories(found) if node.network}
    downloads = {f"download_{what}" for what in ("passages", "queries", "checkpoint", "release")}
    assert network == {*downloads, "fetch"} <= local_rules()


def test_a_command_says_whether_its_job_may_use_the_network(full):
    assert "--network" in full.downloaded_passages("msmarco-passage").words
    assert "--network" not in full.query_set(AT, "misspell").words


def test_models_of_the_hub_and_answers_are_fetched_before_jobs_that_vary(config):
    def behind(**parameters):
        scale = changed(config, "scales", "full", "variations", {"asked": ScaleVariation(**parameters)})
        made = graph(scale, "full").query_set(AT, "asked")
        return [node.rule for node in made.after], made.network

    hub = {"generator": "back_translation_m2m", "parameters": {"engine": "m2m100", "model": PINNED}}
    folder = {"generator": "back_translation_m2m", "parameters": {"engine": "m2m100", "model": "data/models/x"}}
    asked = {"engine": "server", "base_url": "https://example.org/v1"}
    assert behind(**hub) == (["check", "fetch"], False)
    assert behind(**folder) == (["check"], False)
    assert behind(generator="llm", parameters=asked) == (["check", "fetch"], False)
    assert behind(generator="llm", parameters={**asked, "server": "serve --port {port}"}) == (["check"], False)
    assert behind(generator="llm", parameters={**asked, "complete": True}) == (["check"], False)


def test_what_is_fetched_decides_no_key(config):
    """The parameters do: revision, digest, model, temperature."""
    made = graph(config, "full")
    fetched, varied = made.fetched(("wikiqa", "test"), "llm"), made.query_set(("wikiqa", "test"), "llm")
    assert fetched in varied.after and fetched not in varied.input_nodes
    assert made.fetched(("wikiqa", "test"), "llm.version2").path == fetched.path


def test_a_missing_model_names_the_command_that_fetches_it(full):
    outside = full.query_set(("msmarco-passage", "train"), "back_translation").outside
    assert set(outside) == {"data/models/opus-mt-en-de", "data/models/opus-mt-de-en"}
    for path, command in outside.items():
        assert command.startswith("hf download Helsinki-NLP/opus-mt-") and command.endswith(f" {path}")
    assert full.query_set(AT, "misspell").outside == {}


def test_every_command_names_the_revision_that_it_takes():
    """But for coCondenser's, of whose one commit the whole name is not known here."""
    trees = [json.dumps(yaml.safe_load(path.read_text(encoding="utf-8"))) for path in (ROOT / "config").rglob("*.yaml")]
    commands = FETCHED.findall("\n".join(trees))
    moving = {name for name, options in commands if not re.search(r"--revision [0-9a-f]{40}\b", options)}
    assert len(commands) > 8 and moving == {"Luyu/co-condenser-marco-retriever"}


def test_titled_passages_come_from_the_hub_at_a_revision(config):
    """No archive of ir_datasets is asked for; queries and judgements still are."""
    titled = config.collections["msmarco-passage-titled"]["titled"]
    made = graph(config, "full")
    passages, queries = (
        made.downloaded_passages("msmarco-passage-titled"),
        made.split(("msmarco-passage-titled", "dev")),
    )
    assert passages.network and list(things(passages)) == [
        Pinned(titled["hub"], titled["revision"], "", titled["file"])
    ]
    assert {type(thing) for thing in things(queries)} == {Kept}
    assert {type(thing) for thing in things(made.downloaded_passages("msmarco-passage"))} == {Kept}


def test_passages_are_written_by_a_job_without_a_network_from_what_another_downloaded(config, full):
    """So a submitted job writes them. A collection on disk needs no download."""
    passages, downloaded = full.corpus("msmarco-passage"), full.downloaded_passages("msmarco-passage")
    assert passages.after == [downloaded] and "--network" not in passages.words
    assert passages.rule not in local_rules() and downloaded.rule in local_rules()
    own = graph(config, "mini")
    assert own.downloaded_passages("wordnet-mini") is None and not own.corpus("wordnet-mini").after


def test_a_collection_of_ones_own_file_and_one_from_elsewhere_downloads_the_latter(config):
    """LiveQA's passages are MedQuAD's answers, a file of the user, and judged ones of a repository."""
    made = graph(config, "text")
    assert made.corpus("liveqa-typos").inputs["files"].files and made.downloaded_passages("liveqa-typos")
    assert made.corpus("medquad").inputs["files"].files and made.downloaded_passages("medquad") is None
