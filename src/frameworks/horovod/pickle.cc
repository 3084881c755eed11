#include "pickle.h"

#include <algorithm>
#include <utility>

namespace howdah::frameworks::horovod {
namespace {

using Kind = PickledValue::Kind;

// Values are destroyed recursively, so the stack limits their depth.
constexpr int kMaxDepth = 20;

// Runs a pickle, which is a program for a stack machine. Python's Lib/pickletools.py describes the operations.
class Machine {
 public:
  explicit Machine(std::string_view bytes) : size_(bytes.size()), left_(bytes) {}

  std::optional<PickledValue> Run() {
    while (ok_ && !left_.empty()) {
      const auto operation = static_cast<unsigned char>(Take(1).front());
      if (operation == '.') return Result();
      Do(operation);
    }
    return std::nullopt;
  }

 private:
  std::optional<PickledValue> Result() {
    if (!ok_ || stack_.size() != 1 || !marks_.empty()) return std::nullopt;
    return std::move(stack_.front());
  }

  void Do(unsigned char operation) {
    switch (operation) {
      case 0x80:  // protocol version
        return void(Take(1));
      case 0x95:  // frame length
        return void(Take(8));
      case 'K':
        return Push(Int(1));
      case 'M':
        return Push(Int(2));
      case 'J':
        return Push(static_cast<int32_t>(Int(4)));
      case 0x8c:
        return Push(Kind::kText, Int(1));
      case 'X':
        return Push(Kind::kText, Int(4));
      case 'C':
        return Push(Kind::kBytes, Int(1));
      case 'B':
        return Push(Kind::kBytes, Int(4));
      case ')':
        return Push({.kind = Kind::kTuple});
      case ']':
        return Push({.kind = Kind::kList});
      case '}':
        return Push({.kind = Kind::kDict});
      case '(':
        return marks_.push_back(stack_.size());
      default:
        return Combine(operation);
    }
  }

  void Combine(unsigned char operation) {
    switch (operation) {
      case 0x85:
      case 0x86:
      case 0x87:
        return Tuple(static_cast<size_t>(operation - 0x84));
      case 't':
        return Tuple(SinceMark());
      case 'a':
        return AddTo(Kind::kList, 1);
      case 'e':
        return AddTo(Kind::kList, SinceMark());
      case 's':
        return AddTo(Kind::kDict, 2);
      case 'u':
        return AddTo(Kind::kDict, SinceMark());
      case 0x94:
        return Memoize(memo_.size());
      case 'q':
        return Memoize(static_cast<size_t>(Int(1)));
      case 'r':
        return Memoize(static_cast<size_t>(Int(4)));
      case 'h':
        return Recall(static_cast<size_t>(Int(1)));
      case 'j':
        return Recall(static_cast<size_t>(Int(4)));
      default:
        ok_ = false;
    }
  }

  std::string_view Take(size_t size) {
    if (size > left_.size()) ok_ = false;
    const std::string_view taken = left_.substr(0, size);
    left_.remove_prefix(taken.size());
    return taken;
  }

  int64_t Int(size_t size) {
    const std::string_view bytes = Take(size);
    int64_t number = 0;
    for (size_t i = bytes.size(); i > 0; --i) number = number * 256 + static_cast<unsigned char>(bytes[i - 1]);
    return number;
  }

  void Push(PickledValue value) { stack_.push_back(std::move(value)); }
  void Push(int64_t number) { Push({.kind = Kind::kInt, .number = number}); }
  void Push(Kind kind, int64_t size) { Push({.kind = kind, .text = Take(static_cast<size_t>(size))}); }

  size_t SinceMark() {
    if (marks_.empty() || marks_.back() > stack_.size()) return Refuse();
    const size_t mark = marks_.back();
    marks_.pop_back();
    return stack_.size() - mark;
  }

  // Removes the topmost `count` values from the stack and returns them.
  std::vector<PickledValue> Pop(size_t count) {
    if (count > stack_.size() || !ok_) {
      Refuse();
      return {};
    }
    const auto first = stack_.end() - static_cast<std::ptrdiff_t>(count);
    std::vector<PickledValue> values(std::make_move_iterator(first), std::make_move_iterator(stack_.end()));
    stack_.erase(first, stack_.end());
    return values;
  }

  void Tuple(size_t count) {
    std::vector<PickledValue> values = Pop(count);
    Push({.kind = Kind::kTuple});
    Append(std::move(values), stack_.back());
  }

  void AddTo(Kind kind, size_t count) {
    std::vector<PickledValue> values = Pop(count);
    if (stack_.empty() || stack_.back().kind != kind || (kind == Kind::kDict && count % 2 != 0)) return void(Refuse());
    Append(std::move(values), stack_.back());
  }

  void Append(std::vector<PickledValue> values, PickledValue& to) {
    for (PickledValue& value : values) {
      to.depth = std::max(to.depth, value.depth + 1);
      to.items.push_back(std::move(value));
    }
    if (to.depth > kMaxDepth) Refuse();
  }

  // Memoizes only values without items. Otherwise nested references could expand a small pickle beyond the available
  // memory. Python numbers the entries consecutively, so an index is smaller than the size of the pickle.
  void Memoize(size_t index) {
    if (stack_.empty() || index >= size_) return void(Refuse());
    if (index >= memo_.size()) memo_.resize(index + 1);
    const PickledValue& value = stack_.back();
    const bool has_items = value.kind == Kind::kTuple || value.kind == Kind::kList || value.kind == Kind::kDict;
    memo_[index].reset();
    if (!has_items) memo_[index] = value;
  }

  void Recall(size_t index) {
    if (index >= memo_.size() || !memo_[index]) return void(Refuse());
    Push(*memo_[index]);
  }

  size_t Refuse() {
    ok_ = false;
    return 0;
  }

  const size_t size_;
  std::string_view left_;
  std::vector<PickledValue> stack_;
  std::vector<size_t> marks_;
  std::vector<std::optional<PickledValue>> memo_;
  bool ok_ = true;
};

}  // namespace

std::optional<PickledValue> Unpickle(std::string_view bytes) { return Machine(bytes).Run(); }

}  // namespace howdah::frameworks::horovod
