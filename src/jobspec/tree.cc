#include "tree.h"

#include <algorithm>

#include "words.h"

namespace howdah::jobspec {

bool TreeBuilder::Fail(int line, std::string text) {
  error_ = SyntaxError{line, std::move(text)};
  return false;
}

bool TreeBuilder::IsKey() const {
  return !open_.empty() && open_.back().node->kind == Node::Kind::kMap && !open_.back().has_key;
}

bool TreeBuilder::Null(int line, std::string_view anchor) {
  if (IsKey()) return Fail(line, "a key is empty; write a text before the ':'");
  Node node;
  node.mark = At(line);
  return Add(std::move(node), anchor);
}

bool TreeBuilder::Scalar(int line, std::string_view anchor, std::string_view text) {
  if (IsKey()) {
    open_.back().has_key = true;
    open_.back().key = text;
    open_.back().key_line = line;
    return true;
  }
  Node node;
  node.kind = Node::Kind::kScalar;
  node.mark = At(line);
  node.text = text;
  return Add(std::move(node), anchor);
}

bool TreeBuilder::Add(Node node, std::string_view anchor) {
  Node* added = tree_.Add(std::move(node));
  if (!anchor.empty()) anchors_[std::string(anchor)] = added;
  return Place(added, added->mark.line, false);
}

bool TreeBuilder::Start(Node::Kind kind, int line, std::string_view anchor) {
  if (IsKey()) return Fail(line, "a key must be a text, not a list or a map; put quotes around it");
  if (open_.size() == kDepthMax) {
    return Fail(line, "nested more than " + std::to_string(kDepthMax) + " deep; no job file needs that");
  }
  Node node;
  node.kind = kind;
  node.mark = At(line);
  Frame frame;
  frame.node = tree_.Add(std::move(node));
  frame.anchor = anchor;
  if (!anchor.empty()) anchors_[frame.anchor] = frame.node;
  open_.push_back(std::move(frame));
  return true;
}

bool TreeBuilder::End() {
  Node* node = open_.back().node;
  open_.pop_back();
  return Place(node, node->mark.line, false);
}

bool TreeBuilder::Alias(int line, std::string_view anchor) {
  if (IsKey()) return Fail(line, "a key must be a text, not an alias");
  const auto found = anchors_.find(std::string(anchor));
  if (found == anchors_.end()) {
    return Fail(line, "there is no anchor &" + Printable(anchor) + " before this alias *" + Printable(anchor));
  }
  const bool open = std::any_of(open_.begin(), open_.end(), [&](const Frame& f) { return f.node == found->second; });
  if (open) return Fail(line, "the alias *" + Printable(anchor) + " contains itself; write out what is meant");
  return Place(found->second, line, true);
}

// Gives a finished node its place in what encloses it.
bool TreeBuilder::Place(Node* node, int line, bool shared) {
  if (++values_ > kValuesMax) {
    return Fail(line, "more than " + std::to_string(kValuesMax) + " values; no job file needs that");
  }
  if (open_.empty()) {
    root_ = node;
    return true;
  }
  Frame& frame = open_.back();
  frame.node->weight += node->weight;
  if (frame.node->weight > kValuesMax) {
    return Fail(line, "its aliases stand for more than " + std::to_string(kValuesMax) + " values");
  }
  if (frame.node->kind == Node::Kind::kList) {
    frame.node->items.push_back(node);
    return true;
  }
  // What is wrong with a whole map or list, or with a value that is not there, is said where its key stands.
  if (!shared && node->kind != Node::Kind::kScalar) node->mark = At(frame.key_line);
  frame.node->entries.push_back({std::move(frame.key), At(frame.key_line), node});
  frame.has_key = false;
  return true;
}

}  // namespace howdah::jobspec
