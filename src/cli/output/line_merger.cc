#include "howdah/cli/output/line_merger.h"

#include <functional>
#include <iterator>
#include <nlohmann/json.hpp>

namespace howdah::cli::output {
namespace {

constexpr size_t kLongestLine = size_t{64} << 10;
constexpr Duration kOverwriteInterval = std::chrono::seconds(1);
constexpr int kColours[] = {36, 33, 35, 32, 34, 31};  // the colour codes of terminals

// Bytes that are not UTF-8 become replacement characters.
std::string JsonText(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace

bool HasSeveralProcesses(const journal::JobView& view, const backend::LogSource& source) {
  const journal::TaskView* task = view.Find(source.role, source.index);
  return task != nullptr && task->pids.size() > 1;
}

LineMerger::Source& LineMerger::Of(const backend::LogSource& source) {
  const auto [found, is_new] = sources_.try_emplace(source);
  if (is_new && options_.prefix == Prefix::kTask) {
    std::string name = TaskText(source.role, source.index);
    const std::string colour =
        "\x1b[" + std::to_string(kColours[std::hash<std::string>()(name) % std::size(kColours)]) + "m";
    const bool several =
        source.local_rank > 0 || (options_.has_several_processes && options_.has_several_processes(source));
    if (several) name += "/" + std::to_string(source.local_rank);
    found->second.prefix = options_.colour ? colour + name + " │\x1b[0m " : name + " │ ";
  }
  if (is_new && options_.prefix == Prefix::kJson) {
    const char* const stream = source.stream == backend::LogStream::kStdout ? "stdout" : "stderr";
    found->second.prefix = "{\"task\":" + JsonText(TaskText(source.role, source.index)) +
                           ",\"rank\":" + std::to_string(source.local_rank) +
                           ",\"attempt\":" + std::to_string(source.attempt) + ",\"stream\":\"" + stream +
                           "\",\"text\":";
  }
  return found->second;
}

void LineMerger::Write(const Source& source, std::string_view line, Instant now, std::string& out) const {
  if (options_.timestamps) out += FormatInstant(now) + " ";
  out += source.prefix;
  out += options_.prefix == Prefix::kJson ? JsonText(line) + "}" : std::string(line);
  out += '\n';
}

void LineMerger::OnNewline(Source& source, Instant now, std::string& out) const {
  // A carriage return before the newline leaves the text before it visible.
  Write(source, source.line.empty() && source.overwrite ? *source.overwrite : source.line, now, out);
  source.line.clear();
  source.overwrite.reset();
  source.next_overwrite.reset();
}

void LineMerger::OnCarriageReturn(Source& source, Instant now, std::string& out) const {
  if (source.line.empty()) return;
  if (!source.next_overwrite) source.next_overwrite = now + kOverwriteInterval;
  source.overwrite = std::move(source.line);
  source.line.clear();
  if (now < *source.next_overwrite) return;
  Write(source, *source.overwrite, now, out);
  source.overwrite.reset();
  source.next_overwrite = now + kOverwriteInterval;
}

void LineMerger::Add(const backend::LogSource& source, std::string_view bytes, Instant now, std::string& out) {
  Source& to = Of(source);
  while (!bytes.empty()) {
    const size_t end = std::min(bytes.find_first_of("\r\n"), bytes.size());
    const size_t size = std::min(end, kLongestLine - to.line.size());
    to.line += bytes.substr(0, size);
    bytes.remove_prefix(size);
    if (bytes.empty()) return;
    if (bytes.front() == '\n') {
      OnNewline(to, now, out);
    } else if (bytes.front() == '\r') {
      OnCarriageReturn(to, now, out);
    } else {  // the line has reached its maximum size
      Write(to, to.line, now, out);
      to.line.clear();
      continue;
    }
    bytes.remove_prefix(1);
  }
}

void LineMerger::Finish(Instant now, std::string& out) {
  for (auto& [name, source] : sources_) {
    if (!source.line.empty() || source.overwrite) OnNewline(source, now, out);
  }
}

}  // namespace howdah::cli::output
