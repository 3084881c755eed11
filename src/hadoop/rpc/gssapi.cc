#include "gssapi.h"

#include <utility>

namespace howdah::hadoop::rpc {
namespace {

using principals::Protection;

// The size of our receive buffer, as in Java's client. Hadoop's servers send larger tokens if an answer is larger.
constexpr size_t kMaxToken = 65536;
constexpr size_t kOfferSize = 4;  // the layers, then 3 bytes for the server's largest token

}  // namespace

Gssapi::Gssapi(std::unique_ptr<kerberos::SecurityContext> context, Protection weakest, std::string weakest_from)
    : context_(std::move(context)), weakest_(weakest), weakest_from_(std::move(weakest_from)) {}
Gssapi::~Gssapi() = default;

Result<std::string> Gssapi::Start(const std::optional<std::string>&) { return context_->first_token(); }

Result<std::string> Gssapi::Step(std::string_view challenge) {
  if (!context_->complete()) return context_->Step(challenge);
  if (chosen_) return Failed("the server sent a challenge after the choice of the protection");
  return ChooseLayer(challenge);
}

Result<std::string> Gssapi::ChooseLayer(std::string_view challenge) {
  HOWDAH_TRY(const auto unwrapped, context_->Unwrap(challenge));
  const std::string& offer = unwrapped.bytes;
  if (offer.size() != kOfferSize) return Failed("the server's offer of protections is unreadable");
  const int layers = static_cast<unsigned char>(offer[0]);
  size_t most = 0;
  for (size_t i = 1; i < kOfferSize; ++i) most = most << 8 | static_cast<unsigned char>(offer[i]);
  bool found = false;
  for (const Protection protection : {Protection::kAuthentication, Protection::kIntegrity, Protection::kPrivacy}) {
    if ((layers & static_cast<int>(protection)) == 0) continue;
    protection_ = protection;
    found = true;
  }
  if (!found || protection_ < weakest_) {
    return Failed("the server offers only the protection " + principals::OffersText(layers) + ", but " + weakest_from_ +
                  " requires at least " + principals::ToText(weakest_));
  }
  const bool wraps = protection_ != Protection::kAuthentication;
  if (wraps) {
    HOWDAH_TRY(wrap_size_, context_->WrapLimit(most, confidential()));
    if (wrap_size_ == 0) return Failed("the server limits messages to " + std::to_string(most) + " bytes");
  }
  chosen_ = true;
  std::string choice(1, static_cast<char>(protection_));
  for (const int shift : {16, 8, 0}) choice += static_cast<char>((wraps ? kMaxToken : 0) >> shift);
  return context_->Wrap(choice, false);
}

Status Gssapi::Finish(const std::optional<std::string>& token) {
  if (!chosen_) return Failed("the server ended the authentication before it proved its identity");
  if (token && !token->empty()) return Failed("the server sent an unexpected token at the end of the authentication");
  return {};
}

size_t Gssapi::wrap_size() const { return wrap_size_; }

Result<std::string> Gssapi::Wrap(std::string_view bytes) { return context_->Wrap(bytes, confidential()); }

Result<std::string> Gssapi::Unwrap(std::string_view token) {
  HOWDAH_TRY(auto unwrapped, context_->Unwrap(token));
  if (confidential() && !unwrapped.confidential) return Failed("the server sent a message that is not encrypted");
  return std::move(unwrapped.bytes);
}

}  // namespace howdah::hadoop::rpc
