#include "howdah/keyfile/variables.h"

#include <algorithm>

namespace howdah::keyfile {
namespace {

bool IsNameStart(char c) { return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_'; }
bool IsNameChar(char c) { return IsNameStart(c) || (c >= '0' && c <= '9'); }

// Expands the variables of a value. Each default is read only once, so the time is linear.
class Expander {
 public:
  Expander(std::string_view text, const std::function<std::optional<std::string>(const std::string&)>& variable)
      : text_(text), variable_(variable) {}

  Expansion Run() {
    while (at_ < text_.size()) Step();
    // Keep an unterminated "${NAME:-..." as it was written.
    while (!open_.empty()) CloseUnfinished();
    return std::move(out_);
  }

 private:
  // A "${NAME:-..." whose closing brace has not been read yet.
  struct Default {
    size_t begin = 0;     // the position of the "${" in text_
    size_t out_size = 0;  // the size of the output before the "${"
    size_t unset_size = 0;
    std::optional<std::string> value;  // the variable's value, if it is not empty
  };

  void Step() {
    const std::string_view rest = text_.substr(at_);
    if (rest.substr(0, 2) == "$$") {
      out_.text += '$';
      at_ += 2;
    } else if (rest.substr(0, 2) == "${" && StepVariable(rest)) {
    } else if (rest.front() == '}' && !open_.empty()) {
      CloseDefault();
    } else {
      out_.text += rest.front();
      ++at_;
    }
  }

  bool StepVariable(std::string_view rest) {
    constexpr size_t kOpenMax = 32;
    size_t end = 2;
    while (end < rest.size() && IsNameChar(rest[end])) ++end;
    if (end == 2 || !IsNameStart(rest[2])) return false;
    const std::string name(rest.substr(2, end - 2));
    const auto value = variable_ ? variable_(name) : std::nullopt;
    if (rest.substr(end, 1) == "}") {
      if (!value) NoteUnset(name);
      out_.text += value.value_or("");
      at_ += end + 1;
      return true;
    }
    if (rest.substr(end, 2) != ":-" || open_.size() == kOpenMax) return false;
    const bool counts = value && !value->empty();
    open_.push_back({at_, out_.text.size(), out_.unset.size(), counts ? value : std::nullopt});
    at_ += end + 2;
    return true;
  }

  void NoteUnset(const std::string& name) {
    constexpr size_t kShownMax = 10;
    const bool is_new = std::find(out_.unset.begin(), out_.unset.end(), name) == out_.unset.end();
    if (is_new && out_.unset.size() < kShownMax) out_.unset.push_back(name);
  }

  void CloseDefault() {
    const Default closed = std::move(open_.back());
    open_.pop_back();
    ++at_;
    if (!closed.value) return;
    out_.text.resize(closed.out_size);
    out_.unset.resize(closed.unset_size);
    out_.text += *closed.value;
  }

  void CloseUnfinished() {
    const Default unfinished = std::move(open_.back());
    open_.pop_back();
    if (!open_.empty()) return;
    out_.text.resize(unfinished.out_size);
    out_.unset.resize(unfinished.unset_size);
    out_.text += text_.substr(unfinished.begin);
  }

  std::string_view text_;
  const std::function<std::optional<std::string>(const std::string&)>& variable_;
  size_t at_ = 0;
  std::vector<Default> open_;
  Expansion out_;
};

}  // namespace

Expansion ExpandVariables(std::string_view text,
                          const std::function<std::optional<std::string>(const std::string&)>& variable) {
  return Expander(text, variable).Run();
}

std::string EscapeDollars(std::string_view text) {
  std::string escaped;
  escaped.reserve(text.size());
  for (const char c : text) escaped.append(c == '$' ? 2 : 1, c);
  return escaped;
}

bool IsVariableName(std::string_view name) {
  return !name.empty() && IsNameStart(name.front()) && std::all_of(name.begin(), name.end(), IsNameChar);
}

}  // namespace howdah::keyfile
