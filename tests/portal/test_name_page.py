"""The runs of one name over time."""

import re

from fake_jobs import job_row


def test_job_leads_to_the_runs_of_its_name(tab, portal, expect):
    page = tab().open(f"/jobs/{portal.jobs[-1]['id']}")
    page.get_by_role("link", name="all runs of this name").click()
    expect(page).to_have_url(re.compile("/names/resnet50$"))
    expect(page.get_by_role("heading", name="Runs of resnet50")).to_be_visible()
    expect(page.locator("tbody tr[data-row]")).to_have_count(14)


def test_run_outside_the_usual_range_is_marked_with_its_differences(tab, expect):
    page = tab().open("/names/resnet50")
    expect(page.locator("td.marked")).to_have_count(1)
    expect(page.locator("td.marked")).to_contain_text("above the usual range")
    expect(page.get_by_text("took 1h, above the usual 50s to 1m10s (median 1m)")).to_be_visible()
    page.get_by_text("1 difference from the previous run").click()
    expect(page.get_by_role("region", name="Differences")).to_contain_text("roles.worker.memory")


def test_selected_runs_are_compared(tab, portal, expect):
    page = tab().open("/names/resnet50")
    boxes = page.get_by_role("checkbox")
    boxes.nth(0).check()
    boxes.nth(2).check()
    page.get_by_role("link", name="compare 2 runs").click()
    runs = [row["id"] for row in portal.jobs if row["name"] == "resnet50"]
    expect(page).to_have_url(re.compile(f"ids={runs[0]},{runs[2]}"))


def test_unknown_and_infinite_values_are_shown_as_such(tab, expect):
    page = tab().open("/names/resnet50")
    rows = page.locator("tbody tr[data-row]")
    expect(rows.nth(1)).to_contain_text("–")
    expect(rows.nth(2)).to_contain_text("NaN")
    expect(rows.nth(3)).to_contain_text("not read")


def test_name_with_a_slash_and_markup_is_text(tab, portal, expect):
    portal.jobs[:] = [job_row("SUCCEEDED", number, name="a/<b>x</b>") for number in range(2)]
    page = tab().open(f"/jobs/{portal.jobs[0]['id']}")
    page.get_by_role("link", name="all runs of this name").click()
    expect(page.get_by_role("heading", name="Runs of a/<b>x</b>")).to_be_visible()
    expect(page.locator("tbody tr[data-row]")).to_have_count(2)


def test_new_run_appears_without_reload(tab, portal, expect):
    page = tab().open("/names/resnet50")
    expect(page.get_by_text("● live")).to_be_visible()
    portal.add_job(job_row("RUNNING", 59, name="resnet50"))
    expect(page.locator("tbody tr[data-row]")).to_have_count(15)


def test_keyboard_moves_between_the_runs(tab, expect):
    page = tab().open("/names/resnet50")
    page.keyboard.press("j")
    page.keyboard.press("j")
    expect(page.locator("tbody tr[data-row]").nth(1).locator(".job-name")).to_be_focused()
