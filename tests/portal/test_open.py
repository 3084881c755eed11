"""Servers of a job in new tabs: the buttons of the page with a made-up portal, and real servers of real jobs."""

import os
import pathlib
import re

import pytest

from machine import eventually
from opened_app import start_app_server
from portal import HEADERS, Portal
from tensorboard_curve import CURVE

RUNNING = "howdah-20261121-064502-x7k2"
LABEL = "0123456789abcdef" * 2
JUPYTER = "JupyterLab of `howdah notebook`"
LONG_S = 400  # JupyterLab takes a minute to start on a busy machine


@pytest.fixture
def context(chromium):
    context = chromium.new_context()
    context.set_default_timeout(180_000)
    yield context
    context.close()


def test_port_of_a_task_opens_in_a_new_tab(tab, portal, expect):
    opened = tab()
    page = opened.open(f"/jobs/{RUNNING}?tab=tasks&task=worker:1")
    page.get_by_role("button", name="Open…").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("alert")).to_contain_text("Enter the port")
    expect(dialog.get_by_role("button", name="Open in a new tab")).to_be_disabled()
    dialog.get_by_role("textbox", name="Port").fill("8888")
    expect(dialog).to_contain_text(f"howdah open {RUNNING} worker:1 8888 --on local")
    assert opened.violations() == []
    with page.context.expect_page() as found:
        dialog.get_by_role("button", name="Open in a new tab").click()
    found.value.wait_for_url(re.compile(rf"^http://{LABEL}\.localhost:\d+/\.howdah/open\?ticket=a+$"))
    assert found.value.evaluate("() => window.opener") is None
    expect(dialog.get_by_role("status")).to_contain_text("opened in a new tab")
    assert portal.posts == [(RUNNING, "open", {"task": "worker:1", "port": 8888})]


def test_refused_server_closes_the_tab_and_says_why(tab, expect):
    page = tab(allow=["409"]).open(f"/jobs/{RUNNING}")
    page.get_by_role("button", name="Open…").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("textbox", name="Port").fill("9")
    dialog.get_by_role("button", name="Open in a new tab").click()
    expect(dialog.get_by_role("alert")).to_contain_text("port 9 has no server Try another one.")
    eventually(lambda: len(page.context.pages) == 1, "the new tab to be closed")


@pytest.mark.parametrize("server, body", [("TensorBoard", {"tensorboard": True}), ("JupyterLab", {"notebook": True})])
def test_known_servers_need_no_port(tab, portal, expect, server, body):
    page = tab().open(f"/jobs/{RUNNING}")
    page.get_by_role("button", name="Open…").click()
    dialog = page.get_by_role("dialog")
    choices = dialog.get_by_label("Server")
    expect(choices.locator("option", has_text=server)).to_have_count(1)  # the list is fetched
    [choice] = [each for each in choices.locator("option").all_inner_texts() if server in each]
    choices.select_option(choice)
    with page.context.expect_page():
        dialog.get_by_role("button", name="Open in a new tab").click()
    expect(dialog.get_by_role("status")).to_contain_text("opened in a new tab")
    assert portal.posts == [(RUNNING, "open", body)]


def test_read_only_portal_opens_no_server(tab, portal, expect):
    portal.read_only = True
    page = tab().open(f"/jobs/{RUNNING}")
    expect(page.get_by_role("button", name="Open…")).to_be_disabled()
    expect(page.get_by_role("button", name="TensorBoard")).to_be_disabled()


def press(context, portal, job, *clicks):
    """Opens the page of a job, and presses buttons. Returns the tab that opens."""
    page = context.new_page()
    page.goto(f"{portal.address}jobs/{job}")
    with context.expect_page() as found:
        for click in clicks:
            click(page)
    return found.value


def test_websocket_of_a_task_works_in_its_own_origin(machine, context, expect, tmp_path):
    job, port = start_app_server(machine, tmp_path)
    with Portal(machine) as portal:
        page = press(
            context,
            portal,
            job,
            lambda page: page.get_by_role("button", name="Open…").click(),
            lambda page: page.get_by_role("textbox", name="Port").fill(str(port)),
            lambda page: page.get_by_role("button", name="Open in a new tab").click(),
        )
        expect(page.locator("#echo")).to_have_text("echo: hello")
        expect(page.locator("#cookie")).to_have_text("cookies: ")
        assert re.fullmatch(rf"http://[0-9a-f]{{32}}\.localhost:{portal.port}/", page.url)
        # The page can neither read the portal nor act there.
        read = f"() => fetch('{portal.address}api/v1/jobs').then(a => a.status, e => String(e))"
        assert "Failed to fetch" in page.evaluate(read)
        kill = f"{portal.address}api/v1/jobs/{job}/kill"
        page.evaluate("url => fetch(url, {method: 'POST', mode: 'no-cors'}).catch(String)", kill)
        assert machine.status(job)["state"] == "RUNNING"
        # A page of another origin can show nothing of the server.
        frame = context.new_page()
        frame.goto(portal.address)
        assert "Failed to fetch" in frame.evaluate(f"() => fetch('{page.url}').then(a => a.status, e => String(e))")


def test_tensorboard_of_a_running_job_is_shown(machine, installed, context, tmp_path):  # noqa: F811
    from browse import ENOUGH, tensorboard_curve

    path = f"{pathlib.Path(installed('demo')).parent}:{os.environ['PATH']}"
    source = tmp_path / "source"
    source.mkdir()
    (source / "curve.py").write_text(CURVE)
    job_file = f"""
name: curves
source: {source}
tensorboard: {{logdir: {tmp_path}/curves}}
roles:
  worker: {{instances: 1, memory: 256MiB, command: "python3 curve.py && exec sleep 600"}}
"""
    job = machine.submit(machine.job_file(tmp_path, job_file), env={"PATH": path})
    eventually(lambda: "written" in machine("logs", job, "worker:0").stdout, "the curve")
    with Portal(machine) as portal:
        page = press(context, portal, job, lambda page: page.get_by_role("button", name="TensorBoard").click())
        page.wait_for_url(re.compile(rf"^http://[0-9a-f]{{32}}\.localhost:{portal.port}/(#.*)?$"))
        page.evaluate("() => { location.hash = 'timeseries'; }")
        assert int(tensorboard_curve(page, "accuracy")) > ENOUGH


def test_notebook_runs_a_cell(machine, installed, context):  # noqa: F811
    from browse import notebook_cell

    path = f"{pathlib.Path(installed('jupyter')).parent}:{os.environ['PATH']}"
    client = machine.start("notebook", "--memory", "512MiB", env={"PATH": path})
    try:
        [job] = eventually(machine.jobs, "the job of the notebook")
        with Portal(machine) as portal:
            body = '{"notebook": true}'
            opened = f"/api/v1/jobs/{job}/open"
            ready = lambda: portal.request("POST", opened, body, HEADERS).status == 200  # noqa: E731
            eventually(ready, "JupyterLab", LONG_S)
            page = press(
                context,
                portal,
                job,
                lambda page: page.get_by_role("button", name="Open…").click(),
                lambda page: page.get_by_role("combobox", name="Server").select_option(JUPYTER),
                lambda page: page.get_by_role("button", name="Open in a new tab").click(),
            )
            page.wait_for_url(re.compile(rf"^http://[0-9a-f]{{32}}\.localhost:{portal.port}/lab"))
            assert notebook_cell(page).strip() == "42 worker"
    finally:
        client.terminate()
        client.communicate()
