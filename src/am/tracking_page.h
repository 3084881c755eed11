// The job's status page: what is shown, and to whom. Pure.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "howdah/base/time.h"
#include "howdah/journal/job_view.h"

namespace howdah::am {

// Whether a peer is answered: only the place's proxy is, which has found out who the user is. Anybody else is sent
// there, as Hadoop's AmIpFilter does it: to the proxy's address with "/redirect" inserted, by which the proxy notices
// that it was itself not recognized. nullopt: it is answered.
std::optional<std::string> RedirectOf(const std::vector<std::string>& proxies, const std::string& peer,
                                      const std::string& proxy_url, const std::string& path);

// Text for HTML, in an element or a quoted attribute.
std::string Escape(std::string_view text);

// What `log/ROLE/INDEX/ATTEMPT/[LOCAL_RANK/]stdout` names.
struct LogPath {
  std::string role;
  int index = 0, attempt = 0, local_rank = 0;
  bool is_stderr = false;
  friend bool operator==(const LogPath&, const LogPath&) = default;
};
std::string LogLink(const LogPath& log, bool several_processes);
// nullopt: the path is none of a log. path: with its leading '/'.
std::optional<LogPath> ParseLogPath(const std::string& path);

struct PageContext {
  Instant now;
  // Whether the AM can show the output of the task's attempt itself.
  std::function<bool(const journal::TaskView&)> has_output;
  // Where else it can be read; "": nowhere.
  std::function<std::string(const journal::TaskView&)> logs_url;
};

// The whole page: no script, nothing from elsewhere, and relative links alone.
std::string RenderPage(const journal::JobView& job, const PageContext& context);

}  // namespace howdah::am
