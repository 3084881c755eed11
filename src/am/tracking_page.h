// Pure functions: the content of the status page, and the decision whether a client is served.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "howdah/base/time.h"
#include "howdah/journal/job_view.h"

namespace howdah::am {

// Decides whether a client is served. Only the backend's proxy is served, because it has authenticated the user. Any
// other client is redirected as by Hadoop's AmIpFilter: to the proxy's address with "/redirect" inserted. If the client
// is in fact the proxy, this address shows the proxy that the AM did not recognize it. Returns the address of the
// redirect, or nullopt if the client is served.
std::optional<std::string> RedirectOf(const std::vector<std::string>& proxies, const std::string& peer,
                                      const std::string& proxy_url, const std::string& path);

// Returns the user that YARN's web proxy has authenticated (WebAppProxyServlet, cookie "proxy-user", URL-encoded), or
// nullopt if the header Cookie names none.
std::optional<std::string> ProxyUser(std::string_view cookie);

// Escapes text for HTML, in an element or a quoted attribute.
std::string Escape(std::string_view text);

// The components of a path `log/ROLE/INDEX/ATTEMPT/[LOCAL_RANK/]stdout`.
struct LogPath {
  std::string role;
  int index = 0, attempt = 0, local_rank = 0;
  bool is_stderr = false;
  friend bool operator==(const LogPath&, const LogPath&) = default;
};
std::string LogLink(const LogPath& log, bool several_processes);
// Returns nullopt if the path does not name a log. path: begins with '/'.
std::optional<LogPath> ParseLogPath(const std::string& path);

struct PageContext {
  Instant now;
  // Whether the AM itself can show the output of the task's attempt.
  std::function<bool(const journal::TaskView&)> has_output;
  // Returns the address of the output outside the AM; "" if there is none.
  std::function<std::string(const journal::TaskView&)> logs_url;
};

// Renders the whole page: no script, no external resources, and only relative links.
std::string RenderPage(const journal::JobView& job, const PageContext& context);

}  // namespace howdah::am
