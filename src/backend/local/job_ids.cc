#include "job_ids.h"

#include <unistd.h>

#include <algorithm>

#include "howdah/journal/job_view.h"
#include "howdah/os/files/files.h"
#include "journal_reader.h"

namespace howdah::backend::local {
namespace {

constexpr size_t kMaxListedIds = 3;
// Length of the beginning of an id, up to the second of the submission: "howdah-20261121-064512".
constexpr size_t kSecondSize = 22;

std::string_view SecondOf(const JobId& id) { return std::string_view(id.text).substr(0, kSecondSize); }

// Reads the time of the submission from the journal's first line. The result is a text that sorts by time.
std::string SubmittedAt(const Layout& layout, const JobId& id) {
  std::string submitted;
  bool first = true;
  JournalReader reader(JobFiles(layout.job(id)).journal());
  const auto read = reader.ReadLines([&](std::string_view line) {
    if (!std::exchange(first, false)) return;
    if (const auto entry = journal::DecodeEntry(line)) submitted = FormatInstant(entry->time);
  });
  return read.ok() ? submitted : "";
}

// Sorts jobs that were submitted within the same second by the exact times in their journals, because the rest of an id
// is random.
void SortWithinSeconds(const Layout& layout, std::vector<JobId>& ids) {
  for (auto begin = ids.begin(); begin != ids.end();) {
    const auto end = std::find_if(begin, ids.end(), [&](const JobId& id) { return SecondOf(id) != SecondOf(*begin); });
    if (end - begin > 1) {
      std::vector<std::pair<std::string, JobId>> dated;
      for (auto it = begin; it != end; ++it) dated.emplace_back(SubmittedAt(layout, *it), *it);
      std::sort(dated.rbegin(), dated.rend());
      std::transform(dated.begin(), dated.end(), begin, [](auto& pair) { return std::move(pair.second); });
    }
    begin = end;
  }
}

// Returns the length of the common beginning plus that of the common end. A mistyped id usually differs at a single
// position.
size_t Similarity(const std::string& a, const std::string& b) {
  const size_t shorter = std::min(a.size(), b.size());
  size_t front = 0, back = 0;
  while (front < shorter && a[front] == b[front]) ++front;
  while (back < shorter - front && a[a.size() - 1 - back] == b[b.size() - 1 - back]) ++back;
  return front + back;
}

std::string SimilarIds(std::vector<JobId> ids, const std::string& name) {
  std::stable_sort(ids.begin(), ids.end(),
                   [&](const JobId& a, const JobId& b) { return Similarity(a.text, name) > Similarity(b.text, name); });
  std::string text;
  for (size_t i = 0; i < std::min(kMaxListedIds, ids.size()); ++i) text += (i == 0 ? "" : ", ") + ids[i].text;
  return text;
}

}  // namespace

Result<std::vector<JobId>> JobsNewestFirst(const Layout& layout) {
  auto names = os::files::ListDirectory(layout.jobs());
  if (!names.ok()) {
    if (names.error().code == ErrorCode::kNotFound) return std::vector<JobId>();
    return names.error();
  }
  std::vector<JobId> ids;
  for (std::string& name : *names) {
    JobId id{std::move(name)};
    // A submission in progress has no journal yet.
    if (access(JobFiles(layout.job(id)).journal().c_str(), F_OK) == 0) ids.push_back(std::move(id));
  }
  std::stable_sort(ids.begin(), ids.end(), [](const JobId& a, const JobId& b) { return SecondOf(a) > SecondOf(b); });
  SortWithinSeconds(layout, ids);
  return ids;
}

Result<JobId> ResolveId(const Layout& layout, const std::string& name) {
  const bool may_be_id = !name.empty() && name.find('/') == std::string::npos && name.front() != '.';
  if (name != "last" && may_be_id && access(JobFiles(layout.job(JobId{name})).journal().c_str(), F_OK) == 0) {
    return JobId{name};
  }
  HOWDAH_TRY(auto ids, JobsNewestFirst(layout));
  if (ids.empty()) {
    return Error{ErrorCode::kNotFound, "looking for job '" + name + "': no job yet in " + layout.jobs() +
                                           "; start one with `howdah run`, or set HOWDAH_HOME to where your jobs are"};
  }
  if (name == "last") return ids.front();
  return Error{ErrorCode::kNotFound, "looking for job '" + name + "': no such job in " + layout.jobs() +
                                         "; did you mean " + SimilarIds(ids, name) +
                                         "? `howdah list --all` shows all, " + "and `last` is the newest"};
}

}  // namespace howdah::backend::local
