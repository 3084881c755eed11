// Tests the status page over HTTP, as a proxy uses it.
#include "tracking.h"

#include <gmock/gmock.h>

#include <boost/asio/post.hpp>
#include <thread>

#include "howdah/os/http/get.h"

namespace howdah::am {
namespace {

using testing::HasSubstr;

class OnlyAlice : public backend::PageReaders {
 public:
  void Check(const std::string& user, std::function<void(std::string refusal)> answer) override {
    answer(user == "alice" ? "" : user + " is not alice");
  }
};

// The page of a job with worker:0 running, whose executor answers every pull with "tail".
class Page {
 public:
  explicit Page(std::vector<std::string> peers, bool checks_users = false) {
    followers_.OnGranted({"c1"}, "node7");
    followers_.OnLaunched({"c1"}, {0, 0});
    followers_.OnConnected({"c1"});
    followers_.OnStarted({"c1"}, 0);
    auto started = TrackingServer::Start(
        loop_, "127.0.0.1",
        {.peers = [peers = std::move(peers)] { return peers; },
         .proxy_url = "http://example.com:8088/proxy/application_1_0001",
         .make_readers =
             [checks_users](boost::asio::io_context&) {
               return checks_users ? std::make_unique<OnlyAlice>() : std::unique_ptr<backend::PageReaders>();
             }},
        [] {
          journal::JobView view;
          view.id = "application_1_0001";
          view.state = core::JobState::kRunning;
          view.tasks.resize(1);
          view.tasks[0].role = "worker";
          return view;
        },
        followers_, spec_, clock_);
    EXPECT_TRUE(started.ok());
    server_ = std::move(*started);
    url_ = "http://127.0.0.1:" + std::to_string(server_->port());
    thread_ = std::thread([this] { loop_.run(); });
  }
  ~Page() {
    boost::asio::post(loop_, [this] { server_.reset(), loop_.stop(); });
    thread_.join();
  }
  os::http::GetReply Get(const std::string& path, std::string* body = nullptr, const os::http::Headers& headers = {}) {
    std::string ignored;
    std::string& to = body != nullptr ? *body : ignored;
    to.clear();
    const auto reply = os::http::Get(
        url_ + path, {}, [&](std::string_view bytes) { return to += bytes, true; }, headers);
    EXPECT_TRUE(reply.ok()) << reply.error().message;
    return reply.ok() ? *reply : os::http::GetReply();
  }

 private:
  const jobspec::JobSpec spec_ = [] {
    jobspec::JobSpec spec;
    spec.roles.resize(1);
    spec.roles[0].name = "worker";
    return spec;
  }();
  os::process::Clock clock_;
  boost::asio::io_context loop_;
  Followers followers_{loop_,
                       spec_,
                       clock_,
                       "/nowhere",
                       {nullptr, nullptr, [this](const ContainerId& container, const wire::ToExecutor& order) {
                          if (!order.has_pull_log()) return;
                          wire::LogData data;
                          data.set_tag(order.pull_log().tag());
                          data.set_bytes("tail\n");
                          boost::asio::post(loop_, [this, container, data] { followers_.OnData(container, data); });
                        }}};
  std::unique_ptr<TrackingServer> server_;
  std::string url_;
  std::thread thread_;
};

TEST(TrackingServer, ShowsPageStatusAndLogsToTheProxy) {
  Page page({"10.0.0.1", "127.0.0.1"});
  std::string body;
  EXPECT_EQ(page.Get("/", &body).content_type, "text/html; charset=utf-8");
  EXPECT_THAT(body, HasSubstr("<a href=\"log/worker/0/0/stdout\">stdout</a>"));
  EXPECT_EQ(page.Get("/status.json?x=1", &body).content_type, "application/json");
  const auto view = journal::FromJson(body);
  ASSERT_TRUE(view);
  EXPECT_EQ(view->id, "application_1_0001");
  EXPECT_EQ(page.Get("/ws/v1/slider/application/live/resources", &body).content_type, "application/json");
  EXPECT_THAT(body, HasSubstr("\"worker\":{\"yarn.role.priority\":\"1\",\"yarn.component.instances\":\"1\""));
  EXPECT_EQ(page.Get("/log/worker/0/0/stdout", &body).content_type, "text/plain; charset=utf-8");
  EXPECT_EQ(body, "tail\n");
}

TEST(TrackingServer, OnlyUsersWithTheRightReadThePage) {
  Page page({"127.0.0.1"}, true);
  for (const char* path : {"/", "/status.json", "/log/worker/0/0/stdout", "/ws/v1/slider/publisher/exports", "/x"}) {
    const int found = std::string_view(path) == "/x" ? 404 : 200;
    EXPECT_EQ(page.Get(path, nullptr, {{"Cookie", "proxy-user=alice"}}).status, found) << path;
    const os::http::GetReply refused = page.Get(path, nullptr, {{"Cookie", "proxy-user=bob"}});
    EXPECT_EQ(refused.status, 403) << path;
    EXPECT_EQ(refused.error_text, "bob is not alice\n");
    const os::http::GetReply unnamed = page.Get(path);
    EXPECT_EQ(unnamed.status, 403) << path;
    EXPECT_THAT(unnamed.error_text, HasSubstr("does not know which user you are"));
  }
}

TEST(TrackingServer, OtherPagesAreNotFound) {
  Page page({"127.0.0.1"});
  for (const char* path : {"/x", "/log/ps/0/0/stdout", "/log/worker/1/0/stdout", "/log/worker/0/9/stdout",
                           "/log/worker/0/0/1/stdout", "/../../etc/passwd", "/status.json/"}) {
    EXPECT_EQ(page.Get(path).status, 404) << path;
  }
}

TEST(TrackingServer, OtherClientsAreRedirectedToTheProxy) {
  Page page({"10.0.0.1"});
  for (const char* path : {"/", "/status.json", "/log/worker/0/0/stdout"}) {
    const os::http::GetReply reply = page.Get(path);
    EXPECT_EQ(reply.status, 302);
    EXPECT_EQ(reply.location, std::string("http://example.com:8088/proxy/redirect/application_1_0001") + path);
  }
}

}  // namespace
}  // namespace howdah::am
