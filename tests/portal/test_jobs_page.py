"""The list of jobs in a browser: filter, order, folding, live rows, keyboard."""

import re

from fake_jobs import HOSTILE, job_row


def names(page):
    return page.locator("tbody tr .job-name").all_inner_texts()


def test_wrong_filter_is_explained_beneath_the_box(tab, expect):
    page = tab(allow=["400"]).open("/")
    box = page.get_by_label("Filter the jobs")
    box.fill("colour:red")
    expect(page.get_by_role("alert")).to_contain_text("unknown key 'colour'")
    expect(box).to_have_attribute("aria-invalid", "true")
    expect(page.get_by_role("link", name="job-running")).to_be_visible()  # the rows of the last valid filter
    box.fill("state:RUNNING")
    expect(page.get_by_role("alert")).to_have_count(0)
    expect(page.locator("tbody tr")).to_have_count(1)
    expect(page).to_have_url(re.compile(r"\?q=state:RUNNING$"))


def test_url_restores_the_view(tab, expect):
    page = tab().open("/?cols=name,state,id&fold=0&q=resnet50&sort=name")
    expect(page.locator("thead th")).to_have_count(4)  # the three columns, and the boxes that select runs to compare
    expect(page.locator("tbody tr")).to_have_count(14)
    expect(page.get_by_label("Filter the jobs")).to_have_value("resnet50")
    expect(page.locator("th[aria-sort=ascending]")).to_contain_text("Name")


def test_sorting_is_in_the_url(tab, expect):
    page = tab().open("/?fold=0&q=job-")
    page.get_by_role("button", name="Name").click()
    expect(page).to_have_url(re.compile("sort=name"))
    expect(page.locator("tbody tr .job-name").first).to_have_text("job-failed")
    page.get_by_role("button", name="Name").click()
    expect(page).to_have_url(re.compile("sort=-name"))
    expect(page.locator("tbody tr .job-name").first).to_have_text("job-succeeded")


def test_runs_of_one_name_fold(tab, expect):
    page = tab().open("/?q=resnet50")
    expect(page.locator("tbody tr")).to_have_count(1)
    fold = page.get_by_role("button", name="14 runs of resnet50")
    expect(fold).to_have_attribute("aria-expanded", "false")
    fold.click()
    expect(page.locator("tbody tr")).to_have_count(14)
    page.get_by_label("fold runs of one name").uncheck()
    expect(page).to_have_url(re.compile("fold=0"))


def test_pages_of_a_long_list(tab, portal, expect):
    portal.jobs[:] = [job_row("RUNNING", number, name=f"job-{number:03}") for number in range(120)]
    page = tab().open("/?sort=name")
    assert names(page)[0] == "job-000" and len(names(page)) == 50
    page.get_by_role("link", name="next page").click()
    expect(page.locator("tbody tr .job-name").first).to_have_text("job-050")
    page.go_back()
    expect(page.locator("tbody tr .job-name").first).to_have_text("job-000")


def test_changed_and_new_jobs_appear_without_reload(tab, portal, expect):
    opened = tab()
    page = opened.open("/")
    expect(page.get_by_text("● live")).to_be_visible()
    page.evaluate("() => { window.sameDocument = true }")
    portal.change_job(portal.jobs[0]["id"], state="RUNNING")
    expect(page.get_by_role("row", name=re.compile("job-queued"))).to_contain_text("RUNNING")
    portal.add_job(job_row("QUEUED", 59, name="brand-new"))
    expect(page.get_by_role("link", name="brand-new")).to_be_visible()
    assert page.evaluate("() => window.sameDocument")


def test_no_row_moves_under_the_pointer(tab, portal, expect):
    page = tab().open("/?fold=0")
    expect(page.get_by_text("● live")).to_be_visible()
    row = page.get_by_role("row", name=re.compile("job-running"))
    row.hover()
    before = row.bounding_box()
    portal.add_job(job_row("QUEUED", 59, name="brand-new"))
    show = page.get_by_role("button", name="Show 1 new job")
    expect(show).to_be_visible()
    expect(page.get_by_role("link", name="brand-new")).to_have_count(0)
    assert names(page).index("job-running") == 19 and before["width"] > 0
    page.mouse.move(0, 0)
    expect(page.get_by_role("link", name="brand-new")).to_be_visible()
    expect(show).to_have_count(0)


def test_page_without_a_stream_polls(tab, portal, expect):
    portal.streams = False
    page = tab().open("/")
    expect(page.get_by_text("updated every 5 s")).to_be_visible()
    portal.jobs[0]["state"] = "RUNNING"
    expect(page.get_by_role("row", name=re.compile("job-queued"))).to_contain_text("RUNNING")


def test_failed_list_says_why_and_recovers(tab, portal, expect):
    portal.broken.append(r"/jobs$")
    page = tab(allow=["503"]).open("/")
    expect(page.get_by_role("alert")).to_contain_text(
        "The list of jobs could not be read. the ResourceManager does not answer"
    )
    portal.broken.clear()
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("link", name="job-running")).to_be_visible()
    expect(page.get_by_role("alert")).to_have_count(0)


def test_text_of_users_stays_text(tab, expect):
    opened = tab()
    page = opened.open(f"/?q={HOSTILE[:4]}")
    expect(page.locator("tbody .job-name")).to_contain_text("<img src=x onerror=alert(1)>")
    assert page.locator("img").count() == 0 and page.locator("body script").count() == 0


def test_keyboard(tab, expect):
    page = tab().open("/?fold=0")
    page.keyboard.press("/")
    expect(page.get_by_label("Filter the jobs")).to_be_focused()
    page.keyboard.type("job-")
    page.keyboard.press("Escape")
    expect(page.locator("tbody tr")).to_have_count(7)
    page.keyboard.press("j")
    page.keyboard.press("j")
    page.keyboard.press("k")
    page.keyboard.press("j")
    expect(page.locator("tbody tr").nth(1).locator(".job-name")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("/jobs/howdah-"))
    for key, url in (("g", "/goodput"), ("a", "/advice"), ("b", "/about"), ("j", "/")):
        page.keyboard.press("g")
        page.keyboard.press(key)
        expect(page).to_have_url(re.compile(f"{url}$"))
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("Keyboard")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_theme_switch_is_kept(tab):
    opened = tab(theme="light")
    page = opened.open("/")
    colour = "() => getComputedStyle(document.body).backgroundColor"
    light = page.evaluate(colour)
    page.get_by_label("Theme").select_option("dark")
    page.wait_for_function(f"light => ({colour})() !== light", arg=light)
    dark = page.evaluate(colour)
    opened.open("/about")
    page.wait_for_function(f"dark => ({colour})() === dark", arg=dark)


def test_saved_filters_are_kept(tab, expect):
    opened = tab()
    page = opened.open("/?q=resnet50")
    page.get_by_role("button", name="Save this filter").click()
    opened.open("/")
    page.get_by_role("link", name="resnet50", exact=True).first.click()
    expect(page).to_have_url(re.compile("q=resnet50"))
    page.get_by_role("button", name="Forget the filter resnet50").click()
    opened.open("/")
    expect(page.get_by_role("button", name="Forget the filter resnet50")).to_have_count(0)


def test_csv_is_a_download(tab):
    page = tab().open("/")
    with page.expect_download() as download:
        page.get_by_role("button", name="CSV").click()
    assert download.value.suggested_filename == "jobs.csv"


def test_page_whose_code_is_missing_says_so_and_leaves_the_others(tab, expect):
    opened = tab(allow=["rarer_pages", "404", "Its code could not be loaded"])
    page = opened.open("/")
    page.route(re.compile("/assets/rarer_pages"), lambda route: route.fulfill(status=404))
    page.get_by_role("link", name="Goodput").click()
    expect(page.get_by_role("alert")).to_contain_text("Its code could not be loaded. Reload the page")
    page.get_by_role("link", name="Jobs", exact=True).click()
    expect(page.get_by_role("link", name="job-running")).to_be_visible()
