#include "gss_context.h"

#include <gssapi/gssapi.h>
#include <gssapi/gssapi_krb5.h>

#include <algorithm>
#include <limits>

namespace howdah::hadoop::kerberos {
namespace {

constexpr OM_uint32 kFlags =
    GSS_C_MUTUAL_FLAG | GSS_C_REPLAY_FLAG | GSS_C_SEQUENCE_FLAG | GSS_C_INTEG_FLAG | GSS_C_CONF_FLAG;

gss_buffer_desc Input(std::string_view bytes) {
  return {bytes.size(), const_cast<char*>(bytes.data())};  // GSSAPI does not change its input
}

// A buffer that GSSAPI has allocated.
class Buffer {
 public:
  Buffer() = default;
  ~Buffer() {
    OM_uint32 minor = 0;
    gss_release_buffer(&minor, &buffer_);
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  gss_buffer_t out() { return &buffer_; }
  std::string text() const {
    return buffer_.length == 0 ? std::string() : std::string(static_cast<const char*>(buffer_.value), buffer_.length);
  }

 private:
  gss_buffer_desc buffer_ = GSS_C_EMPTY_BUFFER;
};

std::string StatusText(OM_uint32 code, int type) {
  std::string text;
  OM_uint32 more = 0, minor = 0;
  do {
    Buffer message;
    if (GSS_ERROR(gss_display_status(&minor, code, type, gss_mech_krb5, &more, message.out()))) break;
    text += (text.empty() ? "" : "; ") + message.text();
  } while (more != 0);
  return text;
}

Error GssError(const std::string& doing, OM_uint32 major, OM_uint32 minor) {
  const std::string why = StatusText(major, GSS_C_GSS_CODE), detail = StatusText(minor, GSS_C_MECH_CODE);
  return Failed(doing + ": " + why + (minor == 0 ? "" : " (" + detail + ")"));
}

class GssContext final : public SecurityContext {
 public:
  GssContext() = default;
  ~GssContext() override {
    OM_uint32 minor = 0;
    if (context_ != GSS_C_NO_CONTEXT) gss_delete_sec_context(&minor, &context_, GSS_C_NO_BUFFER);
    if (target_ != GSS_C_NO_NAME) gss_release_name(&minor, &target_);
    if (credential_ != GSS_C_NO_CREDENTIAL) gss_release_cred(&minor, &credential_);
  }
  GssContext(const GssContext&) = delete;
  GssContext& operator=(const GssContext&) = delete;

  Status Begin(krb5_ccache tickets, const std::string& service) {
    service_ = service;
    OM_uint32 minor = 0;
    OM_uint32 major = gss_krb5_import_cred(&minor, tickets, nullptr, nullptr, &credential_);
    if (GSS_ERROR(major)) return GssError("using the Kerberos ticket", major, minor);
    gss_buffer_desc name = Input(service_);
    major = gss_import_name(&minor, &name, GSS_KRB5_NT_PRINCIPAL_NAME, &target_);
    if (GSS_ERROR(major)) return GssError("using the principal " + service_, major, minor);
    HOWDAH_TRY(first_token_, Next(""));
    return {};
  }

  const std::string& first_token() const override { return first_token_; }
  bool complete() const override { return complete_; }

  Result<std::string> Step(std::string_view token) override {
    if (complete_) return Failed("the server sent a token after the end of the authentication");
    return Next(token);
  }

  Result<std::string> Wrap(std::string_view bytes, bool confidential) override {
    gss_buffer_desc input = Input(bytes);
    Buffer output;
    OM_uint32 minor = 0;
    int encrypted = 0;
    const OM_uint32 major =
        gss_wrap(&minor, context_, confidential ? 1 : 0, GSS_C_QOP_DEFAULT, &input, &encrypted, output.out());
    if (GSS_ERROR(major)) return GssError("protecting a message", major, minor);
    if (confidential && encrypted == 0) return Failed("protecting a message: it was not encrypted");
    return output.text();
  }

  Result<Unwrapped> Unwrap(std::string_view token) override {
    gss_buffer_desc input = Input(token);
    Buffer output;
    OM_uint32 minor = 0;
    int encrypted = 0;
    const OM_uint32 major = gss_unwrap(&minor, context_, &input, output.out(), &encrypted, nullptr);
    // Also refuses messages that are repeated or out of order, which are not errors of gss_unwrap.
    if (major != GSS_S_COMPLETE) return GssError("reading a protected message of " + service_, major, minor);
    return Unwrapped{output.text(), encrypted != 0};
  }

  Result<size_t> WrapLimit(size_t max_token, bool confidential) const override {
    OM_uint32 minor = 0, limit = 0;
    const auto most = static_cast<OM_uint32>(std::min<size_t>(max_token, std::numeric_limits<OM_uint32>::max()));
    const OM_uint32 major =
        gss_wrap_size_limit(&minor, context_, confidential ? 1 : 0, GSS_C_QOP_DEFAULT, most, &limit);
    if (GSS_ERROR(major)) return GssError("preparing protected messages", major, minor);
    return limit;
  }

 private:
  Result<std::string> Next(std::string_view token) {
    gss_buffer_desc input = Input(token);
    Buffer output;
    OM_uint32 minor = 0, flags = 0;
    const OM_uint32 major =
        gss_init_sec_context(&minor, credential_, &context_, target_, const_cast<gss_OID>(gss_mech_krb5), kFlags, 0,
                             GSS_C_NO_CHANNEL_BINDINGS, &input, nullptr, output.out(), &flags, nullptr);
    if (GSS_ERROR(major)) return GssError("authenticating to " + service_, major, minor);
    complete_ = (major & GSS_S_CONTINUE_NEEDED) == 0;
    if (complete_ && (flags & kFlags) != kFlags) {
      return Failed("authenticating to " + service_ + ": the server did not prove its identity");
    }
    return output.text();
  }

  std::string service_, first_token_;
  gss_ctx_id_t context_ = GSS_C_NO_CONTEXT;
  gss_name_t target_ = GSS_C_NO_NAME;
  gss_cred_id_t credential_ = GSS_C_NO_CREDENTIAL;
  bool complete_ = false;
};

}  // namespace

Result<std::unique_ptr<SecurityContext>> BeginContext(krb5_ccache tickets, const std::string& service) {
  auto context = std::make_unique<GssContext>();
  HOWDAH_TRY_STATUS(context->Begin(tickets, service));
  return std::unique_ptr<SecurityContext>(std::move(context));
}

}  // namespace howdah::hadoop::kerberos
