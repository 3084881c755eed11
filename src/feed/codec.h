// The encoding of records: whole numbers in a variable number of bytes, small ones in one; lists with their length
// first. Types list their fields once, for both directions: Fields(codec, value) calls codec(value.a, value.b).
#pragma once

#include <chrono>
#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "howdah/base/time.h"
#include "howdah/feed/row_ranges.h"

namespace howdah::feed {

template <typename T>
concept Number = std::integral<T> || std::is_enum_v<T>;

class Encoder {
 public:
  template <typename... T>
  void operator()(const T&... values) {
    (Put(values), ...);
  }
  std::string Take() { return std::move(bytes_); }

 private:
  template <Number T>
  void Put(T value) {
    // Negative numbers are small, too: the sign is the lowest bit.
    const auto wide = static_cast<int64_t>(value);
    uint64_t rest = (static_cast<uint64_t>(wide) << 1) ^ static_cast<uint64_t>(wide >> 63);
    for (; rest >= 0x80; rest >>= 7) bytes_ += static_cast<char>(rest | 0x80);
    bytes_ += static_cast<char>(rest);
  }
  void Put(const Rows& rows) { (*this)(rows.from, rows.count()); }
  void Put(Instant at) { Put(at.time_since_epoch().count()); }
  void Put(const std::string& text) {
    Put(text.size());
    bytes_ += text;
  }
  template <typename A, typename B>
  void Put(const std::pair<A, B>& value) {
    (*this)(value.first, value.second);
  }
  template <typename T>
  void Put(const std::optional<T>& value) {
    Put(value.has_value());
    if (value) Put(*value);
  }
  template <typename T>
  void Put(const std::vector<T>& values) {
    Put(values.size());
    for (const T& value : values) Put(value);
  }
  template <typename K, typename V>
  void Put(const std::map<K, V>& values) {
    Put(values.size());
    for (const auto& [key, value] : values) (*this)(key, value);
  }
  template <typename T>
  requires requires(Encoder& codec, const T& value) { T::Fields(codec, value); }
  void Put(const T& value) { T::Fields(*this, value); }

  std::string bytes_;
};

// After an error every value is 0 or empty, and ok() is false.
class Decoder {
 public:
  explicit Decoder(std::string_view bytes) : rest_(bytes) {}

  template <typename... T>
  void operator()(T&... values) {
    (Get(values), ...);
  }
  bool ok() const { return ok_; }
  // Whether all bytes were used, without an error.
  bool complete() const { return ok_ && rest_.empty(); }

 private:
  template <Number T>
  void Get(T& value) {
    uint64_t number = 0;
    for (int shift = 0; ok_; shift += 7) {
      if (rest_.empty() || shift > 63) return Fail(value);
      const auto byte = static_cast<unsigned char>(rest_.front());
      rest_.remove_prefix(1);
      number |= static_cast<uint64_t>(byte & 0x7f) << shift;
      if (byte < 0x80) break;
    }
    const auto wide = static_cast<int64_t>((number >> 1) ^ (~(number & 1) + 1));
    if constexpr (std::is_enum_v<T>) {
      value = static_cast<T>(wide);
    } else {
      value = static_cast<T>(wide);
      if (static_cast<int64_t>(value) != wide) Fail(value);
    }
  }
  void Get(Rows& rows) {
    int64_t count = 0;
    (*this)(rows.from, count);
    // Checked here, because the sum of damaged numbers could overflow.
    if (rows.from < 0 || rows.from > kMostRows || count < 0 || count > kMostRows) return Fail(rows);
    rows.to = rows.from + count;
  }
  void Get(Instant& at) {
    int64_t count = 0;
    Get(count);
    at = Instant(Duration(count));
  }
  void Get(std::string& text) {
    const size_t size = Size();
    text = rest_.substr(0, size);
    rest_.remove_prefix(size);
  }
  template <typename A, typename B>
  void Get(std::pair<A, B>& value) {
    (*this)(value.first, value.second);
  }
  template <typename T>
  void Get(std::optional<T>& value) {
    bool has = false;
    Get(has);
    value.reset();
    if (has) Get(value.emplace());
  }
  template <typename T>
  void Get(std::vector<T>& values) {
    for (size_t left = Size(); left > 0 && ok_; --left) Get(values.emplace_back());
  }
  template <typename K, typename V>
  void Get(std::map<K, V>& values) {
    for (size_t left = Size(); left > 0 && ok_; --left) {
      K key{};
      Get(key);
      Get(values[key]);
    }
  }
  template <typename T>
  requires requires(Decoder& codec, T& value) { T::Fields(codec, value); }
  void Get(T& value) { T::Fields(*this, value); }
  // A list has at least one byte per entry, so a damaged size cannot ask for more memory than the record justifies.
  size_t Size() {
    size_t size = 0;
    Get(size);
    if (size > rest_.size()) Fail(size);
    return size;
  }
  template <typename T>
  void Fail(T& value) {
    ok_ = false;
    rest_ = {};
    value = {};
  }

  std::string_view rest_;
  bool ok_ = true;
};

}  // namespace howdah::feed
