"""`robustdr evaluate`: how robust is your retriever, on your queries, passages and judgements?"""

import argparse
import os
from typing import get_args

from robustdr.collections import data
from robustdr.core.paths import named_path
from robustdr.core.terminal import name_terminal
from robustdr.encoding.directory import POOLINGS
from robustdr.own import REALISTIC, ROLES, Coarse
from robustdr.own.signals import ends_on_signals


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of the command."""
    text = (
        "a folder that sentence-transformers saved; a model of the hub as ORGANISATION/MODEL[@REVISION]; "
        "or a folder of runs, as for --runs; with --runs, any name; several models are compared"
    )
    parser.add_argument("--model", "--models", dest="models", nargs="+", default=[], metavar="MODEL", help=text)
    data.add_arguments(parser, several=True)
    parser.add_argument("--drop-empty", action="store_true", help="leave empty passages and queries out")
    parser.add_argument("--ignore-unjudged", action="store_true", help="leave queries without a judgement out")
    text = "ir_measures names; the first decides; default: nDCG@10"
    parser.add_argument("--measure", "--measures", dest="measures", nargs="+", default=["nDCG@10"], help=text)
    text = f"variations to use; `papers`: those of the papers; default: {', '.join(REALISTIC)}"
    parser.add_argument("--variations", nargs="+", default=[], metavar="NAME", help=text)
    text = (
        "rewritten queries of your own, from a log: a line is the id or the text of a query, a tab, and its rewritten "
    )
    text += "text; or CSV, JSONL or Parquet. Alone, it stands for --variations"
    parser.add_argument("--variations-file", type=named_path, metavar="FILE", help=text)
    text = "a T5 model for paraphrases (t5_qqp_paraphrase), a folder of Transformers; default: no paraphrases"
    parser.add_argument("--paraphraser", type=named_path, metavar="FOLDER", help=text)
    text = "a wordnet of the queries' language, a table of Open Multilingual Wordnet, for synonyms (swap_synonym_omw); "
    text += "default: synonyms of English queries alone"
    parser.add_argument("--wordnet", type=named_path, metavar="FILE", help=text)
    text = "ISO 639-1 code of the language of the queries, e.g. de; default: the command recognises it"
    parser.add_argument("--language", metavar="CODE", help=text)
    text = "draws of each variation; a query's value is their mean; default: 1"
    parser.add_argument("--draws", type=int, default=1, metavar="N", help=text)
    text = "a cross-encoder (folder or model of the hub) that reranks the 100 best passages of the first model"
    parser.add_argument("--reranker", metavar="MODEL", help=text)
    text = "also measure BM25 and the first model behind a spell checker that knows the passages' words"
    parser.add_argument("--spell-checker", action="store_true", help=text)
    text = "also rank by the first dimensions alone of each model's vectors, e.g. 64 128 256"
    parser.add_argument("--truncate-dim", type=int, nargs="+", default=[], metavar="N", help=text)
    text = "also rank by vectors of passages in these precisions, at each size of --truncate-dim too"
    parser.add_argument("--precision", nargs="+", choices=get_args(Coarse), default=[], help=text)
    text = "remedies to train from the model, comma-separated: rodr, capot, self-teaching, augmentation"
    parser.add_argument("--fix", type=lambda names: names.split(","), default=[], metavar="REMEDIES", help=text)
    parser.add_argument(
        "--train-queries", type=named_path, metavar="FILE", help="training queries for --fix, as --queries"
    )
    parser.add_argument("--train-qrels", type=named_path, metavar="FILE", help="their judgements, as --qrels")
    for role in ROLES:
        text = f"tokens that the model reads of a {role}; default: from its directory"
        parser.add_argument(f"--{role}-length", type=int, metavar="N", help=text)
    elsewhere = parser.add_mutually_exclusive_group()
    text = (
        "folder with the TREC runs of a system that ran elsewhere; the command names each missing run and its queries"
    )
    elsewhere.add_argument("--runs", type=named_path, metavar="FOLDER", help=text)
    text = (
        "base URL of a server with OpenAI's embeddings API, e.g. http://localhost:8000/v1, and names of models there; "
        "without names, those of --model"
    )
    elsewhere.add_argument("--server", nargs="+", metavar="URL", help=text)
    text = "stop before the first request if the server may be asked more than N times, without repeats after failures"
    parser.add_argument("--max-requests", type=int, metavar="N", help=text)
    for role in ROLES:
        text = f"text that the model expects before a {role}; default: that of its directory; for a server: none"
        parser.add_argument(f"--{role}-prompt", metavar="TEXT", help=text)
    text = "similarity of two vectors; default: that of the model's directory, else cosine"
    parser.add_argument("--similarity", choices=("cosine", "dot"), help=text)
    text = "pooling of a plain transformer whose directory names none"
    parser.add_argument("--pooling", choices=POOLINGS, help=text)
    text = "text between a passage's title and its text; default: a blank"
    parser.add_argument("--separator", metavar="TEXT", help=text)
    parser.add_argument("--dimension", type=int, metavar="N", help="dimension to ask the server for; default: its own")
    text = "environment variable that holds the server's key; default: no key"
    parser.add_argument("--key", metavar="NAME", help=text)
    text = (
        "exit with status 1 if the variations cost a model more than so many percent of the first measure, for checks "
    )
    text += "that run by themselves"
    parser.add_argument("--fail-if-drop", type=float, metavar="PERCENT", help=text)
    parser.add_argument("--cores", type=int, default=os.cpu_count(), help="processor cores to use; default: all")
    parser.add_argument(
        "-o", "--output", type=named_path, required=True, help="folder of the report; run again to resume"
    )


def run(arguments: argparse.Namespace) -> int:
    """See `own.evaluation.run`; imported here because it loads the workflow, which is slow."""
    with ends_on_signals("the same command goes on where it was"):
        from robustdr.own import evaluation

        name_terminal()
        return evaluation.run(arguments)
