#include "kdc_keys.h"

#include <algorithm>
#include <cstddef>

namespace howdah::hadoop::kerberos {
namespace {

// Tags of DER (X.690): universal types, and classes for context ([0]) and applications.
constexpr int kInteger = 0x02, kOctets = 0x04, kSequence = 0x30;
constexpr int Context(int number) { return 0xa0 | number; }
constexpr int Application(int number) { return 0x60 | number; }

constexpr int kAsReply = Application(11), kKrbError = Application(30);
constexpr int64_t kEtypeInfo2 = 19;  // PA-ETYPE-INFO2

// The elements of one constructed value, in turn.
class Elements {
 public:
  explicit Elements(std::string_view bytes) : rest_(bytes) {}

  // Moves to the next element. Returns false at the end, and for malformed bytes.
  bool Next() {
    if (rest_.size() < 2) return false;
    tag_ = static_cast<unsigned char>(rest_[0]);
    size_t size = static_cast<unsigned char>(rest_[1]), header = 2;
    if (size >= 0x80) {
      const size_t bytes = size & 0x7f;
      if (bytes == 0 || bytes > 4 || rest_.size() < 2 + bytes) return false;
      size = 0;
      for (; header < 2 + bytes; ++header) size = size << 8 | static_cast<unsigned char>(rest_[header]);
    }
    if (rest_.size() - header < size) return false;
    content_ = rest_.substr(header, size);
    rest_.remove_prefix(header + size);
    return true;
  }
  int tag() const { return tag_; }
  std::string_view content() const { return content_; }

 private:
  std::string_view rest_, content_;
  int tag_ = 0;
};

// The content of the first element with this tag; empty if there is none.
std::string_view Find(std::string_view bytes, int tag) {
  Elements elements(bytes);
  while (elements.Next()) {
    if (elements.tag() == tag) return elements.content();
  }
  return {};
}

// The integer in the field [number] of a sequence.
std::optional<int64_t> Number(std::string_view sequence, int number) {
  const std::string_view digits = Find(Find(sequence, Context(number)), kInteger);
  if (digits.empty() || digits.size() > 8) return std::nullopt;
  int64_t value = static_cast<signed char>(digits[0]);
  for (const char digit : digits.substr(1)) value = value * 256 + static_cast<unsigned char>(digit);
  return value;
}

void AddType(std::optional<int64_t> type, KdcKeys& keys) {
  if (!type || *type != static_cast<int32_t>(*type)) return;
  const auto number = static_cast<int32_t>(*type);
  if (std::ranges::find(keys.types, number) == keys.types.end()) keys.types.push_back(number);
}

KdcKeys OfReply(std::string_view reply) {
  const std::string_view encrypted = Find(Find(reply, Context(6)), kSequence);  // enc-part
  KdcKeys keys;
  AddType(Number(encrypted, 0), keys);
  if (const auto version = Number(encrypted, 1); version && *version >= 0 && !keys.types.empty()) {
    keys.version = static_cast<uint32_t>(*version);
  }
  return keys;
}

KdcKeys OfError(std::string_view error) {
  KdcKeys keys;
  const std::string_view data = Find(Find(error, Context(12)), kOctets);  // e-data: METHOD-DATA
  Elements methods(Find(data, kSequence));
  while (methods.Next()) {
    if (Number(methods.content(), 1) != kEtypeInfo2) continue;
    Elements entries(Find(Find(Find(methods.content(), Context(2)), kOctets), kSequence));
    while (entries.Next()) AddType(Number(entries.content(), 0), keys);
  }
  return keys;
}

}  // namespace

KdcKeys KeysIn(std::string_view answer) {
  Elements message(answer);
  if (!message.Next()) return {};
  const std::string_view fields = Find(message.content(), kSequence);
  if (message.tag() == kAsReply) return OfReply(fields);
  return message.tag() == kKrbError ? OfError(fields) : KdcKeys();
}

}  // namespace howdah::hadoop::kerberos
