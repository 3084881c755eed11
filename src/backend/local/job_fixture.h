// For tests: the directory of a job without an application master.
#pragma once

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cstdlib>
#include <string>

#include "howdah/backend/local/layout.h"
#include "howdah/journal/job_view.h"
#include "howdah/os/files/fd.h"
#include "howdah/os/files/files.h"
#include "howdah/os/files/open_regular.h"

namespace howdah::backend::local {

class JobFixture {
 public:
  explicit JobFixture(const std::string& id = "howdah-20261121-064512-x7k2") : id_{id}, files_("") {
    char name[] = "/tmp/howdah-test-XXXXXX";
    home_ = mkdtemp(name);
    layout_ = Layout(home_);
    AddJob(id);
  }
  ~JobFixture() {
    if (!os::files::RemoveTree(home_).ok()) std::abort();
  }

  void AddJob(const std::string& id) {
    files_ = JobFiles(layout_.job(JobId{id}));
    if (!os::files::MakeDirectories(files_.logs()).ok()) std::abort();
    core::JobSubmitted submitted;
    submitted.id = id;
    submitted.name = "mnist";
    submitted.on = "local";
    submitted.roles = {{"ps", 1}, {"worker", 2}};
    Append(submitted);
  }
  // Locks am.lock, as an application master does.
  os::files::Fd HoldLock() const {
    os::files::Fd lock(open(files_.am_lock().c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    if (flock(lock.get(), LOCK_EX | LOCK_NB) != 0) std::abort();
    return lock;
  }
  void Append(const core::Change& change, int seconds = 0) {
    AppendText(journal::EncodeEntry({At(seconds), change}) + "\n");
  }
  void AppendText(const std::string& text) {
    const auto file = os::files::OpenForAppend(files_.journal());
    if (!file.ok() || !os::files::WriteAll(file->get(), text, "journal").ok()) std::abort();
  }
  void Finish(core::JobState state = core::JobState::kSucceeded) {
    core::JobChanged end;
    end.type = core::JobChanged::Type::kFinished;
    end.state = state;
    end.exit_code = 0;
    Append(end);
  }
  // Appends to a log file. attempt: "worker-1/0", or "worker-1/0/3" for the file of one rank.
  void Log(const std::string& attempt, const std::string& stream, const std::string& bytes) {
    const std::string directory = files_.logs() + "/" + attempt;
    if (!os::files::MakeDirectories(directory).ok()) std::abort();
    const auto file = os::files::OpenForAppend(directory + "/" + stream);
    if (!file.ok() || !os::files::WriteAll(file->get(), bytes, stream).ok()) std::abort();
  }
  static Instant At(int seconds) { return Instant(std::chrono::hours(24 * 365 * 120) + std::chrono::seconds(seconds)); }

  const std::string& home() const { return home_; }
  const JobId& id() const { return id_; }
  const JobFiles& files() const { return files_; }
  const Layout& layout() const { return layout_; }

 private:
  JobId id_;
  std::string home_;
  Layout layout_{""};
  JobFiles files_;
};

}  // namespace howdah::backend::local
