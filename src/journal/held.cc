#include "howdah/journal/held.h"

#include <algorithm>
#include <array>

namespace howdah::journal {
namespace {

constexpr std::array<std::string_view, static_cast<size_t>(Bucket::kCount)> kBucketWords = {
    "waiting", "localization", "start", "rendezvous", "useful", "lost", "recovering", "tail"};

ResourceTime Product(int64_t amount, Duration time) {
  return ResourceTime{std::clamp<int64_t>(amount, 0, kMostGranted)} * time.count();
}

}  // namespace

std::string_view ToText(Bucket bucket) { return kBucketWords[static_cast<size_t>(bucket)]; }

Held& Held::operator+=(const Held& more) {
  memory += more.memory;
  vcores += more.vcores;
  gpus += more.gpus;
  for (const auto& [type, time] : more.others) {
    if ((others[type] += time) == 0) others.erase(type);
  }
  return *this;
}

Held& Held::operator-=(const Held& less) {
  memory -= less.memory;
  vcores -= less.vcores;
  gpus -= less.gpus;
  for (const auto& [type, time] : less.others) {
    if ((others[type] -= time) == 0) others.erase(type);
  }
  return *this;
}

Held Over(const core::Resources& granted, Duration time) {
  Held held{Product(granted.memory_bytes, time), Product(granted.vcores, time), Product(granted.gpus, time), {}};
  for (const auto& [type, amount] : granted.others) {
    if (const ResourceTime product = Product(amount, time); product != 0) held.others[type] = product;
  }
  return held;
}

double Seconds(ResourceTime time) { return static_cast<double>(time) / 1e6; }

double GibSeconds(ResourceTime time) { return Seconds(time) / static_cast<double>(int64_t{1} << 30); }

}  // namespace howdah::journal
