#include "howdah/portal/portal.h"

#include <unistd.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <chrono>
#include <utility>

#include "admission.h"
#include "api.h"
#include "apps.h"
#include "cluster_sampler.h"
#include "howdah/client/indexed_jobs.h"
#include "howdah/os/files/files.h"
#include "howdah/web/server.h"
#include "live_cluster.h"
#include "live_jobs.h"
#include "live_logs.h"
#include "page_routes.h"
#include "services.h"
#include "tensorboards.h"

namespace howdah::portal {
namespace {

constexpr size_t kThreads = 4;  // for each backend
constexpr std::chrono::seconds kTopicLinger{30}, kStopLimit{2};

std::string HostName() {
  char host[256] = "";
  gethostname(host, sizeof host - 1);
  return host;
}

void AddApi(Services& services, web::Routes& routes) {
  AddSchemas(routes);
  AddListRoutes(services, routes);
  AddJobRoutes(services, routes);
  AddLogRoutes(services, routes);
  AddActionRoutes(services, routes);
  AddOpenRoute(services, routes);
  AddNotebookRoutes(services, routes);
  AddTensorBoardRoutes(services, routes);
  AddRerunRoutes(services, routes);
  AddReportRoutes(services, routes);
  AddCompareRoute(services, routes);
  AddNameRoute(services, routes);
  AddScalarRoutes(services, routes);
  AddClusterRoutes(services, routes);
  AddStreamRoute(services, routes);
  AddMetricsRoute(services, routes);
  AddOpenApiRoute(routes);
}

// The portal does not authenticate users of other machines, so it does not listen for them.
Result<web::Endpoint> EndpointOf(const std::string& listen) {
  HOWDAH_TRY(web::Endpoint endpoint, web::Endpoint::Parse(listen.empty() ? kDefaultListen : listen));
  endpoint.port_may_change = listen.empty();
  const bool is_loopback = !endpoint.unix_path.empty() || endpoint.host.starts_with("127.") || endpoint.host == "::1";
  if (is_loopback) return endpoint;
  return Error::WithRemedy(
      ErrorCode::kUsage,
      "--listen: a personal portal admits only this machine, and '" + endpoint.host + "' is not a loopback address",
      "write 127.0.0.1:PORT, and forward the port with `ssh -L PORT:127.0.0.1:PORT`");
}

std::string HostOf(const web::Endpoint& endpoint) {
  return endpoint.host.find(':') == std::string::npos ? endpoint.host : "[" + endpoint.host + "]";
}

std::string AddressOf(const web::Endpoint& endpoint) {
  if (!endpoint.unix_path.empty()) return "unix:" + endpoint.unix_path;
  return "http://" + HostOf(endpoint) + ":" + std::to_string(endpoint.port) + "/";
}

// The portal on its loop. Everything runs on the loop's thread, except for the calls to backends.
class Portal {
 public:
  Portal(boost::asio::io_context& loop, const PortalOptions& options)
      : loop_(loop),
        services_{loop,
                  {.user = options.user,
                   .host = HostName(),
                   .requester = options.requester,
                   .read_only = options.read_only,
                   .prices = options.prices}},
        live_jobs_(services_),
        live_cluster_(services_),
        live_logs_(services_),
        pages_(options.pages.empty() ? PagesInProgram() : PagesInFolder(options.pages)) {
    services_.facts.started = services_.clock.Now();
    const std::string epoch = std::to_string(services_.facts.started.time_since_epoch().count());
    // Later, because the hub is still adding the reader when a topic begins.
    const auto begin = [this](const std::string& topic) {
      boost::asio::post(loop_, [this, topic] { BeginTopic(topic); });
    };
    const auto end = [this](const std::string& topic) { EndTopic(topic); };
    services_.apps = std::make_shared<Apps>(services_);
    services_.tensorboards = std::make_shared<TensorBoards>(services_);
    services_.hub = std::make_unique<Hub>(loop, epoch, kTopicLinger, Hub::Callbacks{begin, end});
    AddApi(services_, routes_);
    const std::string path = client::IndexPath(options.home), costs = CostsKey(options.prices);
    services_.jobs = std::make_unique<index::Store>(path, costs);
    services_.reader = std::make_unique<IndexReader>(path, costs);
  }

  Status OpenFiles(const std::string& home) {
    const std::string folder = home + "/portal";
    HOWDAH_TRY_STATUS(os::files::MakeDirectories(folder, 0700));
    HOWDAH_TRY(auto audit, AuditLog::Open(folder + "/audit.jsonl"));
    services_.audit = std::make_unique<AuditLog>(std::move(audit));
    services_.tokens = std::make_unique<TokenFile>(home);
    services_.cluster = std::make_shared<ClusterSampler>(
        services_, folder, [this](const std::string& backend) { live_cluster_.OnChange(backend); });
    return {};
  }

  Result<web::Endpoint> Listen(const web::Endpoint& endpoint) {
    const uid_t owner = geteuid();
    web::Server::Options options{
        .endpoints = {endpoint},
        .known = [owner](const web::Peer& peer) { return !RefuseStranger(peer, owner); },
        .relay = [this](const web::Request& request) { return services_.apps->Decide(request); },
        .admit = [this](const web::Request& request) -> std::optional<web::Problem> {
          auto caller = services_.CallerOf(request);
          auto* refusal = std::get_if<web::Problem>(&caller);
          return refusal == nullptr ? std::nullopt : std::optional(std::move(*refusal));
        },
        .error_page = ErrorPage,
    };
    HOWDAH_TRY(server_,
               web::Server::Start(loop_, std::move(options), [this](const web::Request& request, web::Respond respond) {
                 Handle(request, std::move(respond));
               }));
    services_.statistics = [this] { return server_->statistics(); };
    const web::Endpoint& actual = server_->endpoints().front();
    services_.apps->SetPortal(actual, AddressOf(actual));
    if (!actual.unix_path.empty()) return actual;
    std::vector<std::string> hosts = web::LoopbackHosts(actual.port);
    const std::string own = HostOf(actual) + ":" + std::to_string(actual.port);
    if (std::find(hosts.begin(), hosts.end(), own) == hosts.end()) hosts.push_back(own);
    server_->SetPolicy({.hosts = std::move(hosts)});
    return actual;
  }

  void StartBackends(const std::vector<PortalBackend>& backends) {
    for (const PortalBackend& backend : backends) {
      BackendService& service = services_.backends.emplace_back();
      service.name = backend.name;
      service.runs_jobs = backend.runs_jobs;
      service.state.since = services_.clock.Now();
      service.pool = std::make_unique<BackendPool>(backend.make_cluster, kThreads);
    }
    for (size_t i = 0; i < backends.size(); ++i) {
      const std::string& name = backends[i].name;
      JobFeed::Indexed indexed;
      for (std::string& id : services_.jobs->Ids(name, /*ended=*/true)) indexed.ended.insert(std::move(id));
      indexed.unfinished = services_.jobs->Ids(name, /*ended=*/false);
      services_.backends[i].feed = std::make_unique<JobFeed>(backends[i].make_cluster, services_.facts.prices,
                                                             std::move(indexed), EventsOf(name));
    }
    services_.cluster->Start();
  }

  // Returns whether no call to a backend is in progress any more.
  bool Stop() {
    server_.reset();
    services_.apps.reset();
    services_.tensorboards.reset();
    const auto end = std::chrono::steady_clock::now() + kStopLimit;
    bool stopped = true;
    for (BackendService& backend : services_.backends) {
      const auto left = [&] {
        return std::max(Duration(), std::chrono::duration_cast<Duration>(end - std::chrono::steady_clock::now()));
      };
      stopped = backend.pool->Stop(left()) && stopped;
      stopped = backend.feed->Stop(left()) && stopped;
    }
    return stopped;
  }

 private:
  void Handle(const web::Request& request, web::Respond respond) {
    if (request.path.starts_with("/api/") || request.path == "/metrics")
      return routes_.Dispatch(request, std::move(respond));
    respond(PageAnswer(pages_.get(), request));
  }

  // Passes the events of a feed's thread to the loop.
  JobFeed::Events EventsOf(const std::string& name) {
    return {.on_rows =
                [this, name](std::vector<JobRow> rows, std::vector<std::string> removed) {
                  boost::asio::post(loop_,
                                    [this, name, rows = std::move(rows), removed = std::move(removed)]() mutable {
                                      OnRows(name, std::move(rows), removed);
                                    });
                },
            .on_state =
                [this, name](const BackendState& state) {
                  boost::asio::post(loop_, [this, name, state] { services_.Find(name)->state = state; });
                },
            .on_entries =
                [this](const JobId& id, std::vector<core::JournalEntry> entries, bool caught_up, bool restarted) {
                  boost::asio::post(loop_, [this, id, entries = std::move(entries), caught_up, restarted] {
                    live_jobs_.OnEntries(id, entries, caught_up, restarted);
                  });
                },
            .on_follow_failed =
                [this](const JobId& id, const Error& error) {
                  boost::asio::post(loop_, [this, id, error] { live_jobs_.OnFollowFailed(id, error); });
                }};
  }

  void OnRows(const std::string& backend, std::vector<JobRow> rows, const std::vector<std::string>& removed) {
    for (JobRow& row : rows) row.backend = backend;  // whatever the journal of the job says
    std::vector<JobKey> gone, changed;
    for (const std::string& id : removed) gone.push_back({backend, id});
    const index::query::TableChanges changes = services_.jobs->Apply(std::move(rows), gone);
    services_.NoticeLosses();
    for (const RowPointer& row : changes.changed) changed.push_back({row->backend, row->id});
    live_jobs_.OnRows(changed, changes.removed);
    live_cluster_.OnChange(backend);
  }

  void BeginTopic(const std::string& topic) {
    if (topic == kJobsTopic) {
      services_.hub->Open(topic);
    } else if (topic == kClusterTopic) {
      live_cluster_.Begin();
    } else if (topic.starts_with(kJobTopicPrefix)) {
      live_jobs_.Begin(topic);
    } else {
      live_logs_.Begin(topic);
    }
  }

  void EndTopic(const std::string& topic) {
    if (topic == kClusterTopic) {
      live_cluster_.End();
    } else if (topic.starts_with(kJobTopicPrefix)) {
      live_jobs_.End(topic);
    } else {
      live_logs_.End(topic);
    }
  }

  boost::asio::io_context& loop_;
  Services services_;
  LiveJobs live_jobs_;
  LiveCluster live_cluster_;
  LiveLogs live_logs_;
  std::unique_ptr<PageSource> pages_;
  web::Routes routes_;
  std::unique_ptr<web::Server> server_;
};

}  // namespace

Status Serve(const PortalOptions& options, int interrupt_fd, const std::function<void(const std::string&)>& on_note,
             const std::function<void(const std::string& address)>& on_ready) {
  HOWDAH_TRY(const web::Endpoint wanted, EndpointOf(options.listen));
  boost::asio::io_context loop;
  Portal portal(loop, options);
  HOWDAH_TRY_STATUS(portal.OpenFiles(options.home));
  HOWDAH_TRY(const web::Endpoint actual, portal.Listen(wanted));
  if (actual.unix_path.empty() && actual.port != wanted.port && wanted.port != 0)
    on_note("port " + std::to_string(wanted.port) + " is in use, so the portal uses another one");
  portal.StartBackends(options.backends);
  on_ready(AddressOf(actual));

  boost::asio::posix::stream_descriptor interrupt(loop, interrupt_fd);
  interrupt.async_wait(boost::asio::posix::stream_descriptor::wait_read, [&](const auto&) { loop.stop(); });
  loop.run();
  interrupt.release();  // the caller owns it
  if (!portal.Stop()) _exit(0);
  return {};
}

std::string ApiReference() {
  boost::asio::io_context loop;
  Services services{loop, {}};
  web::Routes routes;
  AddApi(services, routes);
  std::string page = routes.Markdown(TitleOfApi());
  page.insert(page.find('\n') + 1,
              "\n<!-- generated by `howdah portal --api`; a test compares this file with the output -->\n");
  return page;
}

}  // namespace howdah::portal
