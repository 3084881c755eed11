#include "howdah/admission/resources.h"

#include "howdah/base/bytes.h"
#include "howdah/base/text.h"

namespace howdah::admission {
namespace {

constexpr int kMibShift = 20;

}  // namespace

Resources& Resources::operator+=(const Resources& more) {
  memory_mib += more.memory_mib;
  vcores += more.vcores;
  gpus += more.gpus;
  for (const auto& [type, amount] : more.others) {
    if ((others[type] += amount) == 0) others.erase(type);
  }
  return *this;
}

Resources& Resources::operator-=(const Resources& less) { return *this += less * -1; }

Resources operator*(Resources a, int64_t times) {
  a.memory_mib *= times;
  a.vcores *= times;
  a.gpus *= times;
  for (auto& [type, amount] : a.others) amount *= times;
  if (times == 0) a.others.clear();
  return a;
}

bool Fits(const Resources& wanted, const Resources& room) {
  const auto fits = [](int64_t some, int64_t all) { return some <= 0 || some <= all; };
  for (const auto& [type, amount] : wanted.others) {
    const auto found = room.others.find(type);
    if (!fits(amount, found == room.others.end() ? 0 : found->second)) return false;
  }
  return fits(wanted.memory_mib, room.memory_mib) && fits(wanted.vcores, room.vcores) && fits(wanted.gpus, room.gpus);
}

std::string ToText(const Resources& each, int64_t count) {
  std::string text = count == 1 ? "" : std::to_string(count) + " × ";
  text += FormatBytes(each.memory_mib << kMibShift);
  if (each.vcores != 0) text += ", " + CountOf(each.vcores, "vcore");
  if (each.gpus != 0) text += ", " + CountOf(each.gpus, "GPU");
  for (const auto& [type, amount] : each.others) text += ", " + std::to_string(amount) + " " + type;
  return text;
}

}  // namespace howdah::admission
