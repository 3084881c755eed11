// An optional value that lives on the heap.
#pragma once

#include <memory>
#include <optional>
#include <utility>

namespace howdah {

// Like std::optional<T>, but an empty object needs only the size of a pointer. Intended for large members that are
// rarely set, in types of which many objects exist. A copy has its own value.
template <typename T>
class Boxed {
 public:
  Boxed() = default;
  Boxed(std::nullopt_t) {}
  Boxed(T value) : value_(std::make_unique<T>(std::move(value))) {}
  Boxed(std::optional<T> value) : value_(value ? std::make_unique<T>(*std::move(value)) : nullptr) {}
  Boxed(const Boxed& other) : value_(other ? std::make_unique<T>(*other) : nullptr) {}
  Boxed(Boxed&&) noexcept = default;
  Boxed& operator=(Boxed other) noexcept {
    value_ = std::move(other.value_);
    return *this;
  }
  ~Boxed() = default;

  explicit operator bool() const { return value_ != nullptr; }
  T& operator*() { return *value_; }
  T* operator->() { return value_.get(); }
  const T& operator*() const { return *value_; }
  const T* operator->() const { return value_.get(); }
  operator std::optional<T>() const { return value_ ? std::optional<T>(*value_) : std::nullopt; }

  friend bool operator==(const Boxed& a, const Boxed& b) {
    return a.value_ == nullptr || b.value_ == nullptr ? a.value_ == b.value_ : *a == *b;
  }

 private:
  std::unique_ptr<T> value_;
};

}  // namespace howdah
