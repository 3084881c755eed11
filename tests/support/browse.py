"""Uses a page in a browser as a person would. `browse.py tensorboard URL TAG` waits for a curve and prints its number
of coloured pixels; `browse.py notebook URL` runs a cell and prints its output; `browse.py scalars URL` prints the
charts of scalars on a job's page, and their values. Needs the interpreter of `tools/ml-env
browser`."""
import base64
import shutil
import sys
import time

from playwright.sync_api import TimeoutError, sync_playwright

LIMIT_MS = 180_000  # long enough for a busy machine
ENOUGH = 50  # a curve across the whole chart has more coloured pixels


# Counts the coloured pixels of a picture. Everything around a curve is grey.
COLOURED = """async picture => {
    const image = new Image();
    image.src = "data:image/png;base64," + picture;
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [image.width, image.height];
    const drawing = canvas.getContext("2d");
    drawing.drawImage(image, 0, 0);
    const pixels = drawing.getImageData(0, 0, canvas.width, canvas.height).data;
    let coloured = 0;
    for (let i = 0; i < pixels.length; i += 4) {
        const [r, g, b] = pixels.slice(i, i + 3);
        coloured += Math.max(r, g, b) - Math.min(r, g, b) > 24;
    }
    return coloured;
}"""


def tensorboard(page, url, tag):
    page.goto(f"{url}#timeseries")
    return tensorboard_curve(page, tag)


def tensorboard_curve(page, tag):
    chart = page.locator("scalar-card", has_text=tag).first.locator("line-chart")
    chart.wait_for()
    blank = page.context.new_page()
    end = time.monotonic() + LIMIT_MS / 1000
    while True:  # poll, because a web worker draws the chart without sending an event
        coloured = blank.evaluate(COLOURED, base64.b64encode(chart.screenshot()).decode())
        if coloured > ENOUGH or time.monotonic() > end:
            return coloured


def notebook(page, url):
    page.goto(url)
    return notebook_cell(page)


def notebook_cell(page):
    page.locator('.jp-LauncherCard[data-category="Notebook"]').first.click()
    cell = page.locator(".jp-Notebook .jp-CodeCell .cm-content").first
    cell.wait_for()
    output = page.locator(".jp-OutputArea-output pre").first
    end = time.monotonic() + LIMIT_MS / 1000
    while True:  # type again if nothing appears: the page loses input while it is still loading
        cell.click()
        page.keyboard.press("Control+A")
        page.keyboard.type("import os; print(6 * 7, os.environ['HOWDAH_ROLE'])")
        page.keyboard.press("Shift+Enter")
        try:
            output.wait_for(timeout=10_000)
            return output.inner_text()
        except TimeoutError:
            if time.monotonic() > end:
                raise


def scalars(page, url):
    page.goto(url)
    section = page.locator("section", has=page.get_by_role("heading", name="TensorBoard scalars"))
    section.locator("canvas").nth(1).wait_for()
    charts = section.get_by_role("group").evaluate_all("all => all.map(one => one.ariaLabel)")
    return "; ".join(charts) + "\n" + "; ".join(section.locator("ul.muted li").all_inner_texts())


def main():
    with sync_playwright() as playwright:
        program = shutil.which("chromium-headless-shell")
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        page = browser.new_context().new_page()
        page.set_default_timeout(LIMIT_MS)
        print({"tensorboard": tensorboard, "notebook": notebook, "scalars": scalars}[sys.argv[1]](page, *sys.argv[2:]))
        browser.close()


if __name__ == "__main__":
    main()
