// A hash of all actions that a simulated core ordered. Two runs of the same seed must have the same hash.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <type_traits>
#include <vector>

#include "howdah/base/boxed.h"
#include "howdah/base/exit_status.h"
#include "howdah/core/action.h"

namespace howdah::testing::sim {

class Digest {
 public:
  void Add(Instant time, const core::Action& action);
  uint64_t value() const { return value_; }

 private:
  void Put(std::string_view text) {
    for (const char c : text) Byte(static_cast<unsigned char>(c));
    Byte(0xff);
  }
  template <typename T>
  requires(std::is_integral_v<T> || std::is_enum_v<T>) void Put(T number) { Word(static_cast<uint64_t>(number)); }
  void Put(Instant time) { Word(static_cast<uint64_t>(time.time_since_epoch().count())); }
  template <typename T>
  void Put(const std::optional<T>& value) {
    Word(value.has_value());
    if (value) Put(*value);
  }
  template <typename T>
  void Put(const Boxed<T>& value) {
    Put(std::optional<T>(value));
  }
  template <typename T>
  void Put(const std::vector<T>& values) {
    Word(values.size());
    for (const T& value : values) Put(value);
  }
  void Put(const ExitStatus& exit) { All(exit.code, exit.signal); }
  void Put(const core::Cause& c) { All(c.kind, c.role, c.index, c.attempt); }
  void Put(const core::CheckpointCost& c) { All(c.count, c.time.count()); }
  void Put(const core::TaskProgress& p) {
    All(p.step, p.checkpoint, p.checkpoint_at, p.at, p.steps, p.checkpoint_cost);
  }
  void Put(const core::RequestContainers::Ask& ask) { All(ask.role, ask.count); }
  template <typename... T>
  void All(const T&... values) {
    (Put(values), ...);
  }
  // FNV-1a.
  void Byte(unsigned char byte) { value_ = (value_ ^ byte) * 0x100000001b3; }
  void Word(uint64_t word) { value_ = ((value_ ^ word) * 0x100000001b3) ^ (value_ >> 29); }

  uint64_t value_ = 0xcbf29ce484222325;

  friend struct Digester;
};

}  // namespace howdah::testing::sim
