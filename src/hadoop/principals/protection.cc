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

Result<int> MaskOf(const std::vector<std::string>& words) {
  int mask = 0;
  for (const std::string& word : words) {
    const auto* const found =
        std::ranges::find_if(kAll, [&](Protection protection) { return LowerCase(word) == ToText(protection); });
    if (found == kAll.end()) {
      return Error{ErrorCode::kUsage, "'" + word + "' is not a protection; write authentication, integrity or privacy"};
    }
    mask |= static_cast<int>(*found);
  }
  if (mask == 0) return Error{ErrorCode::kUsage, "the list is empty; write authentication, integrity or privacy"};
  return mask;
}

Result<Protection> WeakestOf(const std::vector<std::string>& words) {
  HOWDAH_TRY(const int mask, MaskOf(words));
  return static_cast<Protection>(mask & -mask);
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
