"""The comparison of runs, and the way to it."""

import re

from fake_jobs import job_row

RUNNING, FAILED = "howdah-20261121-064502-x7k2", "howdah-20261121-064505-x7k2"


def test_selected_rows_are_compared(tab, expect):
    page = tab().open("/?fold=0")
    expect(page.get_by_text("compare (0): Select two or more runs")).to_be_visible()
    page.get_by_role("checkbox", name=re.compile("select job-running")).check()
    page.get_by_role("checkbox", name=re.compile("select job-failed")).check()
    expect(page).to_have_url(re.compile(f"sel={RUNNING},{FAILED}"))
    page.get_by_role("link", name="compare 2 runs").click()
    expect(page).to_have_url(re.compile(rf"/compare\?ids={RUNNING},{FAILED}"))
    expect(page.get_by_role("heading", name="Compare 2 runs")).to_be_visible()


def test_selection_is_kept_in_the_url_and_can_be_cleared(tab, expect):
    page = tab().open(f"/?fold=0&sel={RUNNING}")
    expect(page.get_by_role("checkbox", name=re.compile("select job-running"))).to_be_checked()
    page.get_by_role("button", name="Clear the selection").click()
    expect(page.get_by_role("checkbox", name=re.compile("select job-running"))).not_to_be_checked()
    assert "sel=" not in page.url


def test_more_than_20_runs_are_not_compared(tab, portal, expect):
    portal.jobs[:] = [job_row("SUCCEEDED", number, name=f"job-{number}") for number in range(21)]
    page = tab().open("/?fold=0&sel=" + ",".join(row["id"] for row in portal.jobs))
    expect(page.get_by_text("At most 20 runs can be compared, and 21 are selected.")).to_be_visible()
    expect(page.get_by_role("link", name="compare 21 runs")).to_have_count(0)


def test_differences_come_first_and_equal_settings_are_folded(tab, expect):
    page = tab().open(f"/compare?ids={RUNNING},{FAILED}")
    assert page.locator("main h2").all_inner_texts()[:4] == [
        "Differences",
        "Outcome",
        "Time breakdown",
        "Usage by role",
    ]
    differences = page.get_by_role("region", name="Differences")
    expect(differences.get_by_role("row", name=re.compile("roles.worker.memory"))).to_contain_text("–")
    assert differences.locator("th.group").all_inner_texts() == ["job file", "environment", "files", "versions"]
    equal = page.get_by_role("region", name="Equal settings")
    expect(equal).not_to_be_visible()
    page.get_by_text("2 equal settings").click()
    expect(equal.get_by_role("row", name=re.compile("^name demo demo"))).to_be_visible()


def test_runs_are_aligned_by_role(tab, expect):
    page = tab().open(f"/compare?ids={RUNNING},{FAILED}")
    usage = page.get_by_role("region", name="Usage by role")
    rows = usage.get_by_role("row", name=re.compile("^peak memory of a task"))
    expect(rows.nth(0)).to_contain_text("2 GiB of 4 GiB")
    expect(rows.nth(1)).to_contain_text("–3 GiB of 4 GiB")
    expect(usage.locator("th.group")).to_have_text(["worker", "ps"])


def test_run_that_cannot_be_read_says_why_beside_the_others(tab, expect):
    page = tab().open(f"/compare?ids={RUNNING},missing")
    expect(page.get_by_text("no job has the name or id 'missing'")).to_be_visible()
    expect(page.get_by_role("region", name="Outcome")).to_contain_text("RUNNING")
    page.get_by_role("link", name="remove missing").click()
    expect(page.get_by_role("heading", name="Compare 1 run")).to_be_visible()


def test_curves_of_the_runs_share_an_axis(tab, expect):
    page = tab().open(f"/compare?ids={RUNNING},{FAILED}")
    charts = page.get_by_role("figure").filter(has=page.get_by_role("group", name="Chart of loss"))
    loss = charts.filter(has_text="loss worker")
    expect(loss.locator("ul.curves li")).to_have_count(2)
    expect(loss.locator("ul.curves")).to_contain_text("A job-running")
    page.get_by_label("Horizontal axis").select_option("relative")
    expect(page).to_have_url(re.compile("x=relative"))
    expect(loss.locator("ul.curves li")).to_have_count(2)


def test_failed_metrics_leave_the_rest_of_the_comparison(tab, portal, expect):
    portal.broken.append(r"/metrics$")
    page = tab(allow=["503"]).open(f"/compare?ids={RUNNING},{FAILED}")
    expect(page.get_by_role("status").filter(has_text="the ResourceManager does not answer")).to_be_visible()
    expect(page.get_by_role("region", name="Differences")).to_be_visible()


def test_keyboard_alone_leads_to_a_comparison(tab, expect):
    page = tab().open("/?fold=0&q=job-")
    for name in ("select job-running", "select job-failed"):
        page.get_by_role("checkbox", name=re.compile(name)).focus()
        page.keyboard.press("Space")
    page.get_by_role("link", name="compare 2 runs").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Compare 2 runs")).to_be_visible()
