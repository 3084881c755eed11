#include "task_feeds.h"

#include <sys/random.h>
#include <unistd.h>

#include <array>
#include <utility>

#include "howdah/base/text.h"
#include "howdah/frameworks/feed.h"
#include "log.h"

namespace howdah::executor {
namespace {

// All users can create directories there, and the paths of sockets in it are short.
constexpr char kSharedDirectory[] = "/tmp";

feed::server::FeedFiles FilesOf(const jobspec::FeedSpec& feed) {
  feed::server::FeedFiles files{feed.from, "", feed.columns};
  if (feed.format) files.format = std::string(jobspec::ToText(*feed.format));
  return files;
}

}  // namespace

std::string FeedSocketDirectory(const std::string& work_dir) {
  std::array<char, 8> random{};
  const bool drawn = ::getrandom(random.data(), random.size(), 0) == static_cast<ssize_t>(random.size());
  const std::string name = "howdah-" + Hex({random.data(), random.size()});
  // Without a random name, the directory of the task is the only one where no other task has the same name.
  const bool shared = drawn && ::access(kSharedDirectory, W_OK | X_OK) == 0;
  return shared ? std::string(kSharedDirectory) + "/" + name : work_dir + "/." + name;
}

Status TaskFeeds::Begin(TaskPlan& plan) {
  if (plan.spec.feeds.empty()) return {};
  feed::server::Hub::Settings settings;
  for (const jobspec::FeedSpec& feed : plan.spec.feeds) {
    settings.feeds.push_back({feed.name, frameworks::FeedOptionsOf(plan.spec, feed), feed.spool_bytes, feed.answers});
    settings.feeds.back().files = FilesOf(feed);
  }
  settings.processes = plan.role().processes;
  settings.longest_wait = plan.spec.timeouts.register_;
  settings.socket_directory = plan.options.feed_socket_dir;
  settings.spool_directory = plan.options.work_dir;
  // On the local backend all sources are on this machine.
  if (plan.options.am_may_move) settings.tls_host = plan.host;
  HOWDAH_TRY(settings.identity, plan.options.load_identity());
  HOWDAH_TRY(hub_, feed::server::Hub::Start(loop_, std::move(settings),
                                            {[this](const wire::FromExecutor& message) { am_.Send(message); },
                                             [](const std::string& line) { Log(line); }}));
  plan.feed_socket = hub_->reader_path();
  if (am_.connected()) OnRegistered();
  return {};
}

void TaskFeeds::OnRegistered() {
  if (hub_) hub_->OnRegistered();
}

void TaskFeeds::OnMessage(const wire::ToExecutor& message) {
  if (hub_) hub_->OnMessage(message);
}

void TaskFeeds::OnStart(const wire::Start& start) {
  if (hub_) hub_->OnStart(start);
}

void TaskFeeds::OnAttemptEnded() {
  if (hub_) hub_->OnAttemptEnded();
}

void TaskFeeds::OnLine(int local_rank, const core::ProgressLine& line) {
  if (!hub_) return;
  if (line.kind == core::ProgressLine::Kind::kStep) hub_->OnStepLine(local_rank, line.step);
  if (line.kind == core::ProgressLine::Kind::kCheckpoint) hub_->OnCheckpointLine(local_rank, line.step);
}

}  // namespace howdah::executor
