#include "howdah/cli/output/line_merger.h"

#include <functional>
#include <iterator>

namespace howdah::cli::output {
namespace {

constexpr size_t kLongestLine = size_t{64} << 10;
constexpr int kColours[] = {36, 33, 35, 32, 34, 31};  // the colour codes of terminals

}  // namespace

LineMerger::Source& LineMerger::Of(const backend::LogSource& source) {
  const auto [found, is_new] = sources_.try_emplace(source);
  if (is_new && prefix_ == Prefix::kTask) {
    const std::string name = TaskText(source.role, source.index);
    const std::string colour =
        "\x1b[" + std::to_string(kColours[std::hash<std::string>()(name) % std::size(kColours)]) + "m";
    found->second.prefix = colour_ ? colour + name + " │\x1b[0m " : name + " │ ";
  }
  return found->second;
}

void LineMerger::Add(const backend::LogSource& source, std::string_view bytes, std::string& out) {
  Source& to = Of(source);
  while (!bytes.empty()) {
    const size_t room = kLongestLine - to.line.size();
    const size_t newline = bytes.substr(0, room + 1).find('\n');
    if (newline == std::string_view::npos && bytes.size() < room) {
      to.line += bytes;
      return;
    }
    const size_t size = newline == std::string_view::npos ? room : newline;
    out += to.prefix;
    out += to.line;
    out += bytes.substr(0, size);
    out += '\n';
    to.line.clear();
    bytes.remove_prefix(newline == std::string_view::npos ? size : size + 1);
  }
}

void LineMerger::Finish(std::string& out) {
  for (auto& [name, source] : sources_) {
    if (source.line.empty()) continue;
    out += source.prefix + source.line + '\n';
    source.line.clear();
  }
}

}  // namespace howdah::cli::output
