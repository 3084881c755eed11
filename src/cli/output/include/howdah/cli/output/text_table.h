// Columns of text for people. Pure.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "howdah/base/text.h"

namespace howdah::cli::output {

// One cell of a table. Its text may come from a file or another user, so howdah::Shown sanitises it.
class Cell {
 public:
  Cell(std::string_view text) : text_(Shown(text)) {}       // NOLINT: implicit, so that a row can be written as texts
  Cell(const std::string& text) : text_(Shown(text)) {}     // NOLINT
  Cell(const char* text) : Cell(std::string_view(text)) {}  // NOLINT
  // A text of this program, which may contain colour sequences.
  static Cell Coloured(std::string text) {
    Cell cell("");
    cell.text_ = std::move(text);
    return cell;
  }

  const std::string& text() const { return text_; }

 private:
  std::string text_;
};
using Row = std::vector<Cell>;

// Formats left-aligned columns, two spaces apart, one line per row, without trailing spaces.
std::string FormatTable(const std::vector<Row>& rows);

// The number of terminal columns of a text, without colour sequences. A Chinese, Japanese or Korean character and an
// emoji take two columns.
size_t WidthOf(std::string_view text);
// Clips a line to `width` columns. A clipped line ends with "…" and resets colours.
std::string Clip(std::string_view text, size_t width);

}  // namespace howdah::cli::output
