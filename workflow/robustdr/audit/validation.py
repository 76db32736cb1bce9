"""qvg's human validation: the numbers of its Tables 2 and 3 compared with its released labels."""

from collections import Counter
from collections.abc import Sequence
from itertools import combinations
from pathlib import Path
from statistics import fmean

from robustdr.audit import counted
from robustdr.audit.cells import Cell
from robustdr.audit.counted import COEFFICIENT, COUNT, SHARE, Entry, elsewhere
from robustdr.audit.reported import Reported, load
from robustdr.variations import labels
from robustdr.variations.labels import CATEGORIES, GENERATORS, Pair, Variation

SEMANTICS = {"specialisation", "aspect_change"}  # the categories that change what a query means (Section 3.1)
Table = tuple[list[Entry], list[str]]  # the numbers in the order of the page, and the notes under them


def kappa(first: Sequence[object], second: Sequence[object]) -> float:
    """Cohen's κ of two annotators' labels of the same items: (p_o - p_e) / (1 - p_e).

    p_o is the share of items with equal labels, p_e the share expected if each annotator drew labels at random with
    their own frequencies. 1 where both use the same single label throughout (0/0).

    Source: J. Cohen, A coefficient of agreement for nominal scales, Educational and Psychological Measurement 20
    (1960), 37-46.
    """
    observed = fmean(a == b for a, b in zip(first, second, strict=True))
    first_counts, second_counts = Counter(first), Counter(second)
    expected = sum(first_counts[label] * second_counts[label] for label in first_counts) / len(first) ** 2
    return (observed - expected) / (1 - expected) if expected < 1 else 1.0


def table2(sheets: Sequence[dict[str, Pair]], reported: Reported) -> Table:
    """Categories of query pairs: counts, shares, agreement.

    Args:
        sheets: by annotator, the labelled pairs; at least one pair is in all sheets.
        reported: the paper's numbers.
    """
    annotations = [(id, pair.categories) for sheet in sheets for id, pair in sheet.items()]
    counts = Counter(category for _, categories in annotations for category in categories)
    shared = sorted(set.intersection(*(set(sheet) for sheet in sheets)))
    agreement = {category: _agreements(sheets, shared, [category]) for category in CATEGORIES}
    groups = {category: {category} for category in CATEGORIES}
    groups |= {"syntax": set(CATEGORIES) - SEMANTICS, "semantics": SEMANTICS}

    entries = []
    for row, group in groups.items():
        count = sum(counts[category] for category in group)
        distinct = {id for id, categories in annotations if categories & group}
        printed_share = reported.find("prose_shares", category=row, value="share")
        entries += [
            Entry("", row, "count", count, COUNT, reported.find("table2", category=row)),
            Entry("", row, "share of all labels", count / max(counts.total(), 1), SHARE, printed_share),
            Entry("", row, "distinct pairs", len(distinct), COUNT),
        ]
        if row in agreement:
            entries.append(Entry("", row, "Cohen's κ", fmean(agreement[row]), COEFFICIENT))

    def in_text(row: str, value: int, quantity: str) -> None:
        cell = reported.find("prose_annotation", quantity=quantity)
        entries.append(Entry("In the text", row, "number", value, COUNT, cell))

    several = [id for id, categories in annotations if len(categories) > 1]
    by_pair = Counter(id for id, _ in annotations)
    in_text("pairs", len(by_pair), "pairs")
    in_text("pairs labelled by all annotators", len(shared), "pairs_of_all")
    for number, sheet in enumerate(sheets):
        in_text(f"pairs labelled by annotator {number} alone", sum(by_pair[id] == 1 for id in sheet), "pairs_of_one")
    in_text("annotations with several categories", len(several), "several_categories")
    mean, cell = fmean(map(fmean, agreement.values())), reported.find("prose_agreement", quantity="kappa")
    entries.append(Entry("In the text", "Cohen's κ, all categories", "number", mean, COEFFICIENT, cell))

    annotator_pairs = ", ".join(f"{a} and {b}" for a, b in combinations(range(len(sheets)), 2))
    by_annotators = ", ".join(f"{fmean(values):.3f}" for values in zip(*agreement.values(), strict=True))
    pooled = fmean(_agreements(sheets, shared, list(CATEGORIES)))
    notes = [
        f"Counts are of annotations, not of pairs: {len(annotations):,} annotations of {len(by_pair):,} pairs, because "
        f"the {len(shared):,} pairs that all {len(sheets)} annotators labelled count {len(sheets)} times. Distinct "
        "pairs: those to which at least one annotator gave the category.",
        f"An annotation may have several categories: {counts.total():,} labels in all, and shares are of these. The "
        f"{len(several):,} annotations with several categories are of {len(set(several)):,} distinct pairs; "
        f"{sum(not categories for _, categories in annotations):,} annotations have none.",
        "κ is computed for every category (given or not) and every two annotators on the pairs that all labelled, then "
        f"averaged; between annotators {annotator_pairs} it is {by_annotators}. With the decisions on all categories "
        f"pooled it would be {pooled:.3f}.",
    ]
    unlabelled = [
        place["category"] for _, place in reported.tables["table2"].rows if place["category"] not in CATEGORIES
    ]
    notes += [f"The sheets have no column for {category}." for category in unlabelled]
    return entries, [*notes, *elsewhere(entries)]


def _agreements(sheets: Sequence[dict[str, Pair]], ids: Sequence[str], categories: Sequence[str]) -> list[float]:
    """Return κ of every two annotators; an item is a pair and a category, which an annotator gave or not."""
    decisions = [[category in sheet[id].categories for id in ids for category in categories] for sheet in sheets]
    return [kappa(first, second) for first, second in combinations(decisions, 2)]


def table3(variations: Sequence[Variation], sheets: Sequence[Variation], reported: Reported) -> Table:
    """Valid query variations by collection and generator.

    Args:
        variations: all, with their final labels. sheets: those that people labelled, also of other generators.
        reported: the paper's numbers.
    """
    queries: dict[str, set[str]] = {}
    for variation in variations:
        queries.setdefault(variation.collection, set()).add(variation.query)
    entries: list[Entry] = []
    uneven = []
    for collection, ids in queries.items():
        collection_variations = [v for v in variations if v.collection == collection]
        for generator in GENERATORS.values():
            generated = [v for v in collection_variations if v.generator == generator]
            place = {"collection": collection, "query_set": generator, "quantity": "valid"}
            share = sum(v.valid is True for v in generated) / len(ids)
            entries.append(Entry(collection, generator, "valid", share, SHARE, reported.find("table3", **place)))
            entries += _counts(collection, generator, generated, None, reported.find("table4", **place))
            times = Counter(v.query for v in generated)
            none, several = len(ids) - len(times), sum(number > 1 for number in times.values())
            if none or several:
                uneven.append(
                    f"{collection} · {generator}: queries without a variation: {none}, with several: {several}."
                )
        valid = reported.find("prose_counts", quantity="valid", collection=collection)
        entries += _counts(collection, "all", collection_variations, None, valid)
    variation_count, valid = (
        reported.find("prose_counts", quantity=q, collection="both") for q in ("variations", "valid")
    )
    entries += _counts("both collections", "all", variations, variation_count, valid)

    sizes = ", ".join(f"{len(ids):,} of {collection}" for collection, ids in queries.items())
    notes = [
        f"Percentages are of the original queries: {sizes}. Valid and #Q: the label `valid` alone; both properties: "
        f"`follow_category` too. {_readings(entries)}",
        *uneven,
        *_by_hand(variations, sheets),
        *elsewhere(entries),
    ]
    notes += [
        f"{entry.section} · {entry.column}: the printed {entry.printed} is the counted {entry.text} and the "
        f"{len(ids):,} original queries of {collection}."
        for entry in entries
        for collection, ids in queries.items()
        if entry.row == "all" and entry.reported is not None and entry.reported.value == entry.value + len(ids)
    ]
    return entries, notes


def _counts(
    section: str, row: str, variations: Sequence[Variation], printed_count: Cell | None, valid: Cell | None
) -> list[Entry]:
    return [
        Entry(section, row, "variations", len(variations), COUNT, printed_count),
        Entry(section, row, "#Q", sum(v.valid is True for v in variations), COUNT, valid),
        Entry(section, row, "both properties", sum(v.valid is True and v.fits for v in variations), COUNT),
        Entry(section, row, "unchanged", sum(not v.changed for v in variations), COUNT),
    ]


def _readings(entries: Sequence[Entry]) -> str:
    """Return how many printed #Q each reading of the labels gives."""
    both_properties = {(e.section, e.row): e for e in entries if e.column == "both properties"}
    printed = [(e, e.reported) for e in entries if e.column == "#Q" and e.row != "all" and e.reported is not None]
    valid_alone = sum(entry.explains(cell) for entry, cell in printed)
    together = sum(both_properties[entry.section, entry.row].explains(cell) for entry, cell in printed)
    counts = f"{valid_alone} are the count of `valid` alone, {together} that of both properties"
    return f"Of {len(printed)} printed #Q, {counts}."


def _by_hand(variations: Sequence[Variation], sheets: Sequence[Variation]) -> list[str]:
    """Return notes on what people labelled, which labels were kept, and the source of all other labels."""
    sheet = {v.key: v for v in sheets}
    labelled, rest = [v for v in variations if v.key in sheet], [v for v in variations if v.key not in sheet]
    by_people = {v.generator for v in sheets}
    unused_generators = sorted(by_people - set(GENERATORS.values()))
    automatic = [generator for generator in GENERATORS.values() if generator not in by_people]
    notes = [
        f"People labelled {len(sheets):,} variations, {len(labelled):,} of them among these {len(variations):,}"
        + (
            f"; the others are of generators that the paper does not use: {', '.join(unused_generators)}."
            if unused_generators
            else "."
        ),
        f"{len(rest):,} variations are in no sheet, {sum(v.valid == v.changed for v in rest):,} of these are valid "
        f"exactly if they differ from their query. Generators in no sheet: {', '.join(automatic) or 'none'}.",
    ]
    for v in labelled:
        before = sheet[v.key]
        if (before.valid, before.fits) != (v.valid, v.fits):
            notes.append(
                f"{v.collection} · {v.generator} · query {v.query}: the sheet has {_words(before)}, the labelled file "
                f"{_words(v)}."
            )
    return notes


def _words(v: Variation) -> str:
    return f"`valid` {'blank' if v.valid is None else v.valid} and `follow_category` {v.fits}"


def write_validation(table: str, folder: Path, numbers: Path, output: Path) -> None:
    """Count `table2` or `table3` of qvg from its released labels and write it as .md, .csv and .json.

    Args:
        table: its name. folder: folder of the released labels. numbers: qvg's reported.yaml. output: the .md file.

    Raises:
        UserError: an unknown table, a missing file, or a row that cannot be read; raised before anything is written.
    """
    paths, reported = labels.files(folder, table), load(numbers)
    if table == "table2":
        pairs = [labels.read_pairs(path) for path in paths]
        labels.check_pairs(paths, pairs)
        entries, notes = table2(pairs, reported)
    else:
        sheets, labelled = paths[: len(labels.VARIATION_SHEETS)], paths[len(labels.VARIATION_SHEETS) :]
        entries, notes = table3(
            [v for path in labelled for v in labels.read_variations(path, sheet=False)],
            [v for path in sheets for v in labels.read_variations(path, sheet=True)],
            reported,
        )
    title = f"{reported.title}, Table {table.removeprefix('table')}: {reported.tables[table].caption}"
    counted.write(f"{reported.paper}_{table}", title, entries, notes, output)
