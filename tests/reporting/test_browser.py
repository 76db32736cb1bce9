"""The report in a real browser, from disk: links, queries and back, numbers, faults, people who cannot see."""

import shutil
import time
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.reporting.contrast import contrast
from tests.reporting.small_site import CLAIMS, LONG, NASTY, RIGHT_TO_LEFT, build, two_results

from robustdr.reporting.comparison import write_comparison
from robustdr.reporting.queries import read_data, write_data

webdriver = pytest.importorskip("selenium.webdriver", reason="the report is opened in a browser by selenium")
axe = pytest.importorskip("axe_core_python", reason="axe-core looks for what keeps people from reading it")
CHROMIUM, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not (CHROMIUM and DRIVER), reason="needs chromium and chromedriver, as Debian packages them"),
]
FLAGS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
         "--disable-component-update", "--disable-sync", "--window-size=1280,900"]  # fmt: skip
QUERIES = "queries.html#toy/dr_oq/dev/misspell/RR%4010/toy_table1"


@pytest.fixture(scope="module")
def chromium(tmp_path_factory):
    from selenium.webdriver.chrome.service import Service

    options = webdriver.ChromeOptions()
    options.binary_location = CHROMIUM
    for flag in [*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('chromium')}"]:
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=Service(DRIVER))
    yield driver
    driver.quit()


class Browser:
    """A browser in a report's folder."""

    def __init__(self, driver, folder, tables):
        self.driver, self.folder, self.tables = driver, folder, tables

    def open(self, page):
        self.driver.get("about:blank")
        self.errors()  # those of the pages before
        self.driver.get(f"file://{self.folder}/{page}")
        return self

    def all(self, selector):
        return self.driver.find_elements("css selector", selector)

    def find_one(self, selector):
        return self.driver.find_element("css selector", selector)

    def text(self, selector):
        return self.find_one(selector).text

    def until(self, holds):
        """What `holds` gives, as soon as it is true."""
        for _ in range(100):
            if answer := holds():
                return answer
            time.sleep(0.05)
        raise AssertionError(f"not within five seconds; the page says: {self.text('main')[:300]}")

    def wait_for_rows(self):
        self.until(lambda: self.all("#rows tr"))
        return self

    def choose(self, selector, value):
        self.driver.execute_script(
            "const s = document.querySelector(arguments[0]); s.value = arguments[1];"
            "s.dispatchEvent(new Event(s.tagName === 'INPUT' ? 'input' : 'change', {bubbles: true}))",
            selector,
            value,
        )

    @contextmanager
    def of_width(self, pixels):
        window = {"width": pixels, "height": 800, "deviceScaleFactor": 1, "mobile": pixels < 500}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", window)
        try:
            yield
        finally:
            self.driver.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})

    @contextmanager
    def at_night_on_a_telephone(self):
        dark = {"features": [{"name": "prefers-color-scheme", "value": "dark"}]}
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", dark)
        try:
            with self.of_width(380):
                yield
        finally:
            self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})

    def fits(self):
        """Whether a dark page is dark and no wider than the window."""
        dark = "getComputedStyle(document.body).backgroundColor === 'rgb(20, 23, 29)'"
        fits = "document.documentElement.scrollWidth <= innerWidth + 1"
        return self.driver.execute_script(f"return {dark} && {fits}")

    def errors(self):
        return [entry["message"] for entry in self.driver.get_log("browser") if entry["level"] == "SEVERE"]

    def violations(self):
        """What axe-core finds that keeps people from reading or using the page."""
        script = Path(axe.__file__).with_name("axe.min.js").read_text(encoding="utf-8")
        self.driver.execute_script(script)
        axe_report = self.driver.execute_async_script("axe.run().then(arguments[arguments.length - 1])")
        return [(v["id"], v["nodes"][0]["html"][:200]) for v in axe_report["violations"]]


@pytest.fixture(scope="module")
def built():
    """The report that the first test builds: the others open copies."""
    return {}


@pytest.fixture()
def browser(chromium, built, request, tmp_path):
    if not built:
        site = build(tmp_path, request.getfixturevalue("paper"))
        built |= {"folder": site.folder, "tables": site.tables}
    return Browser(chromium, shutil.copytree(built["folder"], tmp_path / "opened"), built["tables"])


def test_every_page_opens_without_an_error_and_can_be_read_by_all(browser):
    pages = sorted(path.relative_to(browser.folder).as_posix() for path in browser.folder.rglob("*.html"))
    for page in [*pages, QUERIES, QUERIES.replace("queries.html", "provenance.html")]:
        browser.open(page)
        if "#" in page:
            browser.wait_for_rows()
        assert browser.driver.title != "run", page
        assert not browser.errors(), page
        assert not browser.violations(), page


@pytest.mark.parametrize("page", ["index.html", "toy.html", "claims/toy/1.html", "toy_table1.html", QUERIES])
def test_the_dark_page_has_contrast_and_the_narrow_one_fits(browser, page):
    with browser.at_night_on_a_telephone():
        browser.open(page)
        if "#" in page:
            browser.wait_for_rows()
        assert browser.fits() and not browser.violations()


OUTSIDE = """
const right = element => element.getBoundingClientRect().right;
return [...document.querySelectorAll("td .chip")].filter(chip => right(chip) > right(chip.closest("td")) + 1).length
"""


@pytest.mark.parametrize("width", [390, 800, 802, 1000, 1200, 1440])
def test_a_long_verdict_stays_in_its_cell(browser, width):
    with browser.of_width(width):
        browser.open("toy.html")
        assert "11 supported" in browser.text("#claim-2 .chip")
        assert not browser.driver.execute_script(OUTSIDE)


MARKS = """
const numbers = (element, what) => getComputedStyle(element)[what].match(/[\\d.]+/g).map(Number);
const of = (kind, what) => numbers(document.querySelector(`.strip .${kind}`), what);
const body = numbers(document.body, "backgroundColor"), [share] = of("claimed", "opacity");
const claimed = of("claimed", "fill").map((part, at) => part * share + body[at] * (1 - share));
return {under: [body, claimed], marks: [of("size", "fill"), of("range", "stroke"), of("printed", "fill")]};
"""


def test_marks_have_contrast_on_the_page_and_where_the_claim_puts_them(browser):
    def worst():
        browser.open("claims/toy/1.html")
        colours = browser.driver.execute_script(MARKS)
        return min(contrast(mark, background) for mark in colours["marks"] for background in colours["under"])

    assert worst() >= 4.5
    with browser.at_night_on_a_telephone():
        assert worst() >= 4.5


def test_from_a_cell_to_its_queries_and_back(browser):
    (table, _), page = browser.tables, browser.open("toy_table1.html")
    number, cell = next(
        (n, c) for n, c in enumerate(table["cells"]) if c["system"] == "rodr" and c["query_set"] == "misspell"
    )
    page.find_one(f'[data-number="{number}"] .made a').click()
    browser.wait_for_rows()
    after = float(page.find_one("#after").get_attribute("value"))
    before = float(page.find_one("#before").get_attribute("value"))
    assert after == pytest.approx(cell["reproduced"], rel=1e-12)
    assert after / before - 1 == pytest.approx(cell["drop"], rel=1e-9)
    assert len(page.all("#rows tr")) == cell["queries"] == 40
    page.find_one("#provenance").click()
    browser.wait_for_rows()
    assert "results/mini/tables/toy_table1.md" in page.text("#whole")
    browser.driver.back()
    browser.wait_for_rows()
    page.find_one("#table").click()
    assert page.text("h1") == table["title"]
    page.find_one("a.mark").click()
    assert "digits are swapped" in page.text("article:target")
    assert not browser.errors()


def test_every_number_on_a_table_s_page_is_its_artifact_s(browser):
    for table in browser.tables:
        browser.open(f"{table['table']}.html")
        layout = table["layout"]
        for row, fields in zip(browser.all("#cells tbody tr"), layout["fields"], strict=True):
            cells = row.find_elements("css selector", "td")
            for cell, (reported, reproduced, number) in zip(cells, fields, strict=True):
                elements = {part: cell.find_elements("css selector", f".{part}") for part in ("said", "made")}
                words = {part: spans[0].get_property("textContent") for part, spans in elements.items() if spans}
                assert words["made"].removeprefix("reproduced ") == reproduced
                if number is not None:
                    assert words["said"].removeprefix("reported ").partition("⚑")[0] == reported


def test_queries_are_sorted_by_harm_and_found_by_text(browser):
    browser.open(QUERIES).wait_for_rows()
    query_sets = read_data(browser.folder / "data/toy/systems/dr_oq.js")["sets"]
    before, after = (query_sets[f"dev.{kind}"]["measures"]["RR@10"] for kind in ("original", "misspell"))
    harms = sorted((a - b) / 1000 for b, a in zip(before, after, strict=True))
    assert [float(row.text) for row in browser.all("#rows td:nth-child(4)")] == pytest.approx(harms, abs=5e-4)
    browser.choose("#order", "gain")
    assert float(browser.all("#rows td:nth-child(4)")[0].text) == pytest.approx(harms[-1], abs=5e-4)
    browser.choose("#search", "THING 17")
    assert [row.text for row in browser.all("#rows bdi")] == ["what is thing 17", "what is thing 17 mispelt"]
    browser.choose("#search", "no such text")
    assert browser.text("#page") == "no query has this text"


def test_passages_stand_side_by_side_and_nothing_in_a_text_runs(browser):
    browser.open(QUERIES).wait_for_rows()
    assert browser.text("#all").startswith("zcat results/mini/runs/toy/dr_oq/seed")
    assert browser.text("#all").endswith("/dev.misspell.trec.gz")
    browser.choose("#search", "<script>")
    assert browser.text("#rows bdi") == NASTY
    browser.find_one("#rows button").send_keys("\n")
    sides = browser.until(lambda: browser.all(".sides li"))
    assert len(sides) == 10 and NASTY in sides[0].text and sides[0].text.startswith("✓ relevant")
    browser.find_one("#rows button").click()
    assert not browser.all(".sides li") and browser.driver.title != "run"
    browser.choose("#search", RIGHT_TO_LEFT)
    direction = "return getComputedStyle(document.querySelector('#rows bdi')).direction"
    assert browser.driver.execute_script(direction) == "rtl"
    browser.choose("#search", LONG[:50])
    assert browser.driver.execute_script("return document.documentElement.scrollWidth <= innerWidth")


def test_two_systems_stand_side_by_side(browser):
    browser.open(QUERIES).wait_for_rows()
    browser.choose("[name=against]", "rodr")
    browser.until(lambda: "rodr" in browser.driver.current_url and browser.text("#state") == "")
    query_sets = [
        read_data(browser.folder / f"data/toy/systems/{s}.js")["sets"]["dev.misspell"] for s in ("rodr", "dr_oq")
    ]
    values = [float(browser.find_one(f"#{side}").get_attribute("value")) for side in ("before", "after")]
    assert values == [query_set["means"]["RR@10"] for query_set in query_sets]


@pytest.mark.parametrize(
    ("harm", "words"),
    [
        (lambda data: (data / "systems/dr_oq.js").unlink(), "was not made"),
        (
            lambda data: (data / "systems/dr_oq.js").write_text('robustdr.take("toy/dr_oq","H4sI'),
            "cut off or damaged",
        ),
        (
            lambda data: (data / "systems/dr_oq.js").write_text('robustdr.take("toy/dr_oq","H4sI");'),
            "cut off or damaged",
        ),
        (lambda data: write_data(data / "systems/dr_oq.js", "toy/dr_oq", {}), "by another version"),
        (lambda data: (data / "queries.js").unlink(), "was not made"),
    ],
)
def test_data_that_cannot_be_shown_says_why(browser, harm, words):
    harm(browser.folder / "data/toy")
    browser.open(QUERIES)
    assert "results/mini/report/index.html" in browser.until(
        lambda: words in browser.text("#state") and browser.text("#state")
    )
    assert not browser.find_one("#shown").is_displayed()


@pytest.mark.parametrize(
    "place", ["toy/nobody/dev/misspell/RR%4010", "toy/dr_oq/dev/no_such/RR%4010", "no/dr_oq/dev/x/y"]
)
def test_an_address_that_names_nothing_says_so(browser, place):
    browser.open(f"queries.html#{place}")
    state_text = browser.until(lambda: "Loading" not in (state := browser.text("#state")) and state)
    assert any(name in state_text for name in ("nobody", "no_such", "collection no"))


def test_a_table_is_sorted_filtered_and_copied(browser):
    page = browser.open("toy_table1.html")
    page.driver.execute_script("navigator.clipboard.writeText = async (text) => { window.copied = text; }")
    head = next(head for head in page.all("[data-sort]") if "RR@10" in head.text)
    column = int(head.get_attribute("data-sort"))
    head.send_keys("\n")
    cells = f"#cells tbody td:nth-child({column + 1})"
    values = [float(cell.get_attribute("data-value")) for cell in page.all(cells) if cell.get_attribute("data-value")]
    assert values == sorted(values, reverse=True)
    page.choose("[data-by=querySet]", "misspell")
    assert [row.text.split("\n")[0] for row in page.all("#cells tbody tr") if row.is_displayed()] == ["misspell"]
    assert page.driver.current_url.endswith("#querySet=misspell")
    formats = {
        "markdown": ("| --- |", "-50.0%"),
        "latex": ("\\begin{tabular}", "-50.0\\%", "$^\\dagger$"),
        "csv": ('"reported"', "-50.0%"),
    }
    for kind, words in formats.items():
        page.find_one(f"[data-copy={kind}]").click()
        copied = page.until(lambda: page.driver.execute_script("return window.copied"))
        page.driver.execute_script("window.copied = ''")
        assert all(word in copied for word in words) and "swap" not in copied
    page.find_one("[data-copy=latex]").click()
    assert page.until(lambda: page.driver.execute_script("return window.copied")).isascii()


def test_a_claim_leads_to_its_cells_and_these_to_queries_provenance_and_back(browser):
    page = browser.open("toy.html")
    page.find_one("#claim-1 a").click()
    page.find_one("a[href*='toy_table1.html#']").click()
    assert page.driver.current_url.endswith("toy_table1.html#system=DR_OQ")
    heads = [head.text for head in page.all("#cells thead th") if head.is_displayed()]
    assert heads == ["Query set", "DR_OQ RR@10"]  # of the chosen system alone
    page.find_one("#cells .made a").click()
    page.until(lambda: "queries.html" in page.driver.current_url)
    page.wait_for_rows().find_one("#provenance").click()
    assert "results/mini/tables/toy_table1.md" in page.wait_for_rows().text("#whole")
    for title in ("Queries behind a cell", "Query sets", "Typos harm"):
        page.driver.back()
        page.until(lambda title=title: title in page.text("h1"))


def test_claims_are_chosen_by_verdict_and_text(browser):
    page = browser.open("toy.html")
    page.driver.execute_script("for (const one of document.querySelectorAll('details')) one.open = true")

    def shown_claims():
        return [claim.get_attribute("id") for claim in page.all("[data-claims]") if claim.is_displayed()]

    assert len(shown_claims()) == len(CLAIMS["claims"])
    page.choose("[data-filter=claims]", "contradicted")
    assert shown_claims() == ["claim-1"]
    page.choose("[data-filter=claims]", "")
    page.choose("[data-search=claims]", "never RUN")
    assert shown_claims() == ["claim-3"]


def test_ten_thousand_queries_are_shown_at_once_and_turned_over(browser):
    times = 250  # the report's 40 queries, again and again
    data, name = browser.folder / "data/toy", "toy/dr_oq"
    explored, texts = read_data(data / "systems/dr_oq.js"), read_data(data / "queries.js")
    for of_set in explored["sets"].values():
        of_set["measures"]["RR@10"] *= times
        of_set["ranks"] *= times
    write_data(data / "systems/dr_oq.js", name, explored)
    write_data(
        data / "queries.js",
        "toy/queries",
        {"dev": {part: query_texts * times for part, query_texts in texts["dev"].items()}},
    )
    browser.open(QUERIES).wait_for_rows()
    assert browser.text("#page") == "1 to 100 of 10,000"
    turn = "const t = performance.now(); document.getElementById('next').click(); return performance.now() - t"
    took = browser.driver.execute_script(turn)
    assert browser.text("#page") == "101 to 200 of 10,000" and len(browser.all("#rows tr")) == 100
    assert took < 1000  # milliseconds; about 30 on an idle core


def test_two_results_stand_side_by_side(chromium, paper, measured, tmp_path):
    folders = two_results(tmp_path, paper, measured)
    browser = Browser(chromium, write_comparison(*folders, tmp_path / "pages").parent, [])
    pages = sorted(path.name for path in browser.folder.glob("*.html"))
    assert pages == ["index.html", "toy_table1.html", "toy_table2.html"]
    for page in pages:
        browser.open(page)
        assert browser.driver.title != "run" and not browser.errors() and not browser.violations(), page
        with browser.at_night_on_a_telephone():
            assert browser.open(page).fits() and not browser.violations(), page
    browser.open("index.html")
    changed = [row.text for row in browser.all("tr[data-changed]")]
    assert len(changed) == 1 and "contradicted" in changed[0] and "seen" in changed[0]
    browser.find_one("a[href='toy_table1.html']").click()
    browser.choose("[data-by=agreement]", "lower")
    visible_rows = {row.text.split("\n")[0] for row in browser.all("#cells tbody tr") if row.is_displayed()}
    assert visible_rows == {"variations_mean", "misspell"}
    browser.choose("[data-by=agreement]", "")
    column = next(head for head in browser.all("[data-sort]") if "RoDR" in head.text)
    column.send_keys("\n")
    column.send_keys("\n")
    cells = browser.all(f"#cells tbody td:nth-child({int(column.get_attribute('data-sort')) + 1})")
    values = [float(cell.get_attribute("data-value")) for cell in cells]
    assert values == sorted(values) and values[0] == pytest.approx(-25)
    browser.find_one("a[href='index.html#toy']").click()
    assert browser.text("h1") == "Two results side by side"
