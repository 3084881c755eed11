#include "tracking_page.h"

#include <algorithm>
#include <cstdio>

#include "howdah/base/ids.h"
#include "howdah/base/number.h"
#include "howdah/base/percent.h"

namespace howdah::am {
namespace {

constexpr const char* kStyle =
    "body{font:15px/1.45 system-ui,sans-serif;margin:2rem;color:#222;background:#fff}"
    "h1{font-size:1.4rem;margin:0 0 .3rem}table{border-collapse:collapse;margin-top:1rem}"
    "th,td{text-align:left;padding:.3rem .8rem .3rem 0;border-bottom:1px solid #ddd;vertical-align:top}"
    "th{color:#555;font-weight:600}.SUCCEEDED{color:#17662d}.FAILED,.LOST,.KILLED{color:#a61b1b}"
    ".RUNNING{color:#174ea6}.note{color:#555}";

std::string_view WithoutMapping(std::string_view address) {
  if (address.starts_with("::ffff:") && address.find('.') != address.npos) address.remove_prefix(7);
  return address;
}

std::optional<int> Number(std::string_view text) {
  const auto number = ParseNumber<int>(text);
  return number && *number >= 0 ? number : std::nullopt;
}

std::string Bytes(int64_t bytes) {
  constexpr const char* kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  size_t unit = 0;
  for (; value >= 1024 && unit + 1 < std::size(kUnits); ++unit) value /= 1024;
  char text[32];
  std::snprintf(text, sizeof text, unit == 0 ? "%.0f %s" : "%.1f %s", value, kUnits[unit]);
  return text;
}

std::string Cell(const std::string& html) { return "<td>" + html + "</td>"; }

std::string State(std::string_view state) {
  return "<span class=\"" + Escape(state) + "\">" + Escape(state) + "</span>";
}

std::string Line(const std::string& label, const std::string& text) {
  return text.empty() ? "" : "<p>" + label + Escape(text) + "</p>\n";
}

std::string HowLong(const journal::TaskView& task, Instant now) {
  if (!task.started) return "";
  return FormatDuration(std::max(Duration(0), task.finished.value_or(now) - *task.started));
}

std::string Link(const std::string& to, const std::string& text) {
  return "<a href=\"" + Escape(to) + "\">" + Escape(text) + "</a>";
}

std::string Logs(const journal::TaskView& task, const PageContext& context) {
  if (context.has_output(task)) {
    const bool several = task.pids.size() > 1;
    std::string links;
    for (size_t rank = 0; rank < std::max<size_t>(task.pids.size(), 1); ++rank) {
      for (const bool is_stderr : {false, true}) {
        const LogPath log{task.role, task.index, task.attempt, static_cast<int>(rank), is_stderr};
        const std::string name = is_stderr ? "stderr" : "stdout";
        links += (links.empty() ? "" : " ") +
                 Link(LogLink(log, several), several ? name + " " + std::to_string(rank) : name);
      }
    }
    return links;
  }
  const std::string url = context.logs_url ? context.logs_url(task) : "";
  const bool is_web = url.starts_with("http://") || url.starts_with("https://");
  return is_web ? Link(url, "logs") : "";
}

std::string Row(const journal::TaskView& task, const PageContext& context) {
  std::string reason = Escape(task.reason);
  if (!task.advice.empty()) reason += "<br><span class=\"note\">" + Escape(task.advice) + "</span>";
  std::string usage;
  if (task.usage.memory_peak_bytes > 0) {
    char cpu[32];
    std::snprintf(cpu, sizeof cpu, "%.1f s", task.usage.cpu_seconds);
    usage = Bytes(task.usage.memory_bytes) + " (peak " + Bytes(task.usage.memory_peak_bytes) + "), CPU " + cpu;
  }
  return "<tr>" + Cell(Escape(TaskText(task.role, task.index))) + Cell(State(core::ToText(task.state))) +
         Cell(std::to_string(task.attempt)) + Cell(Escape(task.node)) + Cell(HowLong(task, context.now)) + Cell(usage) +
         Cell(Logs(task, context)) + Cell(reason) + "</tr>\n";
}

}  // namespace

std::optional<std::string> RedirectOf(const std::vector<std::string>& proxies, const std::string& peer,
                                      const std::string& proxy_url, const std::string& path) {
  for (const std::string& proxy : proxies) {
    if (WithoutMapping(proxy) == WithoutMapping(peer)) return std::nullopt;
  }
  constexpr std::string_view kProxy = "/proxy";
  std::string url = proxy_url;
  while (url.ends_with('/')) url.pop_back();
  url += path;
  if (const size_t at = url.find(kProxy); at != std::string::npos) url.insert(at + kProxy.size(), "/redirect");
  return url;
}

std::optional<std::string> ProxyUser(std::string_view cookie) {
  constexpr std::string_view kName = "proxy-user=";
  while (!cookie.empty()) {
    const size_t end = std::min(cookie.find(';'), cookie.size());
    std::string_view pair = cookie.substr(0, end);
    cookie.remove_prefix(std::min(end + 1, cookie.size()));
    pair.remove_prefix(std::min(pair.find_first_not_of(' '), pair.size()));
    if (!pair.starts_with(kName)) continue;
    auto user = PercentDecoded(pair.substr(kName.size()), true);
    return user && !user->empty() ? user : std::nullopt;
  }
  return std::nullopt;
}

std::string Escape(std::string_view text) {
  std::string html;
  html.reserve(text.size());
  for (const char c : text) {
    switch (c) {
      case '&':
        html += "&amp;";
        break;
      case '<':
        html += "&lt;";
        break;
      case '>':
        html += "&gt;";
        break;
      case '"':
        html += "&quot;";
        break;
      case '\'':
        html += "&#39;";
        break;
      default:
        html += c == '\n' || static_cast<unsigned char>(c) >= 0x20 ? c : ' ';
    }
  }
  return html;
}

std::string LogLink(const LogPath& log, bool several_processes) {
  return "log/" + log.role + "/" + std::to_string(log.index) + "/" + std::to_string(log.attempt) + "/" +
         (several_processes ? std::to_string(log.local_rank) + "/" : "") + (log.is_stderr ? "stderr" : "stdout");
}

std::optional<LogPath> ParseLogPath(const std::string& path) {
  std::vector<std::string_view> parts;
  for (std::string_view left = path; !left.empty();) {
    const size_t end = std::min(left.find('/'), left.size());
    parts.push_back(left.substr(0, end));
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  if (path.ends_with('/') || (parts.size() != 6 && parts.size() != 7) || parts[0] != "" || parts[1] != "log") {
    return std::nullopt;
  }
  const auto index = Number(parts[3]), attempt = Number(parts[4]);
  const auto rank = parts.size() == 7 ? Number(parts[5]) : std::optional<int>(0);
  const bool is_stderr = parts.back() == "stderr";
  if (!index || !attempt || !rank || (!is_stderr && parts.back() != "stdout")) return std::nullopt;
  return LogPath{std::string(parts[2]), *index, *attempt, *rank, is_stderr};
}

std::string RenderPage(const journal::JobView& job, const PageContext& context) {
  const bool ended = core::IsFinal(job.state);
  const std::string title = Escape(job.name.empty() ? job.id : job.name);
  std::string page = "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">";
  if (!ended) page += "<meta http-equiv=\"refresh\" content=\"10\">";
  page += "<title>" + title + "</title><style>" + kStyle + "</style></head><body>\n<h1>" + title + " " +
          State(core::ToText(job.state)) + "</h1>\n";
  page += "<p class=\"note\">" + Escape(job.id) + ", " + Escape(job.framework) + ", submitted by " + Escape(job.user) +
          (job.submitted ? " at " + FormatInstant(*job.submitted) : "") + ", generation " +
          std::to_string(job.generation) + "</p>\n";
  page += Line(ended ? "" : "Now: ", job.reason) + Line("What to do: ", job.advice) +
          Line("TensorBoard: ", job.tensorboard_url.empty() ? "" : "howdah tensorboard " + job.id);
  page +=
      "<table><thead><tr><th>task</th><th>state</th><th>attempt</th><th>node</th><th>time</th><th>memory, CPU</th>"
      "<th>output</th><th>reason</th></tr></thead><tbody>\n";
  for (const journal::TaskView& task : job.tasks) page += Row(task, context);
  page += "</tbody></table>\n<p class=\"note\">This page as <a href=\"status.json\">JSON</a>; " +
          ("on the command line <code>howdah status " + Escape(job.id) + "</code> and <code>howdah logs " +
           Escape(job.id) + "</code>. As of ") +
          FormatInstant(context.now) + ".</p>\n</body></html>\n";
  return page;
}

}  // namespace howdah::am
