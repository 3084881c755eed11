"""A tab of the headless browser on a portal."""

from machine import ROOT

AXE = ROOT / "portal/node_modules/axe-core/axe.min.js"
LIMIT_MS = 30_000  # long enough for a busy machine


class Tab:
    """A browser tab on the portal. `messages` has everything that the browser wrote to its console."""

    def __init__(self, context, url):
        self.page, self.url, self.messages = context.new_page(), url, []
        self.page.set_default_timeout(LIMIT_MS)
        self.page.on("console", self._note)
        self.page.on("pageerror", lambda error: self.messages.append(f"error: {error}"))
        self.page.on("dialog", lambda dialog: self.messages.append(f"dialog: {dialog.message}"))

    def _note(self, message):
        self.messages.append(f"{message.type}: {message.text} ({message.location['url']})")

    def open(self, path):
        self.page.goto(self.url + path)
        self.page.locator("main h1").first.wait_for(state="attached")
        self.page.wait_for_function("() => document.querySelector('.loading') === null")
        return self.page

    def violations(self):
        """The findings of axe-core, as one line per rule and element."""
        if not self.page.evaluate("() => typeof axe === 'object'"):
            self.page.evaluate(AXE.read_text())
        found = self.page.evaluate("() => axe.run(document, {resultTypes: ['violations']})")["violations"]
        return [
            f"{rule['id']}: {node['html'][:200]}: {node['failureSummary']}" for rule in found for node in rule["nodes"]
        ]
