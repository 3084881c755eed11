// The text of a job file as a tree of scalars, lists and maps with line numbers. Keys are not interpreted yet.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace howdah::keyfile {

// A position in the file. A position in a --set has no line.
struct Mark {
  int line = 0;  // 1-based
  bool from_set = false;
};

struct Node;

struct Entry {
  std::string key;
  Mark mark;
  const Node* value = nullptr;
};

struct Node {
  enum class Kind { kNull, kScalar, kList, kMap };
  Kind kind = Kind::kNull;
  Mark mark;
  std::string text;                // kScalar
  std::vector<const Node*> items;  // kList
  std::vector<Entry> entries;      // kMap: in the order of the file, with duplicates
  uint32_t weight = 1;             // number of nodes in this subtree, with all aliases expanded

  // Whether a map has this key.
  bool Has(std::string_view key) const {
    return std::any_of(entries.begin(), entries.end(), [key](const Entry& entry) { return entry.key == key; });
  }
};

// Owns the nodes. An alias makes one node the child of two parents, so a node must not change once it has a parent.
class Tree {
 public:
  Node* Add(Node node) { return &nodes_.emplace_back(std::move(node)); }

 private:
  std::deque<Node> nodes_;  // stable addresses
};

// An error that makes the whole text unreadable.
struct SyntaxError {
  int line = 0;
  std::string text;
  std::string excerpt = {};  // as Problem::excerpt
};

// Builds nodes from a parser's events, which must come in the order of the text. To bound the work, these are errors:
// too much nesting, too many values, an alias that contains itself, and aliases that expand to too many values.
class TreeBuilder {
 public:
  // from_set: marks all nodes as coming from a --set.
  TreeBuilder(Tree& tree, bool from_set) : tree_(tree), from_set_(from_set) {}

  // Each function returns false after an error. After that, no function may be called.
  bool Null(int line, std::string_view anchor);
  bool Scalar(int line, std::string_view anchor, std::string_view text);
  bool Start(Node::Kind kind, int line, std::string_view anchor);  // kList or kMap
  bool End();                                                      // ends the innermost list or map
  bool Alias(int line, std::string_view anchor);
  bool Fail(int line, std::string text);

  const std::optional<SyntaxError>& error() const { return error_; }
  const Node* root() const { return root_; }  // nullptr if the text is empty

  static constexpr size_t kDepthMax = 32;  // six levels are enough for a job file
  static constexpr uint32_t kValuesMax = 20'000;

 private:
  struct Frame {
    Node* node = nullptr;
    std::string anchor;
    bool has_key = false;
    std::string key;  // in a map: the key whose value comes next
    int key_line = 0;
  };
  bool Place(Node* node, int line, bool shared);
  bool Add(Node node, std::string_view anchor);
  bool IsKey() const;
  Mark At(int line) const { return {from_set_ ? 0 : line, from_set_}; }

  Tree& tree_;
  bool from_set_;
  std::vector<Frame> open_;
  std::unordered_map<std::string, Node*> anchors_;
  uint32_t values_ = 0;
  bool has_alias_ = false;
  Node* root_ = nullptr;
  std::optional<SyntaxError> error_;
};

}  // namespace howdah::keyfile
