"""The verdicts on a paper's claims, by its own numbers and by the reproduced ones, as Markdown and JSON."""

from collections import Counter
from dataclasses import asdict
from math import isfinite
from pathlib import Path
from typing import Any

from robustdr.audit import printed
from robustdr.audit.audited import audit
from robustdr.audit.printed import AsPrinted
from robustdr.audit.reported import load
from robustdr.claims.claim import Claim, load_claims
from robustdr.claims.effects import ABOVE
from robustdr.claims.intervals import Interval
from robustdr.claims.measured import Judged, Measured, Verdict, judge
from robustdr.claims.verdicts import CORRELATION, INCONCLUSIVE, NO_POWER, NOT_RUN, POWER, VERDICTS, WORST_FIRST
from robustdr.core.files import write_json, write_text
from robustdr.core.markup import plain, prose, table_row
from robustdr.evaluation.estimates import FEW
from robustdr.evaluation.store import open_store
from robustdr.reporting.cells import bounds
from robustdr.reporting.settings import ClaimsSettings
from robustdr.reporting.written import Record

SHOWN = 3  # effects shown in a claim's line
LEGEND = [
    *(f"{verdict}: {meaning}." for verdict, meaning in VERDICTS.items()),
    "As printed: the same test on the paper's own numbers, by direction and size; significance only where the claim "
    "names a mark. inconclusive: their rounding, or a missing mark, leaves it open.",
    "An effect is a share of the base on the original queries, so that scales compare; in brackets its interval, at "
    "the claim's level: all effects of a claim must hold, which needs no correction (an intersection-union test).",
    "Corrected: the interval at the level divided by the number of effects (Bonferroni). One effect decides against "
    "the claim (fails, absent, smaller) only by this one; p is uncorrected.",
    "Where another measure is taken than the paper's (the line says which for which), the share that the paper prints "
    "of its measure is compared with the share of this one.",
    "Intervals: paired over queries (Fieller); with several seeds over both, by a two-way random-effects variance. "
    f"With fewer than {FEW} queries that differ, p is that of all flips of their signs, and against a margin that of a "
    "difference on queries not seen (exact test). With one training run they say nothing of other runs.",
    f"{INCONCLUSIVE}: as many queries of the same variance would decide, were the estimate to stay where it is.",
    f"{NO_POWER}: two equal systems, whose difference varies as it does here, come inside the margin with "
    f"probability {POWER} at the number of queries that is named; a pilot tells it before a run. What the margin asks "
    f"for as printed is a first guess, with values of a query that correlate by {CORRELATION}.",
]


def effect_text(effect: Judged, of: int) -> str:
    """One of `of` effects in words: size, intervals, p, printed value, and the number of queries that would decide."""
    text = f"{effect.words}: {100 * effect.size:+.1f}% {bounds(effect.low, effect.high)}"
    if effect.corrected:
        text += f" (corrected for {of} effects {bounds(*effect.corrected)})"
    text += f", p = {effect.p:.2g} ({effect.test})"
    if effect.region != ABOVE:
        text += f", claimed within {bounds(*effect.region)}"
    if effect.printed:
        text += f", printed {printed.percent(*effect.printed)}"
    text += f": {effect.verdict}"
    return text + (f" (about {effect.needed:,} queries would decide)" if effect.needed else "")


def record(claim: Claim, taken: dict[str, str], here: Verdict, paper: AsPrinted) -> Record:
    """A claim with its verdicts and all numbers behind them; effects that decide come first."""
    effects = sorted(here.effects, key=lambda effect: WORST_FIRST.index(effect.verdict))
    as_printed = sorted(paper.effects, key=lambda effect: WORST_FIRST.index(effect.verdict))
    how = [claim.test.name.replace("_", " ")]
    how += [m if taken[m] == m else f"{taken[m]} for {m}" for m in claim.measures]
    how.append(f"level {claim.level}")
    how += [f"margin {100 * margin:g}%"] if (margin := getattr(claim.test, "margin", None)) else []
    if effects:
        seeds = effects[0].seeds
        how += [f"{effects[0].queries:,} queries", "one training run" if seeds == 1 else f"{seeds} seeds"]
    return {
        "claim": claim.claim,
        "source": claim.source,
        "how": ", ".join(how),
        "verdict": here.verdict,
        "reason": here.reason,
        "evidence": [effect_text(effect, len(effects)) for effect in effects],
        "effects": [_finite(asdict(effect)) for effect in effects],
        "as_printed": {
            "verdict": paper.verdict,
            "reason": paper.reason,
            "evidence": list(map(str, as_printed)),
            "effects": [_finite(asdict(effect)) for effect in as_printed],
            "findings": paper.findings,
        },
    }


def _finite(value: Any) -> Any:
    """The value with infinities replaced by None, since JSON has none."""
    if isinstance(value, dict):
        return {name: _finite(part) for name, part in value.items()}
    if isinstance(value, tuple):
        return [_finite(part) for part in value]
    return None if isinstance(value, float) and not isfinite(value) else value


def counts(records: list[Record]) -> dict[str, str]:
    """The number of claims by verdict, in words, here and as printed."""

    def words(verdicts: list[str]) -> str:
        return ", ".join(f"{number} {verdict}" for verdict, number in Counter(sorted(verdicts)).items())

    return {
        "here": words([claim["verdict"] for claim in records]),
        "as_printed": words([claim["as_printed"]["verdict"] for claim in records]),
    }


def _shown(texts: list[str]) -> str:
    more = len(texts) - SHOWN
    return "; ".join(texts[:SHOWN]) + (f"; and {more} more" if more > 0 else "")


def _line(claim: Record) -> str:
    paper = claim["as_printed"]
    here = ". ".join(filter(None, (claim["how"], claim["reason"], _shown(claim["evidence"]))))
    said = ". ".join(filter(None, (paper["reason"], _shown(paper["evidence"]), *paper["findings"])))
    words = plain(f"{claim['claim']} ({claim['source']})")
    return table_row([f"**{claim['verdict']}**", paper["verdict"], words, prose(here), prose(said)])


def markdown(settings: ClaimsSettings, records: list[Record]) -> str:
    number = counts(records)
    lines = [f"# {plain(settings.title)}: claims", ""]
    if settings.miniature:
        lines += [f"> **Miniature.** {prose(settings.miniature)}", ""]
    lines += [f"{len(records)} claims. Here: {number['here']}. As printed: {number['as_printed']}.", ""]
    head = [table_row(["Here", "As printed", "Claim", "Evidence here", "Evidence as printed"]), table_row(["---"] * 5)]
    skipped = [claim for claim in records if claim["verdict"] == NOT_RUN]
    lines += [*head, *(_line(claim) for claim in records if claim not in skipped), ""]
    if skipped:
        lines += [f"<details><summary>{len(skipped)} claims were not run here</summary>", "", *head]
        lines += [*map(_line, skipped), "", "</details>", ""]
    return "\n".join([*lines, *(f"- {note}" for note in LEGEND), f"- Made by `{settings.command}`.", ""])


def write_claims(
    settings: ClaimsSettings, measures: list[Path], claims: Path, reported: Path | None, output: Path
) -> None:
    """Judge every claim of a paper, as printed and on these measures, and write the verdicts as .md and .json.

    Args:
        measures: measures files. claims: claims.yaml. reported: reported.yaml; None if no paper prints anything.
        output: the .md file.

    Raises:
        UserError: a claim needs a table or number that reported.yaml does not have.
    """
    store, declared = open_store(settings, measures), load_claims(claims).claims
    audited = audit(load(reported)) if reported else None
    numbers, findings = (audited.reported, audited.findings) if audited else (None, ())
    papers = printed.judge(declared, settings.printed, settings.names, numbers, findings, str(claims))
    taken, records = settings.measured, []
    for number, (claim, paper) in enumerate(zip(declared, papers, strict=True)):
        said = printed.said(claim, numbers, f"{claims}: claims.{number}")
        proxies = [f"{taken[m]} is measured for {m}" for m in claim.measures if taken[m] != m]
        incomparable = "; ".join(["a miniature"] * bool(settings.miniature) + proxies)
        sizes = {effect.words: Interval(effect.low, effect.high) for effect in paper.effects}
        measured = Measured(store, claim.role, claim.measure, taken)
        records.append(record(claim, taken, judge(claim, measured, said, sizes, incomparable), paper))
    about = {"title": settings.title, "scale": settings.scale, "miniature": settings.miniature, "path": str(output)}
    write_json(output.with_suffix(".json"), {**about, "counts": counts(records), "legend": LEGEND, "claims": records})
    write_text(output, markdown(settings, records))
