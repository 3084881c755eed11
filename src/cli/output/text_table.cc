#include "howdah/cli/output/text_table.h"

#include <algorithm>

namespace howdah::cli::output {
namespace {

struct CodePoints {
  char32_t first, last;
};

// Most characters with the property "wide" or "full-width" (Unicode, East Asian Width), and emoji.
constexpr CodePoints kTwoColumns[] = {
    {0x1100, 0x115f},   {0x2e80, 0x303e},   {0x3041, 0x4dbf},   {0x4e00, 0xa4cf},   {0xa960, 0xa97f},
    {0xac00, 0xd7a3},   {0xf900, 0xfaff},   {0xfe30, 0xfe6f},   {0xff00, 0xff60},   {0xffe0, 0xffe6},
    {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff}, {0x1f900, 0x1faff}, {0x20000, 0x3fffd},
};
// Combining marks, joiners and variation selectors.
constexpr CodePoints kNoColumn[] = {
    {0x300, 0x36f}, {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x200b, 0x200f}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f},
};

// character: one character of valid UTF-8.
char32_t CodePointOf(std::string_view character) {
  const auto first = static_cast<unsigned char>(character.front());
  char32_t code = character.size() == 1 ? first : first & (0x7f >> character.size());
  for (const char c : character.substr(1)) code = code << 6 | (static_cast<unsigned char>(c) & 0x3f);
  return code;
}

size_t ColumnsOf(std::string_view character) {
  const char32_t code = CodePointOf(character);
  const auto includes = [code](const CodePoints& some) { return some.first <= code && code <= some.last; };
  if (std::ranges::any_of(kNoColumn, includes)) return 0;
  return std::ranges::any_of(kTwoColumns, includes) ? 2 : 1;
}

// The size of a colour sequence at the beginning of the text, or 0 if there is none.
size_t ColourSize(std::string_view text) {
  if (!text.starts_with("\x1b[")) return 0;
  const size_t end = text.find('m');
  return end == std::string_view::npos ? text.size() : end + 1;
}

// A colour sequence or one character.
struct Piece {
  std::string_view text;
  size_t columns = 0;
};

Piece FirstPiece(std::string_view text) {
  if (const size_t colour = ColourSize(text); colour > 0) return {text.substr(0, colour), 0};
  const std::string_view character = text.substr(0, std::max<size_t>(Utf8CharacterSize(text), 1));
  return {character, ColumnsOf(character)};
}

}  // namespace

size_t WidthOf(std::string_view text) {
  size_t width = 0;
  while (!text.empty()) {
    const Piece piece = FirstPiece(text);
    width += piece.columns;
    text.remove_prefix(piece.text.size());
  }
  return width;
}

std::string Clip(std::string_view text, size_t width) {
  if (WidthOf(text) <= width) return std::string(text);
  std::string out;
  for (size_t used = 0; !text.empty();) {
    const Piece piece = FirstPiece(text);
    used += piece.columns;
    if (piece.columns > 0 && used >= width) break;
    out += piece.text;
    text.remove_prefix(piece.text.size());
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
