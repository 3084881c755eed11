#include "tracking_page.h"

#include <gmock/gmock.h>

namespace howdah::am {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Tracking, OnlyTheProxyIsServed) {
  const std::string url = "http://example.com:8088/proxy/application_1_0001";
  EXPECT_EQ(RedirectOf({"10.0.0.1", "10.0.0.2"}, "10.0.0.2", url, "/"), std::nullopt);
  EXPECT_EQ(RedirectOf({"10.0.0.1"}, "::ffff:10.0.0.1", url, "/"), std::nullopt);
  EXPECT_EQ(RedirectOf({"::1"}, "::1", url, "/"), std::nullopt);
  const struct {
    const char *peer, *path, *to;
  } cases[] = {
      {"10.0.0.3", "/", "http://example.com:8088/proxy/redirect/application_1_0001/"},
      {"", "/log/worker/0/0/stdout", "http://example.com:8088/proxy/redirect/application_1_0001/log/worker/0/0/stdout"},
      {"10.0.0.1.evil", "/status.json", "http://example.com:8088/proxy/redirect/application_1_0001/status.json"},
  };
  for (const auto& c : cases) EXPECT_EQ(RedirectOf({"10.0.0.1"}, c.peer, url, c.path), c.to);
  EXPECT_EQ(RedirectOf({}, "127.0.0.1", "http://example.com:8088/page/", "/x"), "http://example.com:8088/page/x");
}

TEST(Tracking, TheProxyNamesTheUserInACookie) {
  const struct {
    const char* cookie;
    std::optional<std::string> user;
  } cases[] = {
      {"", std::nullopt},
      {"proxy-user=alice", "alice"},
      {"a=b; proxy-user=alice;c=d", "alice"},
      {"proxy-user=ann%40EXAMPLE.COM+x", "ann@EXAMPLE.COM x"},
      {"proxy-user=100%2", std::nullopt},
      {"proxy-user=", std::nullopt},
      {"xproxy-user=alice", std::nullopt},
      {"proxy-user", std::nullopt},
  };
  for (const auto& c : cases) EXPECT_EQ(ProxyUser(c.cookie), c.user) << c.cookie;
}

TEST(Tracking, OnlyLogPathsAreParsed) {
  EXPECT_EQ(ParseLogPath("/log/worker/3/1/stdout"), (LogPath{"worker", 3, 1, 0, false}));
  EXPECT_EQ(ParseLogPath("/log/my-role_2/0/0/7/stderr"), (LogPath{"my-role_2", 0, 0, 7, true}));
  for (const bool several : {false, true}) {
    const LogPath log{"worker", 3, 1, several ? 2 : 0, true};
    EXPECT_EQ(ParseLogPath("/" + LogLink(log, several)), log);
  }
  for (const char* bad :
       {"", "/", "/log", "/log/worker/0/0", "/log/worker/0/0/stdout/", "/log/worker/-1/0/stdout",
        "/log/worker/0/x/stdout", "/log/worker/0/0/stdin", "log/worker/0/0/stdout", "/log/worker/0/0/0/0/stdout",
        "/log/worker/99999999999/0/stdout", "/log/worker/0/0/../stdout", "/x/worker/0/0/stdout"}) {
    EXPECT_EQ(ParseLogPath(bad), std::nullopt) << bad;
  }
}

journal::JobView HostileJob() {
  const std::string hostile = "<script>alert(\"1\" + '2')</script>&amp;";
  journal::JobView job;
  job.id = "application_1_0001";
  job.name = job.framework = job.user = job.reason = job.advice = hostile;
  job.state = core::JobState::kRunning;
  journal::TaskView task;
  task.role = task.node = task.reason = task.advice = hostile;
  task.state = core::TaskState::kRunning;
  task.pids = {7};
  job.tasks = {task};
  return job;
}

TEST(Tracking, NamesAreEscaped) {
  const std::string page =
      RenderPage(HostileJob(), {Instant(), [](const journal::TaskView&) { return true; }, nullptr});
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, Not(HasSubstr("alert(\"")));
  EXPECT_THAT(page, Not(HasSubstr("'2'")));
  EXPECT_THAT(page, HasSubstr("&lt;script&gt;alert(&quot;1&quot; + &#39;2&#39;)&lt;/script&gt;&amp;amp;"));
  EXPECT_EQ(Escape(std::string("a\0b\x1b[1m", 7)), "a b [1m");
}

TEST(Tracking, ShowsTasksWithRelativeLinks) {
  journal::JobView job;
  job.id = "application_1_0001";
  job.name = "mnist";
  job.state = core::JobState::kFailed;
  job.reason = "worker:1 was killed by signal 9 (SIGKILL)";
  job.advice = "ask for more memory";
  journal::TaskView here, gone;
  here.role = gone.role = "worker";
  here.pids = {11, 12};
  here.attempt = 2;
  here.started = Instant();
  gone.index = 1;
  gone.state = core::TaskState::kFailed;
  gone.usage.memory_peak_bytes = 3 << 20;
  gone.usage.memory_bytes = 1 << 20;
  gone.usage.cpu_seconds = 1.5;
  job.tasks = {here, gone};
  PageContext context{Instant(std::chrono::seconds(192)), [](const journal::TaskView& t) { return t.index == 0; },
                      [](const journal::TaskView&) { return "http://example.org:8042/logs"; }};
  const std::string page = RenderPage(job, context);
  for (const char* part :
       {"mnist", "FAILED", "worker:1 was killed by signal 9 (SIGKILL)", "What to do: ask for more memory", "3m12s",
        "href=\"log/worker/0/2/0/stdout\"", "href=\"log/worker/0/2/1/stderr\"", "href=\"http://example.org:8042/logs\"",
        "href=\"status.json\"", "1.0 MiB (peak 3.0 MiB), CPU 1.5 s"}) {
    EXPECT_THAT(page, HasSubstr(part));
  }
  EXPECT_THAT(page, Not(HasSubstr("href=\"/")));
  EXPECT_THAT(page, Not(HasSubstr("src=")));
  EXPECT_THAT(page, Not(HasSubstr("refresh"))) << "a job that has ended does not change";
  context.logs_url = [](const journal::TaskView&) { return "javascript:alert(1)"; };
  EXPECT_THAT(RenderPage(job, context), Not(HasSubstr("javascript")));
}

}  // namespace
}  // namespace howdah::am
