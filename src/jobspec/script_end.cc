#include "script_end.h"

#include <algorithm>
#include <string>
#include <vector>

namespace howdah::jobspec {
namespace {

constexpr std::string_view kBlanks = " \t", kWordEnds = " \t\n;&|()<>";

struct HereDocument {
  std::string last_line;
  bool without_tabs = false;  // <<- ignores the tabs at the beginning of each line
};

class Scanner {
 public:
  explicit Scanner(std::string_view rest) : rest_(rest) {}

  std::string_view Scan() {
    const std::string_view end = ScanAll();
    return uncertain_ ? "" : end;
  }

 private:
  std::string_view ScanAll() {
    while (!rest_.empty()) {
      const char c = rest_.front();
      if (rest_ == "\\") return "a backslash";
      if (c == '#' && at_word_start_) {
        SkipTo(rest_.find('\n'));
        if (rest_.empty()) return "a comment";
      } else if (c == '\n') {
        rest_.remove_prefix(1);
        at_word_start_ = true;
        if (!SkipHereDocuments()) return "a here-document (<<)";
      } else {
        TakePart();
      }
    }
    return "";
  }

  void SkipTo(size_t at) { rest_.remove_prefix(std::min(at, rest_.size())); }

  // Skips a quoted text, an operator or one character.
  void TakePart() {
    const char c = rest_.front();
    at_word_start_ = kWordEnds.find(c) != std::string_view::npos;
    if (rest_.starts_with("((") || rest_.starts_with("))")) {
      in_arithmetic_ = c == '(';
      SkipTo(2);
    } else if (rest_.starts_with("<<<")) {
      SkipTo(3);
    } else if (rest_.starts_with("<<") && !in_arithmetic_) {
      TakeHereDocument();
    } else {
      const std::string_view part = rest_.substr(0, QuotedSize());
      const bool nested = part.starts_with('"') && (part.find("$(") != part.npos || part.find('`') != part.npos);
      uncertain_ = uncertain_ || nested || rest_.starts_with("${") || rest_.starts_with("$'");
      SkipTo(part.size());
    }
  }

  // The size of the quoted text at the beginning, or 1 if the first character is not quoted.
  size_t QuotedSize() const {
    const char c = rest_.front();
    if (c == '\\') return 2;
    if (c == '\'') return rest_.find('\'', 1) == std::string_view::npos ? rest_.size() : rest_.find('\'', 1) + 1;
    if (c != '"') return 1;
    size_t at = 1;
    while (at < rest_.size() && rest_[at] != '"') at += rest_[at] == '\\' ? 2 : 1;
    return at + 1;
  }

  void TakeHereDocument() {
    HereDocument document;
    SkipTo(2);
    document.without_tabs = rest_.starts_with('-');
    if (document.without_tabs) SkipTo(1);
    SkipTo(rest_.find_first_not_of(kBlanks));
    while (!rest_.empty() && kWordEnds.find(rest_.front()) == std::string_view::npos) {
      const std::string_view part = rest_.substr(0, QuotedSize());
      SkipTo(part.size());
      for (const char c : part) {
        if (c != '\'' && c != '"' && c != '\\') document.last_line += c;
      }
    }
    here_documents_.push_back(std::move(document));
  }

  // Skips the here-documents that begin at this line. Returns false if the script ends in the last one.
  bool SkipHereDocuments() {
    for (const HereDocument& document : here_documents_) {
      for (bool found = false; !found;) {
        if (rest_.empty()) return false;
        std::string_view line = rest_.substr(0, rest_.find('\n'));
        SkipTo(line.size());
        if (rest_.empty()) return false;
        SkipTo(1);
        if (document.without_tabs) line.remove_prefix(std::min(line.find_first_not_of('\t'), line.size()));
        found = line == document.last_line;
      }
    }
    here_documents_.clear();
    return true;
  }

  std::string_view rest_;
  bool at_word_start_ = true;
  bool in_arithmetic_ = false;
  bool uncertain_ = false;                    // the script has quotes in quotes, which are not followed
  std::vector<HereDocument> here_documents_;  // those that begin at the next line
};

}  // namespace

std::string_view ScriptEndsIn(std::string_view script) { return Scanner(script).Scan(); }

}  // namespace howdah::jobspec
