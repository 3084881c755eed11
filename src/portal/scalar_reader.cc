#include "scalar_reader.h"

#include <algorithm>

namespace howdah::portal {
namespace {

constexpr int kDeepest = 8;
constexpr Duration kLongestPause = std::chrono::minutes(1);

// The directory of the path "/run1/events.out.tfevents.1", without the first slash; "." if it has none.
std::string RunOf(const std::string& below) {
  const size_t end = below.rfind('/');
  return end == 0 ? "." : below.substr(1, end - 1);
}

}  // namespace

Status ScalarReader::Update(storage::Files& files, Instant now, const std::function<bool()>& out_of_time) {
  Listing listing;
  HOWDAH_TRY_STATUS(Walk(files, "", 0, listing));
  std::unique_lock lock(mutex_);
  now_ = now;
  too_many_files_ = listing.too_many;
  bool complete = true;
  for (const auto& [below, modified] : listing.files) {
    File& file = files_.try_emplace(below, File{.events = {}, .last_growth = now, .next_check = now}).first->second;
    if (now < file.next_check && modified == file.modified) continue;
    if (out_of_time()) {
      complete = false;
      break;
    }
    file.modified = modified;
    complete = Read(files, below, file, out_of_time, lock) && complete;
  }
  complete_ = complete;
  return {};
}

Status ScalarReader::Walk(storage::Files& files, const std::string& below, int depth, Listing& listing) {
  const auto entries = files.List(path_ + below);
  if (!entries.ok()) return entries.error().code == ErrorCode::kNotFound ? Status() : Status(entries.error());
  for (const storage::Files::Entry& entry : *entries) {
    const std::string path = below + "/" + entry.name;
    if (entry.directory) {
      if (depth < kDeepest) HOWDAH_TRY_STATUS(Walk(files, path, depth + 1, listing));
    } else if (entry.name.find("tfevents") != std::string::npos) {
      listing.too_many = listing.too_many || listing.files.size() == kMostFiles;
      if (listing.files.size() < kMostFiles) listing.files[path] = entry.modified;
    }
  }
  return {};
}

bool ScalarReader::Read(storage::Files& files, const std::string& below, File& file,
                        const std::function<bool()>& out_of_time, std::unique_lock<std::mutex>& lock) {
  const std::string run = RunOf(below);
  const auto on_scalar = [&](std::string_view tag, const tfevents::Point& point) {
    const Key key(tag, run);
    auto curve = curves_.find(key);
    if (curve == curves_.end() && curves_.size() < kMostCurves) curve = curves_.try_emplace(key).first;
    if (curve == curves_.end()) {
      too_many_curves_ = true;
    } else {
      curve->second.Add(point);
    }
  };
  bool stopped = false;
  const int64_t before = file.events.size();
  lock.unlock();
  const Status read = files.ReadFrom(path_ + below, before, [&](std::string_view bytes) -> Status {
    const std::lock_guard taking(mutex_);
    file.events.Take(bytes, on_scalar);
    stopped = out_of_time();
    return stopped ? Status(Failed("stopped")) : Status();
  });
  lock.lock();
  if (file.events.size() > before) file.last_growth = now_;
  file.next_check = stopped ? now_ : now_ + std::min(kLongestPause, now_ - file.last_growth);
  file.error = read.ok() || stopped ? "" : read.error().message;
  return !stopped;
}

std::string ScalarReader::problem() const {
  std::string problem;
  const auto add = [&](const std::string& sentence) { problem += (problem.empty() ? "" : "; ") + sentence; };
  if (too_many_files_) add("only the first " + std::to_string(kMostFiles) + " event files are read");
  if (too_many_curves_) add("only the first " + std::to_string(kMostCurves) + " curves are kept");
  int more = 0;
  bool named = false;
  int64_t damaged = 0;
  for (const auto& [below, file] : files_) {
    damaged += file.events.damaged();
    const std::string& why = file.error.empty() ? file.events.problem() : file.error;
    if (why.empty()) continue;
    if (!named) add(path_ + below + ": " + why);
    more += std::exchange(named, true) ? 1 : 0;
  }
  if (more > 0) add("and " + std::to_string(more) + " more event files with a problem");
  if (damaged > 0) add("damaged records that are left out: " + std::to_string(damaged));
  return problem;
}

}  // namespace howdah::portal
