"""Uses a page in a browser as a person would. `browse.py tensorboard URL TAG` waits for a curve and prints its number
of coloured pixels; `browse.py notebook URL` runs a cell and prints its output; `browse.py scalars URL` prints the
charts of scalars on a job's page, and their values; `browse.py steps URL` runs all cells of a notebook, then restarts
its kernel and runs the last cell, and prints the outputs as JSON. Needs the interpreter of `tools/ml-env browser`."""
import base64
import json
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


# Collects the different texts of the first table in the notebook.
RECORD_TABLE = """() => {
    window.tables = [];
    const look = () => {
        const table = document.querySelector(".jp-OutputArea-output table");
        const text = table && table.parentElement.innerText;
        if (text && !window.tables.includes(text)) window.tables.push(text);
    };
    new MutationObserver(look).observe(document.body, {childList: true, subtree: true, characterData: true});
}"""
# Whether all of the last n cells with code have run since their kernel started.
HAVE_RUN = """n => {
    const prompts = [...document.querySelectorAll(".jp-Notebook .jp-CodeCell .jp-InputPrompt")].slice(-n);
    return prompts.length && prompts.every(one => /[0-9]/.test(one.innerText));
}"""
HAVE_NOT_RUN = """() => [...document.querySelectorAll(".jp-Notebook .jp-CodeCell .jp-InputPrompt")]
    .every(one => !/[0-9*]/.test(one.innerText))"""


def steps(page, url):
    """{"live": the texts that the table of the first job had, "cells": the outputs of the cells with code, "again":
    those after the last cell has run in a new kernel}"""
    page.goto(url)
    cells = page.locator(".jp-Notebook .jp-CodeCell")
    cells.first.wait_for()
    page.get_by_title("Kernel status: Idle").or_(page.get_by_text("| Idle")).first.wait_for()
    page.evaluate(RECORD_TABLE)
    choose(page, "Run", "Run All Cells")
    page.wait_for_function(HAVE_RUN, arg=1000)
    found = {"live": page.evaluate("window.tables"), "cells": outputs(cells)}
    choose(page, "Kernel", "Restart Kernel and Clear")
    page.locator(".jp-Dialog .jp-mod-accept").click()
    page.wait_for_function(HAVE_NOT_RUN)
    cells.last.locator(".cm-content").click()
    page.keyboard.press("Control+Enter")
    page.wait_for_function(HAVE_RUN, arg=1)
    return json.dumps({**found, "again": outputs(cells)})


def choose(page, menu, item):
    page.get_by_role("menuitem", name=menu, exact=True).click()
    page.locator(".lm-Menu-item", has_text=item).first.click()


def outputs(cells):
    return ["\n".join(cell.locator(".jp-OutputArea-output").all_inner_texts()) for cell in cells.all()]


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
        actions = {"tensorboard": tensorboard, "notebook": notebook, "scalars": scalars, "steps": steps}
        print(actions[sys.argv[1]](page, *sys.argv[2:]))
        browser.close()


if __name__ == "__main__":
    main()
