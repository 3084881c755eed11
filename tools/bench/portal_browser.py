"""A headless browser that measures pages. Times are those of the page's own clock, from the start of the navigation."""
import pathlib
import shutil
import sys

LIMIT_MS = 180_000

# Records when a condition was first true after a change of the page, and was painted; and the longest task until then.
# The browser reports tasks of 50 ms and more.
WATCH = """
(() => {
  window.__longest = 0;
  new PerformanceObserver(list => {
    for (const task of list.getEntries()) window.__longest = Math.max(window.__longest, task.duration);
  }).observe({type: "longtask", buffered: true});
  const condition = () => %s;
  window.__painted = new Promise(resolve => {
    const look = () => {
      if (!document.documentElement || !condition()) return false;
      requestAnimationFrame(() => setTimeout(() => resolve(performance.now())));
      return true;
    };
    const start = () => {
      if (look()) return;
      const observer = new MutationObserver(() => look() && observer.disconnect());
      observer.observe(document, {childList: true, subtree: true, characterData: true, attributes: true});
    };
    start();
  });
})();
"""
WITHIN_LIMIT = """
limit => Promise.race([window.__painted, new Promise((_, fail) =>
  setTimeout(() => fail(new Error(`the page was not painted within ${limit} ms`)), limit))])
"""
# Acts, and returns the milliseconds until the condition is true and painted.
ACT = """
() => new Promise(resolve => {
  const begin = performance.now();
  const done = () => requestAnimationFrame(() => setTimeout(() => resolve(performance.now() - begin)));
  const condition = () => %s;
  const observer = new MutationObserver(() => { if (condition()) { observer.disconnect(); done(); } });
  observer.observe(document, {childList: true, subtree: true, characterData: true, attributes: true});
  %s;
})
"""


class Browser:
    """Use as a context manager. interpreter: the one of `tools/ml-env browser`."""

    def __init__(self, interpreter):
        packages = next(pathlib.Path(interpreter).parents[1].glob("lib/python3*/site-packages"))
        if str(packages) not in sys.path:
            sys.path.append(str(packages))

    def __enter__(self):
        from playwright.sync_api import sync_playwright
        self._playwright = sync_playwright().start()
        program = shutil.which("chromium-headless-shell")
        self._chromium = self._playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        return self

    def __exit__(self, *_):
        self._chromium.close()
        self._playwright.stop()

    def open(self, url, condition):
        """Opens a page with an empty cache. Returns a Visit when `condition`, an expression in JavaScript, is true."""
        from playwright.sync_api import Error
        try:
            return Visit(self._chromium, url, condition)
        except Error as error:
            raise RuntimeError(f"{url}: {error}") from None


class Visit:
    """painted_ms: from the start of the navigation until the condition was painted. bytes: received by the browser;
    code_bytes: those of HTML, scripts, styles and fonts. Use as a context manager."""

    def __init__(self, chromium, url, condition):
        self._context = chromium.new_context(viewport={"width": 1600, "height": 1000})
        self.page = self._context.new_page()
        self.page.set_default_timeout(LIMIT_MS)
        self._session = self._context.new_cdp_session(self.page)
        self._types, self._sizes = {}, {}
        self._session.on("Network.responseReceived",
                         lambda event: self._types.__setitem__(event["requestId"], event["type"]))
        self._session.on("Network.loadingFinished",
                         lambda event: self._sizes.__setitem__(event["requestId"], event["encodedDataLength"]))
        self._session.send("Network.enable")
        self.page.add_init_script(WATCH % condition)
        self.page.goto(url, wait_until="commit")
        self.painted_ms = self.page.evaluate(WITHIN_LIMIT, LIMIT_MS)
        code = ("Document", "Script", "Stylesheet", "Font", "Image")
        self.bytes = sum(self._sizes.values())
        self.code_bytes = sum(size for request, size in self._sizes.items() if self._types.get(request) in code)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._context.close()

    def act(self, action, condition):
        """Runs `action` in the page. Returns the milliseconds until `condition` was painted."""
        return self.page.evaluate(ACT % (condition, action))

    def longest_task(self):
        """The milliseconds of the longest task of the page so far, in which it could not react; 0: less than 50."""
        return self.page.evaluate("window.__longest")

    def heap(self):
        """The bytes of the page's JavaScript objects after a collection."""
        self._session.send("HeapProfiler.collectGarbage")
        self._session.send("Performance.enable")
        metrics = self._session.send("Performance.getMetrics")["metrics"]
        return next(entry["value"] for entry in metrics if entry["name"] == "JSHeapUsedSize")
