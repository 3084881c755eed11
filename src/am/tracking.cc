#include "tracking.h"

#include "howdah/journal/addresses.h"
#include "tracking_page.h"

namespace howdah::am {
namespace {

// The path at which Apache Slider's clients read addresses.
constexpr std::string_view kExports = "/ws/v1/slider/publisher/exports";
// The path at which they read the number of instances and the resources of each component.
constexpr std::string_view kResources = "/ws/v1/slider/application/live/resources";

}  // namespace

Result<std::unique_ptr<TrackingServer>> TrackingServer::Start(boost::asio::io_context& loop, const std::string& host,
                                                              Tracking options, std::function<journal::JobView()> view,
                                                              Followers& followers, const jobspec::JobSpec& spec,
                                                              const os::process::Clock& clock) {
  std::unique_ptr<TrackingServer> tracking(
      new TrackingServer(std::move(options), std::move(view), followers, spec, clock));
  if (tracking->options_.make_readers) tracking->readers_ = tracking->options_.make_readers(loop);
  os::http::Server::Limits limits;
  limits.known = [self = tracking.get()](int, const std::string& peer) {
    return !RedirectOf(self->options_.peers(), peer, self->options_.proxy_url, "");
  };
  auto server = os::http::Server::Start(
      loop, host,
      [self = tracking.get()](const os::http::Request& request, const Respond& respond) {
        self->OnRequest(request, respond);
      },
      limits);
  if (!server.ok()) return server.error().While("serving the status page");
  tracking->server_ = std::move(*server);
  return tracking;
}

void TrackingServer::OnRequest(const os::http::Request& request, const Respond& respond) {
  if (const auto to = RedirectOf(options_.peers(), request.peer, options_.proxy_url, request.path)) {
    return respond({302, "", "this page is only shown through the cluster's proxy: " + *to + "\n", *to});
  }
  if (!readers_) return Show(request.path, respond);
  const auto user = ProxyUser(request.cookie);
  if (!user) {
    return respond({403, "", "the cluster's proxy does not know which user you are; log in to its web pages\n", ""});
  }
  readers_->Check(*user, [this, path = request.path, respond](const std::string& refusal) {
    if (!refusal.empty()) return respond({403, "", refusal + "\n", ""});
    Show(path, respond);
  });
}

void TrackingServer::Show(const std::string& path, const Respond& respond) {
  if (path == "/" || path.empty()) return ShowPage(respond);
  if (path == "/status.json") return respond({200, "application/json", journal::ToJson(view_(), true), ""});
  if (path == kResources) return ShowResources(respond);
  if (path.starts_with(kExports)) return ShowExports(path.substr(kExports.size()), respond);
  ShowLog(path, respond);
}

void TrackingServer::ShowExports(const std::string& rest, const Respond& respond) const {
  const bool is_all = rest.empty() || rest == "/";
  const auto exports = journal::SliderExports(view_(), is_all ? "" : rest.substr(1));
  if (!exports || (!is_all && !rest.starts_with('/'))) return respond({404, "", "there is no such role\n", ""});
  respond({200, "application/json", *exports, ""});
}

void TrackingServer::ShowResources(const Respond& respond) const {
  std::vector<journal::RoleAmounts> roles;
  for (const jobspec::RoleSpec& role : spec_.roles) roles.push_back({role.name, role.memory_bytes, role.vcores});
  respond({200, "application/json", journal::SliderResources(view_(), roles), ""});
}

void TrackingServer::ShowPage(const Respond& respond) const {
  PageContext context;
  context.now = clock_.Now();
  context.has_output = [this](const journal::TaskView& task) { return HasOutput(task); };
  context.logs_url = options_.logs_url;
  respond({200, "text/html; charset=utf-8", RenderPage(view_(), context), ""});
}

void TrackingServer::ShowLog(const std::string& path, const Respond& respond) {
  const auto log = ParseLogPath(path);
  const int role = log ? RoleOf(log->role) : -1;
  if (role < 0) return respond({404, "", "there is no such page\n", ""});
  const OutputKey key{{role, log->index}, log->attempt, log->local_rank, log->is_stderr};
  followers_.Tail(key, [respond](Result<std::string> bytes) {
    if (!bytes.ok()) return respond({404, "", bytes.error().message + "\n", ""});
    respond({200, "text/plain; charset=utf-8", std::move(*bytes), ""});
  });
}

bool TrackingServer::HasOutput(const journal::TaskView& task) const {
  const Output* output = followers_.outputs().Find(OutputKey{{RoleOf(task.role), task.index}, task.attempt, 0, false});
  return output != nullptr && output->readable();
}

int TrackingServer::RoleOf(const std::string& name) const {
  for (size_t role = 0; role < spec_.roles.size(); ++role) {
    if (spec_.roles[role].name == name) return static_cast<int>(role);
  }
  return -1;
}

}  // namespace howdah::am
