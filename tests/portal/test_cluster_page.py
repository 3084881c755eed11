"""The pages of clusters, queues and nodes."""

import re

from fake_cluster import SENTENCE
from fake_jobs import HOSTILE


def test_each_node_is_a_square_with_texts_for_its_marks(tab, expect):
    page = tab().open("/cluster")
    squares = page.locator(".square")
    expect(squares).to_have_count(13)
    healthy = page.get_by_role("link", name=re.compile("^node9: RUNNING, memory 39%"))
    expect(healthy).to_contain_text("39%")
    expect(healthy).to_contain_text("3 GPU")
    sick = page.get_by_role("link", name=re.compile("^node1: UNHEALTHY, .*local-dirs are bad"))
    expect(sick).to_contain_text("✕")
    expect(page.get_by_role("link", name=re.compile("^node3: LOST, memory – of 64 GiB used"))).to_contain_text("–")
    expect(page.get_by_role("link", name=re.compile("^node2: DECOMMISSIONING"))).to_contain_text("↓")


def test_nodes_are_grouped_by_label_or_rack(tab, expect):
    page = tab().open("/cluster")
    page.get_by_label("Nodes by").select_option("label")
    expect(page).to_have_url(re.compile("group=label"))
    expect(page.get_by_role("heading", name="label a100: 4 nodes")).to_be_visible()
    expect(page.get_by_role("heading", name="no label: 8 nodes")).to_be_visible()
    page.get_by_label("Nodes by").select_option("rack")
    expect(page.get_by_role("heading", name="rack /rack1: 6 nodes")).to_be_visible()


def test_waiting_job_has_the_whole_sentence_as_text(tab, portal, expect):
    page = tab().open("/cluster")
    row = page.get_by_role("region", name="Waiting jobs of yarn").locator("tr[data-row]")
    expect(row).to_have_count(1)
    expect(row).to_contain_text(SENTENCE)
    row.get_by_role("link").click()
    expect(page).to_have_url(re.compile(f"/jobs/{portal.jobs[0]['id']}$"))


def test_summary_shows_amounts_and_a_dash_for_unknown_ones(tab, expect):
    page = tab().open("/cluster")
    yarn = page.get_by_role("region", name="backend yarn")
    summary = yarn.locator(".cluster-summary")
    expect(summary).to_contain_text("1 DECOMMISSIONING · 1 LOST · 9 RUNNING · 1 UNHEALTHY")
    expect(summary).to_contain_text("pending 24 containers, 12 GiB, – GPUs")
    expect(summary).to_contain_text("12 running, 3 waiting")
    queues = page.get_by_role("region", name="Queues of yarn")
    expect(queues).to_contain_text("110% of 40%, at most 100%")
    expect(queues).to_contain_text("– of 10%")
    expect(queues).to_contain_text("ann 48%, bob 31%")


def test_backend_that_does_not_answer_shows_its_last_state_and_since_when(tab, portal, expect):
    portal.cluster.failing = True
    page = tab().open("/cluster")
    yarn = page.get_by_role("region", name="backend yarn")
    expect(yarn.locator(".failure")).to_contain_text("yarn has not answered since")
    expect(yarn.locator(".failure")).to_contain_text(f"connection refused {HOSTILE}")
    expect(yarn.locator(".square")).to_have_count(12)
    expect(page.get_by_role("region", name="backend local").locator(".failure")).to_have_count(0)


def test_change_appears_without_reload(tab, portal, expect):
    page = tab().open("/cluster")
    expect(page.get_by_text("● live")).to_be_visible()
    portal.cluster.containers = 77
    portal.publish("cluster", {"topic": "cluster", "backends": ["yarn"]})
    expect(page.get_by_role("region", name="backend yarn")).to_contain_text("pending 77 containers")


def test_history_is_drawn(tab, expect):
    page = tab().open("/cluster")
    for name in ("nodes of yarn", "memory of yarn", "pending of local"):
        chart = page.get_by_role("group", name=f"Chart of {name}")
        expect(chart.locator("canvas")).to_be_visible()
    expect(page.locator("figure.chart").filter(has_text="memory of yarn")).to_contain_text("total 64 GiB")


def test_queue_leads_to_its_users_jobs_and_applications(tab, portal, expect):
    page = tab().open("/cluster")
    page.get_by_role("region", name="Queues of yarn").get_by_role("link", name="root.prod", exact=True).click()
    expect(page).to_have_url(re.compile("/cluster/queues/root.prod$"))
    expect(page.get_by_role("heading", name="Queue root.prod")).to_be_visible()
    users = page.get_by_role("region", name="Users of the queue")
    expect(users.locator("tbody tr")).to_have_count(4)
    expect(users).to_contain_text(HOSTILE)
    expect(page.get_by_role("region", name="Waiting jobs")).to_contain_text(SENTENCE)
    applications = page.get_by_role("region", name="Applications")
    expect(applications.locator("tbody tr")).to_have_count(2)
    expect(applications.get_by_role("link")).to_have_count(1)
    page.get_by_role("link", name="root", exact=True).click()
    expect(page.get_by_role("region", name="Queues in this queue").locator("tr[data-row]")).to_have_count(2)


def test_node_shows_its_tasks_and_failures_and_the_jobs_that_avoid_it(tab, portal, expect):
    page = tab().open("/cluster/nodes/node3")
    expect(page.get_by_text("3 tasks of jobs in this portal, 1 application master of theirs, 5 other")).to_be_visible()
    expect(page.get_by_role("region", name="Tasks").locator("tbody tr")).to_have_count(3)
    expect(page.get_by_role("region", name="Failures")).to_contain_text(f"container lost: {HOSTILE}")
    expect(page.get_by_text("Avoided by bert until")).to_be_visible()
    expect(page.get_by_text("Not all jobs could be read in time.")).to_be_visible()
    page.get_by_role("link", name="worker:1").first.click()
    expect(page).to_have_url(re.compile(r"/jobs/.*\?tab=tasks&task=worker:1"))


def test_unknown_node_and_queue_are_explained(tab, expect):
    page = tab(allow=["Failed to load resource"]).open("/cluster/nodes/nowhere")
    expect(page.get_by_role("alert")).to_contain_text("no backend has a node 'nowhere'")
    page.goto(page.url.replace("nodes/nowhere", "queues/nowhere"))
    expect(page.get_by_text("No backend has a queue of this name.")).to_be_visible()


def test_keyboard_reaches_the_page_and_its_rows(tab, expect):
    page = tab().open("/")
    page.keyboard.press("g")
    page.keyboard.press("c")
    expect(page.get_by_role("heading", name="Cluster", exact=True)).to_be_visible()
    expect(page.locator(".square").first).to_be_visible()
    page.keyboard.press("j")
    focused = page.locator("[data-row] a:focus")
    expect(focused).to_have_count(1)
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("/cluster/nodes/laptop$"))
