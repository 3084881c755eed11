#include "howdah/hadoop/principals/protection.h"

#include <algorithm>
#include <array>

#include "lower_case.h"

namespace howdah::hadoop::principals {
namespace {

constexpr std::array kAll{Protection::kAuthentication, Protection::kIntegrity, Protection::kPrivacy};

}  // namespace

std::string ToText(Protection protection) {
  switch (protection) {
    case Protection::kAuthentication:
      return "authentication";
    case Protection::kIntegrity:
      return "integrity";
    case Protection::kPrivacy:
      break;
  }
  return "privacy";
}

Result<Protection> WeakestOf(const std::vector<std::string>& words) {
  size_t weakest = kAll.size();
  for (const std::string& word : words) {
    size_t found = kAll.size();
    for (size_t i = 0; i < kAll.size(); ++i) {
      if (LowerCase(word) == ToText(kAll[i])) found = i;
    }
    if (found == kAll.size()) {
      return Error{ErrorCode::kUsage, "'" + word + "' is not a protection; write authentication, integrity or privacy"};
    }
    weakest = std::min(weakest, found);
  }
  if (weakest == kAll.size()) {
    return Error{ErrorCode::kUsage, "the list is empty; write authentication, integrity or privacy"};
  }
  return kAll[weakest];
}

std::string OffersText(int mask) {
  std::string text;
  for (const Protection protection : kAll) {
    if ((mask & static_cast<int>(protection)) == 0) continue;
    text += (text.empty() ? "" : ", ") + ToText(protection);
  }
  return text.empty() ? "nothing" : text;
}

}  // namespace howdah::hadoop::principals
