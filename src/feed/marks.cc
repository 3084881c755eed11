#include "marks.h"

#include <algorithm>

#include "howdah/feed/ledger.h"

namespace howdah::feed {

void Marks::Add(int64_t step, Position position) {
  auto at = std::lower_bound(marks_.begin(), marks_.end(), step,
                             [](const Mark& mark, int64_t wanted) { return mark.step < wanted; });
  if (at == marks_.end() || at->step != step) at = marks_.insert(at, {step, position});
  at->position = std::min(at->position, position);
  if (at + 1 != marks_.end()) at->position = std::min(at->position, (at + 1)->position);
  for (auto earlier = at; earlier != marks_.begin() && (earlier - 1)->position > at->position; --earlier) {
    (earlier - 1)->position = at->position;
  }
  if (marks_.size() <= kMostMarks) return;
  size_t kept = 0;
  for (size_t i = marks_.size() % 2 == 0; i < marks_.size(); i += 2) marks_[kept++] = marks_[i];
  marks_.resize(kept);
}

std::optional<Position> Marks::At(int64_t step) const {
  const auto after = std::upper_bound(marks_.begin(), marks_.end(), step,
                                      [](int64_t wanted, const Mark& mark) { return wanted < mark.step; });
  return after == marks_.begin() ? std::nullopt : std::optional((after - 1)->position);
}

bool Marks::Has(int64_t step) const {
  return std::any_of(marks_.begin(), marks_.end(), [step](const Mark& mark) { return mark.step == step; });
}

std::optional<int64_t> Marks::Oldest(int64_t pass) const {
  const auto first = std::partition_point(marks_.begin(), marks_.end(),
                                          [pass](const Mark& mark) { return mark.position.pass < pass; });
  return first != marks_.end() && first->position.pass == pass ? std::optional(first->position.rows) : std::nullopt;
}

void Marks::DropTo(Position position) {
  std::erase_if(marks_, [&](const Mark& mark) { return mark.position <= position; });
}

void Marks::DropAbove(int64_t step, Position position) {
  std::erase_if(marks_, [&](const Mark& mark) { return mark.step <= step && mark.position > position; });
}

void Marks::DropPass(int64_t pass) {
  std::erase_if(marks_, [pass](const Mark& mark) { return mark.position.pass == pass; });
}

bool Marks::valid() const {
  for (size_t i = 1; i < marks_.size(); ++i) {
    if (marks_[i].step <= marks_[i - 1].step || marks_[i].position < marks_[i - 1].position) return false;
  }
  return true;
}

}  // namespace howdah::feed
