// The state of reading one job file: where in it the reading is, what was found wrong, and where each key stood.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "howdah/jobspec/job_file.h"
#include "tree.h"

namespace howdah::jobspec {

class Reader {
 public:
  explicit Reader(const Surroundings& surroundings) : surroundings_(surroundings) {}

  // While it lives, the reading is at a key, or at an item of a list.
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

  // Reports a problem of what is being read; always false, as what readers return.
  bool Fail(Mark mark, std::string text);
  bool Fail(const Node& node, std::string text) { return Fail(node.mark, std::move(text)); }

  // The scalar's text, with variables put in; `wanted` says what is meant to be there if it is none. nullopt: reported.
  std::optional<std::string> Text(const Node& node, std::string_view wanted);
  // The same as it stands in the file.
  std::optional<std::string> Verbatim(const Node& node, std::string_view wanted);

  // Remembers the key or item that was read, for rules that come later.
  void Note(Mark mark, bool good) { noted_[path_] = {mark, good}; }
  // Whether the key at this path was there and could be read.
  bool WasGood(const std::string& path) const;
  // Whether the key at this path was there and could not be read; then rules about it say nothing more.
  bool WasBad(const std::string& path) const;
  // Reports a problem of the key at this path, or of the nearest one around it that stands in the file.
  void FailAt(const std::string& path, std::string text);

  // Remembers that the directory at this key was written as a relative path.
  void NoteRelativeDirectory() { relative_directories_.push_back(path_); }
  std::vector<std::string> TakeRelativeDirectories() { return std::move(relative_directories_); }

  // The candidate that was probably meant; empty: none, or so many have been wanted that nobody would read more.
  std::string_view Suggest(std::string_view text, const std::vector<std::string_view>& candidates);

  const Surroundings& surroundings() const { return surroundings_; }
  // The problems in the order of their lines, those of --set last; a great many are cut.
  std::vector<Problem> TakeProblems();

 private:
  struct Noted {
    Mark mark;
    bool good = false;
  };
  void Add(Mark mark, std::string path, std::string text);
  bool Expand(const Node& node, std::string_view text, std::string* out);

  const Surroundings& surroundings_;
  std::string path_;
  std::vector<Problem> problems_;
  std::vector<std::string> relative_directories_;
  size_t expanded_bytes_ = 0;
  size_t compared_ = 0;  // candidates for suggestions
  std::unordered_map<std::string, Noted> noted_;
};

}  // namespace howdah::jobspec
