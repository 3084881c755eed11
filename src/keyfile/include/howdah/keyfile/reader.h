// The state while one job file is parsed: the current key, the problems found, and the line of each key.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "howdah/keyfile/host.h"
#include "howdah/keyfile/problem.h"
#include "howdah/keyfile/tree.h"

namespace howdah::keyfile {

class Reader {
 public:
  explicit Reader(const Host& host) : host_(host) {}

  // A key or list item is the current one from construction to destruction of its Scope.
  class Scope {
   public:
    Scope(Reader& reader, std::string_view key);
    Scope(Reader& reader, size_t index);
    ~Scope() { reader_.path_.resize(outer_); }
    Scope(const Scope&) = delete;
    Scope& operator=(const Scope&) = delete;

   private:
    Reader& reader_;
    size_t outer_;
  };

  // Reports a problem of the current key. Always returns false, so that callers can return the result.
  bool Fail(Mark mark, std::string text);
  bool Fail(const Node& node, std::string text) { return Fail(node.mark, std::move(text)); }
  // Reports a hint about the current key. The job stays valid.
  void Hint(Mark mark, std::string text) { hints_.push_back(ProblemAt(mark, path_, std::move(text))); }

  // Returns the text of a scalar with its variables expanded. Reports a problem and returns nullopt if the node is not
  // a scalar or cannot be expanded. `wanted` describes the expected value.
  std::optional<std::string> Text(const Node& node, std::string_view wanted);
  // Same as Text, without expansion.
  std::optional<std::string> Verbatim(const Node& node, std::string_view wanted);

  // Records the current key or item and whether it was valid, for the checks in rules.h.
  void Note(Mark mark, bool good) { noted_[path_] = {mark, good}; }
  // Whether the key at this path exists and was valid.
  bool WasGood(const std::string& path) const;
  // Whether the key at this path exists and was invalid. If so, the rules report nothing more about it.
  bool WasBad(const std::string& path) const;
  // Reports a problem of the key at this path, with the line of the nearest enclosing key in the file.
  void FailAt(const std::string& path, std::string text);
  // Reports a hint about the key at this path, with the same line as FailAt.
  void HintAt(const std::string& path, std::string text);

  // Records that the directory at the current key was a relative path.
  void NoteRelativeDirectory() { relative_directories_.push_back(path_); }
  std::vector<std::string> TakeRelativeDirectories() { return std::move(relative_directories_); }

  // Returns the most similar candidate, or "" if there is none or the limit for comparisons was reached.
  std::string_view Suggest(std::string_view text, const std::vector<std::string_view>& candidates);

  const Host& host() const { return host_; }
  // Returns the problems in the order of their lines, those of --set last, at most 200.
  std::vector<Problem> TakeProblems();
  std::vector<Problem> TakeHints() { return std::move(hints_); }

 private:
  // Returns the position of the nearest enclosing key in the file.
  Mark MarkOf(const std::string& path) const;
  struct Noted {
    Mark mark;
    bool good = false;
  };
  Problem ProblemAt(Mark mark, std::string path, std::string text) const;
  bool Expand(const Node& node, std::string_view text, std::string* out);

  const Host& host_;
  std::string path_;
  std::vector<Problem> problems_, hints_;
  std::vector<std::string> relative_directories_;
  size_t expanded_bytes_ = 0;
  size_t compared_ = 0;  // number of comparisons by all calls of Suggest
  std::unordered_map<std::string, Noted> noted_;
};

}  // namespace howdah::keyfile
