#include "howdah/cli/output/text_table.h"

#include <algorithm>

namespace howdah::cli::output {
namespace {

bool IsContinuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

// The size of a colour sequence at the beginning of the text, or 0 if there is none.
size_t ColourSize(std::string_view text) {
  if (!text.starts_with("\x1b[")) return 0;
  const size_t end = text.find('m');
  return end == std::string_view::npos ? text.size() : end + 1;
}

}  // namespace

size_t WidthOf(std::string_view text) {
  size_t width = 0;
  while (!text.empty()) {
    if (const size_t colour = ColourSize(text); colour > 0) {
      text.remove_prefix(colour);
      continue;
    }
    width += IsContinuation(text.front()) ? 0 : 1;
    text.remove_prefix(1);
  }
  return width;
}

std::string Clip(std::string_view text, size_t width) {
  if (WidthOf(text) <= width) return std::string(text);
  std::string out;
  for (size_t used = 0; !text.empty();) {
    if (const size_t colour = ColourSize(text); colour > 0) {
      out += text.substr(0, colour);
      text.remove_prefix(colour);
      continue;
    }
    if (!IsContinuation(text.front()) && ++used >= width) break;
    out += text.front();
    text.remove_prefix(1);
  }
  return out + "…\x1b[0m";
}

std::string FormatTable(const std::vector<Row>& rows) {
  std::vector<size_t> widths;
  for (const auto& row : rows) {
    widths.resize(std::max(widths.size(), row.size()));
    for (size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], WidthOf(row[i].text()));
  }
  std::string out;
  for (const auto& row : rows) {
    std::string line;
    for (size_t i = 0; i < row.size(); ++i) {
      line += row[i].text();
      line.append(widths[i] - WidthOf(row[i].text()) + 2, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + '\n';
  }
  return out;
}

}  // namespace howdah::cli::output
