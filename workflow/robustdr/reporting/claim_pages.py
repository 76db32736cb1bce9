"""A paper's claims for its pages: each with its page, its verdict as a sentence, and the axis of its effects."""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from robustdr.claims.verdicts import NOT_RUN, OPEN, sentence_verdicts
from robustdr.reporting.artifacts import Claims, Record, is_headline
from robustdr.reporting.claims import counted
from robustdr.reporting.deciding_queries import Explored
from robustdr.reporting.forest import Axis
from robustdr.reporting.naming import readable
from robustdr.reporting.sentences import of_claim, of_paper, queries_for_printed, smallest
from robustdr.reporting.settings import Paper

MIDDLE = 0.96  # of all ends: the part that the common axis of a paper covers; what lies outside has an arrow
UNPRINTED = {"printed": None, "region": None}  # of a single run, which is drawn alone
Shown = Mapping[str, object]  # a template's input


def headlines(claims: Sequence[Record]) -> Counter[str]:
    """The number of a paper's headline sentences by verdict."""
    return Counter(sentence_verdicts((claim["sentence"], claim["verdict"]) for claim in filter(is_headline, claims)))


def first_of(claims: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    """The headline claim to show alone: run rather than not, decided rather than open, of the abstract first."""
    return max(
        filter(is_headline, claims),
        key=lambda claim: (bool(claim["effects"]), claim["verdict"] not in OPEN, "Abstract" in claim["source"]),
        default=None,
    )


def judged(
    paper: Paper,
    artifact: Claims,
    replicates: Mapping[str, list[dict[str, Any]]],
    cells: Callable[[Record], list[tuple[str, str]]],
    explored: Explored,
) -> Shown:
    """A paper's claims with what their pages show, and their number by verdict.

    Args:
        replicates: by claim, its verdict and its deciding effect in single runs of the ledger.
        cells: of a claim, the addresses of the cells that it rests on, with words. explored: the report's queries.
    """

    def text(words: str) -> str:
        return readable(words, artifact["names"])

    controls = {control["name"]: control for control in artifact["controls"]}
    for control in controls.values():
        control["evidence"] = text(control["evidence"])
    claim_views = []
    for number, claim in enumerate(artifact["claims"], 1):
        singles = [
            {**single, **UNPRINTED, "words": text(single["words"])} for single in replicates.get(claim["claim"], [])
        ]
        claim_views.append(
            {
                **claim,
                "number": number,
                "page": paper.page_of(number),
                "part": claim["claim"].removeprefix(claim["sentence"]).removeprefix(": "),
                "measure": text(claim["measure"]),
                "measured": text(claim["measured"]),
                "said": text(of_claim(claim)),
                "how": f"{text(claim['how'][:1].upper() + claim['how'][1:])}, on {claim['place']}",
                "reason": text(claim["reason"]),
                "axis": Axis.from_effects([*claim["effects"], *singles]),  # type: ignore[list-item]
                "effects": [
                    {
                        **effect,
                        "words": text(effect["words"]),
                        "text": text(words),
                        "smallest": smallest(effect),
                        "asked": queries_for_printed(effect),
                    }
                    for effect, words in zip(claim["effects"], claim["evidence"], strict=True)
                ],
                "as_printed": {**claim["as_printed"], "evidence": list(map(text, claim["as_printed"]["evidence"]))},
                "controls": [controls[name] for name in claim["needs"] if name in controls],
                "cells": cells(claim),
                "queries": [
                    query._replace(kind=text(query.kind)) for query in explored.queries(claim, artifact["evaluation"])
                ],
                "sides": [
                    text(f"{system}, {query_set}") for system, query_set in (claim["effects"][0].get("sides") or ())
                ]
                if claim["effects"]
                else [],
                "singles": singles,
            }
        )
    run = [claim for claim in claim_views if claim["verdict"] != NOT_RUN]
    counts_here, counts_printed = counted(artifact["claims"])
    deciding = [claim["effects"][0] for claim in artifact["claims"] if claim["effects"]]
    return {
        **artifact,
        "missing": "",
        "controls": list(controls.values()),
        "claims": claim_views,
        "first": first_of(claim_views),
        "headline": [claim for claim in run if is_headline(claim)],
        "others": [claim for claim in run if not is_headline(claim)],
        "not_run": [claim for claim in claim_views if claim["verdict"] == NOT_RUN],
        "axis": Axis.from_effects(deciding, MIDDLE),
        "sentence": of_paper(artifact["claims"], headlines(artifact["claims"])),
        "here": counts_here,
        "as_printed": counts_printed,
        "every": Counter(claim["verdict"] for claim in artifact["claims"]),
    }
