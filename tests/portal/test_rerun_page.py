"""A job that is submitted again with edits."""

import re

FAILED = "howdah-20261121-064505-x7k2"


def test_edits_are_checked_confirmed_once_and_sent(tab, portal, expect):
    page = tab().open(f"/jobs/{FAILED}")
    page.get_by_role("link", name="re-run with edits").click()
    expect(page.get_by_text("The job file is valid.")).to_be_visible()
    page.get_by_label("memory").fill("4GiB")
    expect(page.get_by_label("equivalent command").first).to_contain_text("--set roles.worker.memory=4GiB --on local")
    submit = page.get_by_role("button", name="Submit…")
    expect(submit).to_be_enabled()
    submit.click()
    assert portal.posts == []
    page.get_by_role("button", name="Submit the job").click()
    expect(page.get_by_role("dialog")).to_contain_text("howdah-new was submitted")
    [(job, action, body)] = portal.posts
    assert (job, action, body["set"]) == (FAILED, "rerun", ["roles.worker.memory=4GiB"])


def test_mistakes_are_shown_with_their_lines_and_prevent_the_submission(tab, expect):
    page = tab().open(f"/rerun/{FAILED}")
    text = page.get_by_label("Job file", exact=True)
    text.fill("name: x\n\nrolls: {}")
    expect(page.get_by_text("line 3: rolls: unknown key; did you mean 'roles'?")).to_be_visible()
    expect(page.get_by_role("button", name="Submit…")).to_be_disabled()
    text.fill("name: x")
    page.get_by_label("memory").fill("900TiB")
    expect(page.get_by_text("worker: 900TiB is more than any node has")).to_be_visible()
    expect(page.get_by_role("button", name="Submit…")).to_be_disabled()


def test_missing_source_leads_to_a_command(tab, portal, expect):
    portal.missing.append("/home/ann/src")
    page = tab().open(f"/rerun/{FAILED}")
    expect(page.get_by_role("alert")).to_contain_text("/home/ann/src is not on this machine")
    expect(page.get_by_label("command to submit the job")).to_have_text("howdah submit job.yaml --on local")
    expect(page.get_by_role("button", name=re.compile("Submit"))).to_have_count(0)


def test_read_only_portal_submits_nothing(tab, portal, expect):
    portal.read_only = True
    page = tab().open(f"/rerun/{FAILED}")
    expect(page.get_by_text("This portal was started with --read-only.")).to_be_visible()
    expect(page.get_by_role("button", name="Submit…")).to_be_disabled()
