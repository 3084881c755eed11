// Owners of libkrb5's objects.
#pragma once

#include <krb5.h>
#include <profile.h>

#include <string>
#include <string_view>
#include <utility>

namespace howdah::hadoop::kerberos {

// An object that must be freed with the context that made it, which must outlive it.
template <typename T, auto kFree>
class Owned {
 public:
  explicit Owned(krb5_context context) : context_(context) {}
  ~Owned() {
    if (object_ != nullptr) kFree(context_, object_);
  }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  T get() const { return object_; }
  T* out() { return &object_; }
  T operator->() const { return object_; }

 private:
  krb5_context context_;
  T object_ = nullptr;
};

using OwnedPrincipal = Owned<krb5_principal, krb5_free_principal>;
using OwnedCache = Owned<krb5_ccache, krb5_cc_close>;
using OwnedKeytab = Owned<krb5_keytab, krb5_kt_close>;
using OwnedInitCreds = Owned<krb5_init_creds_context, krb5_init_creds_free>;
using OwnedTicketCreds = Owned<krb5_tkt_creds_context, krb5_tkt_creds_free>;
using OwnedOptions = Owned<krb5_get_init_creds_opt*, krb5_get_init_creds_opt_free>;
using OwnedKrbError = Owned<krb5_error*, krb5_free_error>;

// Bytes that libkrb5 has allocated.
class OwnedData {
 public:
  explicit OwnedData(krb5_context context) : context_(context) {}
  ~OwnedData() { krb5_free_data_contents(context_, &data_); }
  OwnedData(const OwnedData&) = delete;
  OwnedData& operator=(const OwnedData&) = delete;
  krb5_data* out() { return &data_; }
  std::string text() const { return data_.data == nullptr ? std::string() : std::string(data_.data, data_.length); }

 private:
  krb5_context context_;
  krb5_data data_{};
};

class OwnedCreds {
 public:
  explicit OwnedCreds(krb5_context context) : context_(context) {}
  ~OwnedCreds() { krb5_free_cred_contents(context_, &creds_); }
  OwnedCreds(const OwnedCreds&) = delete;
  OwnedCreds& operator=(const OwnedCreds&) = delete;
  krb5_creds* out() { return &creds_; }
  krb5_creds* operator->() { return &creds_; }

 private:
  krb5_context context_;
  krb5_creds creds_{};
};

// A view for functions that do not change their input.
inline krb5_data View(std::string_view bytes) {
  krb5_data data{};
  data.data = const_cast<char*>(bytes.data());
  data.length = static_cast<unsigned>(bytes.size());
  return data;
}

inline std::string NameOf(krb5_context context, krb5_const_principal principal) {
  char* text = nullptr;
  if (principal == nullptr || krb5_unparse_name(context, principal, &text) != 0) return "(unreadable principal)";
  std::string name = text;
  krb5_free_unparsed_name(context, text);
  return name;
}

// The time of a ticket: 32 bits without a sign, as MIT krb5 reads it after 2038.
inline int64_t Seconds(krb5_timestamp time) { return static_cast<uint32_t>(time); }

}  // namespace howdah::hadoop::kerberos
