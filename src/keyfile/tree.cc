#include "howdah/keyfile/tree.h"

#include <algorithm>

#include "howdah/keyfile/words.h"

namespace howdah::keyfile {

bool TreeBuilder::Fail(int line, std::string text) {
  error_ = SyntaxError{line, std::move(text)};
  return false;
}

bool TreeBuilder::IsKey() const {
  return !open_.empty() && open_.back().node->kind == Node::Kind::kMap && !open_.back().has_key;
}

bool TreeBuilder::Null(int line, std::string_view anchor) {
  if (IsKey()) return Fail(line, "empty key; write a name before the ':'");
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
  if (IsKey()) return Fail(line, "a key must be a string, not a list or a map; put quotes around it");
  if (open_.size() == kDepthMax) {
    return Fail(line, "nested more than " + std::to_string(kDepthMax) + " levels deep");
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
  if (IsKey()) return Fail(line, "a key must be a string, not an alias");
  const auto found = anchors_.find(std::string(anchor));
  if (found == anchors_.end()) {
    return Fail(line, "alias *" + Printable(anchor) + " has no anchor &" + Printable(anchor) + " before it");
  }
  const bool open = std::any_of(open_.begin(), open_.end(), [&](const Frame& f) { return f.node == found->second; });
  if (open) return Fail(line, "alias *" + Printable(anchor) + " contains itself; write the value out");
  return Place(found->second, line, true);
}

// Adds a finished node to the list or map that contains it.
bool TreeBuilder::Place(Node* node, int line, bool shared) {
  has_alias_ |= shared;
  if (++values_ > kValuesMax) {
    return Fail(line, "more than " + std::to_string(kValuesMax) + " values, the limit for job files");
  }
  if (open_.empty()) {
    root_ = node;
    return true;
  }
  Frame& frame = open_.back();
  frame.node->weight += node->weight;
  if (frame.node->weight > kValuesMax) {
    const std::string most = std::to_string(kValuesMax);
    return Fail(line, has_alias_ ? "the aliases expand to more than " + most + " values"
                                 : "more than " + most + " values, the limit for job files");
  }
  if (frame.node->kind == Node::Kind::kList) {
    frame.node->items.push_back(node);
    return true;
  }
  // A problem of a whole map or list, or of a missing value, is reported at the line of its key.
  if (!shared && node->kind != Node::Kind::kScalar) node->mark = At(frame.key_line);
  frame.node->entries.push_back({std::move(frame.key), At(frame.key_line), node});
  frame.has_key = false;
  return true;
}

}  // namespace howdah::keyfile
