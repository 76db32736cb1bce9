"""The verdicts on a paper's claims, by its own numbers and by the reproduced ones, as Markdown and JSON."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, replace
from math import isfinite
from pathlib import Path
from typing import Any

from robustdr.audit.audited import audit
from robustdr.audit.printed_claims import AsPrinted, find_stated_size, judge, percent
from robustdr.audit.reported import load
from robustdr.claims.claim import Claim, load_claims
from robustdr.claims.controls import Checked, add_explanation, apply_controls, check_control, region_words
from robustdr.claims.effects import ABOVE
from robustdr.claims.family import decide_claims, supported_by_chance
from robustdr.claims.intervals import Interval, bounds
from robustdr.claims.measured import USUAL, Judged, Measured, Verdict, measure, weakest_first
from robustdr.claims.verdicts import (
    CORRELATION,
    NOT_RUN,
    POWER,
    SAID,
    SIZES,
    SUPPORTED,
    VERDICTS,
    WORST_FIRST,
    sentence_verdicts,
)
from robustdr.core.files import write_json, write_text
from robustdr.core.markup import plain, prose, table_row
from robustdr.evaluation.store import open_store
from robustdr.reporting.artifacts import Record
from robustdr.reporting.settings import ClaimsSettings

SIGN = "An effect is a share of the base on the original queries: a gain is positive, a loss negative."
MOST = 3  # effects shown in a claim's line
LEGEND = [
    *(f"{verdict}: {meaning}." for verdict, meaning in VERDICTS.items()),
    "A sentence says “all”: it is supported if each of its comparisons is, at the claim's level. If not, k of n are "
    "counted with Holm's correction within the sentence.",
    "Sizes are compared only if scale and measure are the paper's: "
    + "; ".join(f"{size}: {meaning}" for size, meaning in SIZES.items())
    + ". The paper's queries count as other queries than ours, and papers tend to print effects that were significant "
    "by luck; what is expected allows for both.",
    f"{SIGN} A difference of two losses is positive if the first is smaller. Brackets hold the 95 % interval. The "
    "comparison that supports a claim least stands first; p is uncorrected.",
    f"Power: how often the claim's test shows an effect as large as printed, with our queries and runs. {POWER} is "
    "enough.",
    "Intervals are paired by query and by seed (Fieller). They hold two variances: of queries, and of training runs, "
    "which is moderated toward that of other comparisons (docs/explanation/verdicts.md).",
    "Headline claims are those that the paper's abstract or conclusion rests on.",
    *(f"As printed, {verdict}: {meaning}." for verdict, meaning in SAID.items()),
    "As printed is the same test on the paper's own numbers, by direction and size. Significance counts only if the "
    "claim names a mark. How many queries a margin needs is a first guess: so many show two equal systems as equal "
    f"with probability {POWER}, if their values of a query correlate by {CORRELATION}.",
]


def effect_text(effect: Judged) -> str:
    """An effect in words: size, intervals, p, printed value, power, and how the sizes compare."""
    numbers = effect.reader_view
    text = f"{numbers.words}: {100 * numbers.size:+.1f}% {bounds(*numbers.interval)}"
    if numbers.confidence != USUAL:
        text += f" (at {100 * numbers.confidence:g} % {bounds(numbers.low, numbers.high)})"
    text += f", p = {effect.p:.2g}"
    if effect.region != ABOVE:
        text += f", claimed within {bounds(*numbers.region)}"
    if numbers.printed:
        text += f", printed {percent(*numbers.printed)}"
    if numbers.power is not None:
        text += f", power {numbers.power:.2f}"
    if numbers.predicted and numbers.compared:
        text += f", {numbers.compared} (expected {bounds(*numbers.predicted)})"
    return f"{text}: {effect.verdict}"


def record(claim: Claim, settings: ClaimsSettings, verdict_here: Verdict, paper: AsPrinted) -> Record:
    """A claim with its verdicts and all numbers behind them; the effect that supports it least comes first."""
    scale_measures = settings.measured
    effects = weakest_first(verdict_here.effects)
    as_printed = sorted(paper.effects, key=lambda effect: WORST_FIRST.index(effect.verdict))
    test_words = [claim.test.name.replace("_", " ")]
    test_words += [m if scale_measures[m] == m else f"{scale_measures[m]} for {m}" for m in claim.measures]
    test_words.append(f"level {claim.level}")
    test_words += [f"margin {100 * margin:g}%"] if (margin := getattr(claim.test, "margin", None)) else []
    if effects:
        seeds = effects[0].seeds
        one_run = any(effect.one_run for effect in effects)
        test_words += [
            f"{effects[0].queries:,} queries",
            f"{seeds} seeds" if seeds > 1 else "one training run" if one_run else "",
        ]
    return {
        "claim": claim.title,
        "sentence": claim.claim,
        "short": claim.short or "",
        "source": claim.source,
        "headline": claim.headline,
        "hypothesis": claim.hypothesis,
        "how": ", ".join(filter(None, test_words)),
        "role": claim.role,
        "place": settings.display_names.get(claim.role, claim.role),
        "measure": claim.measure,
        "measured": scale_measures[claim.measure],
        "tables": [claim.reported] if isinstance(claim.reported, str) else claim.reported or [],
        "systems": list(dict.fromkeys(system for _, system in claim.test.systems())),
        "verdict": verdict_here.verdict,
        "words": verdict_here.words,
        "why": verdict_here.why,
        "doubt": verdict_here.doubt,
        "reason": verdict_here.reason,
        "needs": claim.needs,
        "evidence": list(map(effect_text, effects)),
        "effects": list(map(_numbers, effects)),
        "as_printed": {
            "verdict": paper.verdict,
            "words": paper.words,
            "reason": paper.reason,
            "evidence": list(map(str, as_printed)),
            "effects": [_finite(asdict(effect)) for effect in as_printed],
            "findings": paper.findings,
        },
    }


def control_record(control: Checked) -> dict[str, Any]:
    """A control with its state, its numbers in words, and its effects."""
    effects = [{**_numbers(effect), "asked": region_words(effect.reader_view.region)} for effect in control.effects]
    description = {"name": control.name, "what": control.requirement, "state": control.state, "reason": control.reason}
    return {**description, "evidence": control.words, "effects": effects}


def _numbers(effect: Judged) -> Any:
    """The numbers of an effect as claims and controls have them, a `artifacts.Effect`."""
    return _finite({**asdict(effect.reader_view), "p": effect.p})


def _finite(value: Any) -> Any:
    """The value with infinities replaced by None, since JSON has none."""
    if isinstance(value, dict):
        return {name: _finite(part) for name, part in value.items()}
    if isinstance(value, tuple):
        return [_finite(part) for part in value]
    return None if isinstance(value, float) and not isfinite(value) else value


def counted(records: Sequence[Record]) -> tuple[Counter[str], Counter[str]]:
    """The number of a paper's sentences by verdict, here and as printed; hypotheses are no claims of a paper."""
    claims = [claim for claim in records if not claim["hypothesis"]]
    verdicts_here = sentence_verdicts((claim["sentence"], claim["verdict"]) for claim in claims)
    printed_verdicts = sentence_verdicts((claim["sentence"], claim["as_printed"]["verdict"]) for claim in claims)
    return Counter(verdicts_here), Counter(printed_verdicts)


def counts(records: Sequence[Record]) -> dict[str, str]:
    """The number of a paper's sentences by verdict, in words, here and as printed."""
    words = (
        ", ".join(f"{count_by_verdict[verdict]} {verdict}" for verdict in sorted(count_by_verdict))
        for count_by_verdict in counted(records)
    )
    return dict(zip(("here", "as_printed"), words, strict=True))


def chance(records: Sequence[Record], expected: float) -> str:
    """How many sentences are supported, and how many would be in a world without effects."""
    supported = counted(records)[0][SUPPORTED]
    return f"{supported} supported; if there were no effects, chance would support at most {expected:.1f}."


def _join_first(texts: list[str]) -> str:
    hidden_count = len(texts) - MOST
    return "; ".join(texts[:MOST]) + (f"; and {hidden_count} more" if hidden_count > 0 else "")


def _line(claim: Record) -> str:
    paper = claim["as_printed"]
    test_text = f"On {claim['place']}: {claim['how']}"
    evidence_here = ". ".join(filter(None, (test_text, claim["reason"], _join_first(claim["evidence"]))))
    evidence_printed = ". ".join(filter(None, (paper["reason"], _join_first(paper["evidence"]), *paper["findings"])))
    words = plain(f"{claim['claim']} ({claim['source']})") + (" (headline)" if claim["headline"] else "")
    return table_row([f"**{claim['words']}**", paper["words"], words, prose(evidence_here), prose(evidence_printed)])


def markdown(settings: ClaimsSettings, artifact: dict[str, Any]) -> str:
    number, records = artifact["counts"], artifact["claims"]
    lines = [f"# {plain(settings.title)}: claims", ""]
    if settings.miniature:
        lines += [f"> **Miniature.** {prose(settings.miniature)}", ""]
    if artifact["controls"]:
        lines += [
            "Controls: what any valid setting must show. If a control fails, may be 0 or was not run, claims that need "
            "it are not testable.",
            "",
            table_row(["Control", "State", "What must show", "Here"]),
            table_row(["---"] * 4),
        ]
        for control in artifact["controls"]:
            state, description = f"**{control['state']}**", plain(control["what"])
            lines.append(table_row([f"`{control['name']}`", state, description, prose(control["evidence"])]))
        lines.append("")
    claims = sum(not claim["hypothesis"] for claim in records)
    if claims:
        sentences = counted(records)[0].total()
        plural, parts = "s" if sentences > 1 else "", f" in {claims} parts" if sentences < claims else ""
        here, printed = number["here"], number["as_printed"]
        lines.append(f"{sentences} claim{plural}{parts}. Here: {here}. As printed: {printed}. {artifact['chance']}")
    if claims < len(records):
        lines.append(f"{len(records) - claims} hypotheses of this project, which no paper claims, are among the lines.")
    lines.append("")
    head = [table_row(["Here", "As printed", "Claim", "Evidence here", "Evidence as printed"]), table_row(["---"] * 5)]
    skipped = [claim for claim in records if claim["verdict"] == NOT_RUN]
    lines += [*head, *(_line(claim) for claim in records if claim not in skipped), ""]
    if skipped:
        lines += [f"<details><summary>Claims not run here: {len(skipped)}</summary>", "", *head]
        lines += [*map(_line, skipped), "", "</details>", ""]
    return "\n".join([*lines, *(f"- {note}" for note in LEGEND), f"- Made by `{settings.command}`.", ""])


def write_claims(
    settings: ClaimsSettings,
    measures: list[Path],
    claims: Path,
    reported: Path | None,
    priors: Path | None,
    output: Path,
) -> None:
    """Judge every claim of a paper, as printed and on these measures, and write the verdicts as .md and .json.

    Args:
        measures: measures files. claims: claims.yaml. reported: reported.yaml; None if no paper prints anything.
        priors: evidence/priors.json; None if none were fitted. output: the .md file.

    Raises:
        UserError: a claim needs a table or number that reported.yaml does not have, or priors.json has another form.
    """
    store, declared = open_store(settings, measures, priors), load_claims(claims)
    audited = audit(load(reported)) if reported else None
    numbers, findings = (audited.reported, audited.findings) if audited else (None, ())
    papers = judge(declared.claims, settings.printed, settings.names, numbers, findings, str(claims))
    scale_measures, verdicts = settings.measured, []
    measured = {
        key: Measured(store, declaration.role, declaration.measure, scale_measures)
        for key, declaration in declared.tested().items()
    }
    controls = {
        name: check_control(name, control, measured[f"controls.{name}"]) for name, control in declared.controls.items()
    }
    for number, (whole, paper) in enumerate(zip(declared.claims, papers, strict=True)):
        key = f"claims.{number}"
        printed_effects = find_stated_size(whole, numbers, f"{claims}: {key}")
        claim, dropped_systems = whole.without(settings.lacking, declared.controls)
        sized = not settings.miniature and all(scale_measures[measure] == measure for measure in claim.measures)
        sizes = {effect.words: Interval(effect.low, effect.high) for effect in paper.effects}
        verdict = measure(claim, measured[key], printed_effects, sizes, sized, settings.paper_queries.get(claim.role))
        verdict = apply_controls(claim, verdict, controls, settings.untestable.get(key, ""))
        contradicted = f"the paper's own numbers contradict it in {paper.against} of {len(paper.effects)} comparisons"
        reasons = [contradicted] if paper.against else []
        reasons += [f"without {' and '.join(dropped_systems)}, which this scale lacks"] if dropped_systems else []
        verdicts.append(replace(verdict, reason="; ".join(filter(None, [*reasons, verdict.reason]))))
    verdicts = decide_claims(declared.claims, verdicts)
    verdicts = [
        add_explanation(claim, verdict, controls, measured[f"claims.{number}"])
        for number, (claim, verdict) in enumerate(zip(declared.claims, verdicts, strict=True))
    ]
    records = [
        record(claim, settings, verdict, paper)
        for claim, verdict, paper in zip(declared.claims, verdicts, papers, strict=True)
    ]
    of_paper = [
        (claim, verdict) for claim, verdict in zip(declared.claims, verdicts, strict=True) if not claim.hypothesis
    ]
    artifact = {
        "title": settings.title,
        "scale": settings.scale,
        "miniature": settings.miniature,
        "path": str(output),
        "command": settings.command,
        "names": settings.labels | settings.display_names,
        "evaluation": settings.evaluation,
        "counts": counts(records),
        "chance": chance(records, supported_by_chance(of_paper)),
        "legend": LEGEND,
        "controls": list(map(control_record, controls.values())),
        "claims": records,
    }
    write_json(output.with_suffix(".json"), artifact)
    write_text(output, markdown(settings, artifact))
