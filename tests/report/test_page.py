"""The report in a real browser: what is on it, and that the network can be explored."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("plotly", reason="plotly is not installed")

from tests.report.conftest import attack, features, graph

from atmostk.report import html_report, write_report


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    runs = [features(), graph(), attack()]
    return write_report(runs, tmp_path_factory.mktemp("report") / "report.html", title="A & B <report>")


@pytest.fixture
def page(browser: Any, file: Path, request: pytest.FixtureRequest) -> Iterator[Any]:
    """The report, opened offline; the test fails on any error in the console or any request that is not the file."""
    scheme = getattr(request, "param", "light")
    context = browser.new_context(color_scheme=scheme, offline=True, viewport={"width": 1200, "height": 900})
    opened = context.new_page()
    troubles: list[str] = []
    opened.on("console", lambda message: troubles.append(message.text))
    opened.on("pageerror", lambda error: troubles.append(str(error)))
    opened.on("dialog", lambda dialog: troubles.append(dialog.message))
    opened.on("request", lambda asked: troubles.append(asked.url) if asked.url.startswith("http") else None)
    opened.goto(file.as_uri())
    opened.wait_for_function("document.querySelector('.network').network.state().visible === 6550")
    yield opened
    context.close()
    assert troubles == []


def state(page: Any) -> dict[str, Any]:
    page.wait_for_timeout(60)  # the drawing waits for the next frame
    return page.evaluate("document.querySelector('.network').network.state()")


@pytest.mark.parametrize("page", ["light", "dark"], indirect=True)
def test_every_section_of_every_run_is_there(page: Any) -> None:
    assert page.title() == "A & B <report>"
    assert page.locator("article").count() == 3
    told = page.locator("h3").all_inner_texts()
    for title in ("What was asked", "The answer", "Quality", "The path over the budget", "Convergence"):
        assert title in told
    # the coefficients, the path, the convergence, the perturbation
    assert page.locator(".figure .main-svg").count() >= 4
    assert page.locator(".strip img").count() == 4
    assert page.evaluate("[...document.querySelectorAll('.strip img')].every(image => image.naturalWidth === 8)")
    assert "<img src=x onerror=alert(1)>" in page.locator("#run-0 table").first.inner_text()


def test_search_finds_a_gene_and_tells_its_neighbours(page: Any) -> None:
    run = graph()
    first, second, strength = (run.tables["edges"][name] for name in ("first", "second", "partial correlation"))
    page.fill(".network .find", "gene0")
    assert state(page)["chosen"] == "GENE0"
    about = page.locator(".network .about")
    assert f"{int(((first == 0) | (second == 0)).sum())} neighbours" in about.inner_text()
    # The strongest edge of all is the first; its other end leads the list.
    assert about.locator("li").first.inner_text().split() == [f"GENE{second[0]}", f"{strength[0]:.3f}"]
    page.fill(".network .find", "no such gene")
    assert page.evaluate("document.querySelector('.network .find').validationMessage") == "no such name"


def test_hovering_a_node_tells_about_it(page: Any) -> None:
    page.fill(".network .find", "GENE12")
    x, y = page.evaluate("document.querySelector('.network').network.screen('GENE12')")
    page.click(".network .all")
    assert state(page)["chosen"] is None
    x, y = page.evaluate("document.querySelector('.network').network.screen('GENE1899')")
    page.locator(".network canvas").scroll_into_view_if_needed()
    box = page.locator(".network canvas").bounding_box()
    page.mouse.move(box["x"] + x, box["y"] + y)
    assert state(page)["chosen"] is not None
    assert page.locator(".network .about").is_visible()


def test_the_filter_keeps_the_strong_edges(page: Any) -> None:
    strength = abs(graph().tables["edges"]["partial correlation"])
    page.evaluate(
        "() => { const least = document.querySelector('.network .least'); least.value = 500;"
        " least.dispatchEvent(new Event('input')); }"
    )
    now = state(page)
    assert now["threshold"] == pytest.approx(0.45)
    assert now["visible"] == int((strength.round(4) >= 0.45).sum())


def test_the_wheel_zooms_about_the_pointer_and_dragging_moves(page: Any) -> None:
    page.locator(".network canvas").scroll_into_view_if_needed()
    box = page.locator(".network canvas").bounding_box()
    before = state(page)
    page.mouse.move(box["x"] + 300, box["y"] + 200)
    page.mouse.wheel(0, -400)
    zoomed = state(page)
    assert zoomed["scale"] > 1.5 * before["scale"]
    growth = zoomed["scale"] / before["scale"]
    assert zoomed["left"] == pytest.approx(300 - growth * (300 - before["left"]), abs=1.5)
    page.mouse.down()
    page.mouse.move(box["x"] + 350, box["y"] + 170)
    page.mouse.up()
    moved = state(page)
    assert (moved["left"] - zoomed["left"], moved["top"] - zoomed["top"]) == (pytest.approx(50), pytest.approx(-30))


def test_a_drawing_of_the_whole_network_is_smooth(page: Any) -> None:
    took = page.evaluate("""() => {
        const place = document.querySelector(".network"), begun = performance.now();
        for (let time = 0; time < 5; time++) place.network.draw();
        place.querySelector("canvas").getContext("2d").getImageData(0, 0, 1, 1);
        return (performance.now() - begun) / 5;
    }""")
    # A software renderer on a busy machine: a tenth of a second still follows the hand, 3 ms were measured when idle.
    assert took < 100


def test_the_page_changes_between_dark_and_light(page: Any) -> None:
    paper = "getComputedStyle(document.body).backgroundColor"
    before = page.evaluate(paper)
    page.click("#theme")
    assert page.evaluate(paper) != before


def test_a_confusion_table_tells_shares_of_the_true_class(page: Any) -> None:
    drawn = page.evaluate("document.querySelector('#confusion-2').data[0].z")
    assert drawn == [[0.25, 0.75], [0, 1]]


def test_paper_is_light_and_keeps_the_legends(page: Any) -> None:
    page.emulate_media(media="print")
    assert page.locator("#path-0 g.legend").first.is_visible()
    assert not page.locator(".network .key").is_visible()
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    assert page.evaluate("document.documentElement.dataset.theme") == "light"


def test_it_fits_on_a_phone_and_prints_on_paper(browser: Any, file: Path) -> None:
    page = browser.new_page(viewport={"width": 390, "height": 800}, color_scheme="dark")
    page.goto(file.as_uri())
    page.wait_for_timeout(300)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.pdf()[:4] == b"%PDF"
    page.close()


def test_a_table_is_saved_as_csv_with_every_row(browser: Any, file: Path) -> None:
    page = browser.new_page()
    page.goto(file.as_uri())
    page.locator("#run-1 details summary").first.click()
    with page.expect_download() as waiting:
        page.locator("#run-1 button.save").first.click()
    lines = Path(waiting.value.path()).read_text().splitlines()
    assert lines[0] == "first,second,partial correlation"
    assert len(lines) == 1 + 6_550
    assert lines[1].endswith(",0.9")
    page.close()


def test_names_and_titles_cannot_become_markup() -> None:
    text = html_report(features())
    assert "<img src=x" not in text


def test_a_report_of_nothing_is_refused() -> None:
    with pytest.raises(ValueError, match="one run or more"):
        html_report([])
