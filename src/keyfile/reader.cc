#include "howdah/keyfile/reader.h"

#include <algorithm>

#include "howdah/keyfile/nearest.h"
#include "howdah/keyfile/variables.h"
#include "howdah/keyfile/words.h"

namespace howdah::keyfile {
namespace {

constexpr size_t kShownMax = 200;

std::string_view KindText(Node::Kind kind) {
  switch (kind) {
    case Node::Kind::kNull:
      return "null";
    case Node::Kind::kScalar:
      return "a string";
    case Node::Kind::kList:
      return "a list";
    case Node::Kind::kMap:
      return "a map";
  }
  return "";
}

}  // namespace

Reader::Scope::Scope(Reader& reader, std::string_view key) : reader_(reader), outer_(reader.path_.size()) {
  if (outer_ != 0) reader_.path_ += '.';
  reader_.path_ += Printable(key);
}

Reader::Scope::Scope(Reader& reader, size_t index) : reader_(reader), outer_(reader.path_.size()) {
  reader_.path_ += "[" + std::to_string(index) + "]";
}

Problem Reader::ProblemAt(Mark mark, std::string path, std::string text) const {
  Problem problem;
  problem.file = mark.from_set ? "--set" : host_.file_name;
  problem.line = mark.from_set ? 0 : mark.line;
  problem.key = std::move(path);
  problem.text = std::move(text);
  return problem;
}

bool Reader::Fail(Mark mark, std::string text) {
  problems_.push_back(ProblemAt(mark, path_, std::move(text)));
  return false;
}

std::optional<std::string> Reader::Verbatim(const Node& node, std::string_view wanted) {
  if (node.kind != Node::Kind::kScalar) {
    const std::string_view found = KindText(node.kind);
    Fail(node, "must be " + std::string(wanted) + ", but is " + std::string(found));
    return std::nullopt;
  }
  if (node.text.find('\0') != std::string::npos) {
    Fail(node, "contains a NUL character, which cannot be passed to a program; remove it");
    return std::nullopt;
  }
  return node.text;
}

std::optional<std::string> Reader::Text(const Node& node, std::string_view wanted) {
  auto text = Verbatim(node, wanted);
  if (!text || text->find('$') == std::string::npos) return text;
  std::string expanded;
  if (!Expand(node, *text, &expanded)) return std::nullopt;
  return expanded;
}

bool Reader::Expand(const Node& node, std::string_view text, std::string* out) {
  constexpr size_t kExpandedMax = 8 << 20;  // limit for all values together
  Expansion expansion = ExpandVariables(text, host_.variable);
  expanded_bytes_ += expansion.text.size();
  if (expanded_bytes_ > kExpandedMax) return Fail(node, "the variables in this file expand to more than 8 MiB");
  for (const std::string& name : expansion.unset) {
    const std::string v = Printable(name);
    Fail(node, "${" + v + "} is not set in your environment; set it, or give a default: ${" + v + ":-default}");
  }
  if (!expansion.unset.empty()) return false;
  if (FindInvalidUtf8(expansion.text) != std::string::npos || expansion.text.find('\0') != std::string::npos) {
    return Fail(node, "the value of a variable in " + Quoted(text) + " is not valid UTF-8");
  }
  *out = std::move(expansion.text);
  return true;
}

bool Reader::WasGood(const std::string& path) const {
  const auto found = noted_.find(path);
  return found != noted_.end() && found->second.good;
}

bool Reader::WasBad(const std::string& path) const {
  const auto found = noted_.find(path);
  return found != noted_.end() && !found->second.good;
}

Mark Reader::MarkOf(const std::string& path) const {
  for (std::string around = path; !around.empty(); around.resize(around.find_last_of(".["))) {
    const auto found = noted_.find(around);
    if (found != noted_.end()) return found->second.mark;
    if (around.find_last_of(".[") == std::string::npos) break;
  }
  return {};
}

void Reader::FailAt(const std::string& path, std::string text) {
  problems_.push_back(ProblemAt(MarkOf(path), path, std::move(text)));
}

void Reader::HintAt(const std::string& path, std::string text) {
  hints_.push_back(ProblemAt(MarkOf(path), path, std::move(text)));
}

std::string_view Reader::Suggest(std::string_view text, const std::vector<std::string_view>& candidates) {
  constexpr size_t kComparedMax = 5000;
  compared_ += candidates.size();
  return compared_ > kComparedMax ? "" : Nearest(text, candidates);
}

std::vector<Problem> Reader::TakeProblems() {
  const auto position = [](const Problem& p) { return p.file == "--set" ? 1 << 30 : p.line; };
  std::stable_sort(problems_.begin(), problems_.end(),
                   [&](const Problem& a, const Problem& b) { return position(a) < position(b); });
  if (problems_.size() > kShownMax) {
    Problem rest;
    rest.file = host_.file_name;
    rest.text = "and " + std::to_string(problems_.size() - kShownMax) + " more problems";
    problems_.resize(kShownMax);
    problems_.push_back(std::move(rest));
  }
  return std::move(problems_);
}

}  // namespace howdah::keyfile
