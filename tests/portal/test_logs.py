"""Logs in a browser: of any size, with any bytes, while they grow."""

import re

import pytest

from fake_jobs import job_row

RUNNING = "howdah-20261121-064502-x7k2"


@pytest.fixture
def huge(portal):
    """A job whose log has 1 GB."""
    portal.jobs.append(job_row("SUCCEEDED", 58, name="huge-log"))
    return portal.jobs[-1]["id"]


def line(page, number):
    return page.locator(".log-line", has=page.get_by_label(f"link to line {number}", exact=True))


def test_bytes_of_every_kind_are_shown(tab, expect):
    page = tab().open(f"/jobs/{RUNNING}?tab=logs&follow=0")
    expect(line(page, 1)).to_contain_text("red plain bold")
    expect(page.locator(".ansi-f1").first).to_have_text("red")
    expect(line(page, 2)).to_contain_text("progress 100%")
    expect(line(page, 2)).not_to_contain_text("10% ")
    expect(line(page, 3)).to_contain_text("nul ␀ and \ufffd\ufffd invalid")
    expect(line(page, 4)).to_contain_text("<script>alert(2)</script>[U+202E]␇")


def test_huge_log_opens_at_begin_end_and_line(tab, huge, expect):
    page = tab().open(f"/jobs/{huge}?tab=logs")
    expect(line(page, 1)).to_contain_text("line 1 ")
    page.get_by_role("button", name="End").click()
    expect(page.get_by_text("line 10000000 ")).to_be_visible()
    page.get_by_label("Line", exact=True).fill("5000000")
    page.get_by_role("button", name="Go").click()
    expect(line(page, 5000000)).to_contain_text("line 5000000 ")
    expect(page).to_have_url(re.compile("line=5000000"))
    page.get_by_role("button", name="Begin").click()
    expect(line(page, 1)).to_be_visible()
    assert page.locator(".log-line").count() < 200


def test_scrolling_reads_on_in_both_directions(tab, huge, expect):
    page = tab().open(f"/jobs/{huge}?tab=logs&line=500000")
    expect(line(page, 500000)).to_be_visible()
    box = page.get_by_role("log")
    bytes_read = page.get_by_text(re.compile("^bytes "))
    before = bytes_read.inner_text()
    box.evaluate("box => box.scrollTo(0, box.scrollHeight)")
    expect(bytes_read).not_to_have_text(before)
    for _ in range(12):  # more than the window holds
        known = bytes_read.inner_text()
        box.evaluate("box => box.scrollTo(0, box.scrollHeight)")
        expect(bytes_read).not_to_have_text(known)
    assert page.evaluate("() => document.querySelectorAll('.log-line').length") < 200
    begin = int(re.search(r"bytes ([\d,]+)", bytes_read.inner_text()).group(1).replace(",", ""))
    assert begin > 50_000_000, "the window has moved on"
    box.evaluate("box => box.scrollTo(0, 0)")
    expect(bytes_read).not_to_have_text(re.compile(f"bytes {begin:,}"))


def test_line_of_100_mb_does_not_hang_the_page(tab, portal, expect):
    portal.jobs.append(job_row("SUCCEEDED", 57, name="long-line"))
    page = tab().open(f"/jobs/{portal.jobs[-1]['id']}?tab=logs")
    expect(page.get_by_text("of this line are not shown").first).to_be_visible()
    page.get_by_role("button", name="End").click()
    expect(page.get_by_text("last", exact=True)).to_be_visible()


def test_growing_log_is_followed(tab, portal, expect):
    page = tab().open(f"/jobs/{RUNNING}?tab=logs")
    expect(page.get_by_text("epoch 1999 ")).to_be_visible()
    for number in range(3):
        portal.grow_log(RUNNING, b"new line %d\n" % number)
        expect(page.get_by_text(f"new line {number}")).to_be_visible()
    box = page.get_by_role("log")
    box.evaluate("box => box.scrollTo(0, 0)")
    expect(page.get_by_label("follow")).not_to_be_checked()
    portal.grow_log(RUNNING, b"unseen\n")
    expect(page.get_by_text(re.compile("^bytes 0"))).to_be_visible()
    expect(page.get_by_text("unseen")).to_have_count(0)


def test_wrapped_lines_keep_the_position(tab, expect):
    page = tab(width=360).open(f"/jobs/{RUNNING}?tab=logs&line=1000")
    expect(line(page, 1000)).to_be_visible()
    page.get_by_label("wrap").check()
    expect(line(page, 1000)).to_be_visible()
    assert page.evaluate(
        "() => { const box = document.querySelector('.log-box'); return box.scrollWidth <= box.clientWidth }"
    )


def test_search_lists_hits_that_link_to_their_lines(tab, expect):
    page = tab().open(f"/jobs/{RUNNING}?tab=logs&follow=0")
    page.keyboard.press("/")
    page.keyboard.type("epoch 777 ")
    page.keyboard.press("Enter")
    expect(page.get_by_text("1 hit", exact=True)).to_be_visible()
    page.get_by_role("link", name="worker:0 stdout:782").click()
    expect(page.locator(".log-line.marked")).to_contain_text("epoch 777 ")
    expect(page.locator(".log-line.marked")).to_be_visible()


def test_wrong_pattern_is_explained(tab, expect):
    page = tab(allow=["400"]).open(f"/jobs/{RUNNING}?tab=logs&follow=0&find=(&regex=1")
    expect(page.get_by_role("alert")).to_contain_text("missing ): (")


def test_other_stream_starts_at_its_begin(tab, expect):
    page = tab().open(f"/jobs/{RUNNING}?tab=logs&at=500&follow=0")
    page.get_by_role("combobox", name=re.compile("^Task")).select_option("worker:1")
    page.get_by_label("Stream").select_option("stderr")
    expect(page.get_by_role("log")).to_contain_text("No module named 'torch'")
    expect(page).not_to_have_url(re.compile("at="))


def test_empty_log_says_so(tab, expect):
    page = tab().open(f"/jobs/{RUNNING}?tab=logs&task=worker:0&stream=stderr&follow=0")
    expect(page.get_by_text("worker:0 has written nothing to stderr yet.")).to_be_visible()
