// Recognises failures that a full file system has caused.
#include <algorithm>

#include "howdah/base/text.h"
#include "rules.h"

namespace howdah::diagnosis {
namespace {

// Returns the text in the last pair of quotation marks: /data/x for "cp: error writing '/data/x': No space left on
// device".
std::string_view LastQuoted(std::string_view line) {
  const size_t end = line.find_last_of("'\"");
  if (end == std::string_view::npos || end == 0) return {};
  const size_t begin = line.rfind(line[end], end - 1);
  return begin == std::string_view::npos ? std::string_view() : line.substr(begin + 1, end - begin - 1);
}

// Whether the line is a message of torch.save about a failed write. Neither message states the error or the file. The
// last exception may have only the second message, because after the failed write torch also fails to write the end of
// the file.
bool IsFailedTorchWrite(std::string_view line) {
  return Contains(line, "PytorchStreamWriter failed writing") ||
         (Contains(line, "inline_container.cc") && Contains(line, "unexpected pos"));
}

}  // namespace

bool MayMeanNoSpace(std::string_view output) { return SaysNoSpace(output) || IsFailedTorchWrite(output); }

std::vector<std::string> FilesOnFullDisks(std::string_view text, const std::string& working_directory) {
  std::vector<std::string> files;
  while (!text.empty()) {
    const size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::string_view file = SaysNoSpace(line) ? LastQuoted(line) : std::string_view();
    if (file.empty()) continue;
    files.push_back((file.starts_with('/') ? "" : working_directory + "/") + std::string(file));
  }
  return files;
}

void AddFullDisk(const Failure& failure, core::Diagnosis& found) {
  constexpr size_t kRecent = 10;  // number of last lines that are searched
  const auto lines = failure.LastErrLines(kRecent);
  const std::vector<std::string>& disks = failure.evidence.full_disks;
  const bool says_so = SaysNoSpace(found.cause) || std::any_of(lines.begin(), lines.end(), SaysNoSpace);
  const bool failed_write = !disks.empty() && std::any_of(lines.begin(), lines.end(), IsFailedTorchWrite);
  if (!says_so && !failed_write) return;
  if (failed_write && !SaysNoSpace(found.cause)) {
    found.cause.insert(0, "No space left on device: " + Join(disks) + "; ");
  }
  found.advice = (disks.empty() ? "a file system on " + failure.Host() + " was full (it has free space now)"
                                : "free some space on " + Join(disks, " or ")) +
                 "; files that the task wrote last may be incomplete";
}

}  // namespace howdah::diagnosis
