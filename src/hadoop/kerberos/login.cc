#include "howdah/hadoop/kerberos/login.h"

#include <algorithm>
#include <chrono>
#include <mutex>
#include <utility>

#include "cache.h"
#include "gss_context.h"
#include "handles.h"
#include "kdc_keys.h"
#include "keytab.h"
#include "session.h"

namespace howdah::hadoop::kerberos {
namespace {

constexpr Duration kMargin = std::chrono::minutes(1);  // a ticket that is valid for less counts as expired

}  // namespace

class Login::Impl {
 public:
  explicit Impl(LoginOptions options) : options_(std::move(options)) {}
  ~Impl() {
    if (tickets_ != nullptr) krb5_cc_destroy(session_->context(), tickets_);
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;

  Result<Ticket> Authenticate(int cancel_fd) {
    const std::lock_guard lock(mutex_);
    HOWDAH_TRY_STATUS(Open());
    return Renew(Limits(cancel_fd));
  }

  Result<std::unique_ptr<SecurityContext>> OpenContext(const principals::Principal& service, int cancel_fd) {
    const std::lock_guard lock(mutex_);
    HOWDAH_TRY_STATUS(Open());
    const Waiting waiting = Limits(cancel_fd);
    HOWDAH_TRY(const Ticket ticket, Renew(waiting));
    HOWDAH_TRY_STATUS(GetServiceTicket(ticket, service.Text(), waiting));
    return BeginContext(tickets_, service.Text());
  }

  Result<std::string> RealmOf(const std::string& host) {
    const std::lock_guard lock(mutex_);
    HOWDAH_TRY_STATUS(Open());
    char** realms = nullptr;
    std::string realm;
    if (krb5_get_host_realm(session_->context(), host.c_str(), &realms) == 0) {
      if (realms != nullptr && realms[0] != nullptr) realm = realms[0];
      krb5_free_host_realm(session_->context(), realms);
    }
    if (!realm.empty()) return realm;
    return session_->DefaultRealm();
  }

  Result<std::string> DefaultRealm() {
    const std::lock_guard lock(mutex_);
    HOWDAH_TRY_STATUS(Open());
    return session_->DefaultRealm();
  }

  std::vector<KdcAnswer> answers() {
    const std::lock_guard lock(mutex_);
    return session_ ? session_->answers() : std::vector<KdcAnswer>();
  }

 private:
  Waiting Limits(int cancel_fd) const {
    return {std::chrono::steady_clock::now() + options_.limit, options_.limit_per_kdc, cancel_fd};
  }

  Status Open() {
    if (session_) return {};
    HOWDAH_TRY(auto session, Session::Open(options_.configuration));
    if (const auto code = krb5_cc_new_unique(session->context(), "MEMORY", nullptr, &tickets_); code != 0) {
      return Failed("preparing a cache for Kerberos tickets: " + session->Text(code));
    }
    session_ = std::move(session);
    return {};
  }

  Result<Ticket> Renew(const Waiting& waiting) {
    const Instant now = Now();
    if (ticket_ && ticket_->expires >= now + kMargin) return *ticket_;
    ticket_.reset();
    if (!options_.keytab.empty()) {
      HOWDAH_TRY(ticket_, FromKeytab(options_.keytab, waiting));
      return *ticket_;
    }
    auto cached = CopyCache(*session_, options_.cache, options_.principal, now, kMargin, tickets_);
    if (!cached && !options_.client_keytab.empty()) cached = FromKeytab(options_.client_keytab, waiting);
    if (cached) ticket_ = *cached;
    return cached;
  }

  Result<Ticket> FromKeytab(const std::string& name, const Waiting& waiting) {
    HOWDAH_TRY(const std::string path, CheckKeytabFile(name));
    const krb5_context context = session_->context();
    HOWDAH_TRY(auto keys, KeysOf(context, path));
    const std::string wanted = options_.principal.empty() ? keys.front().principal : options_.principal;
    OwnedPrincipal client(context);
    if (const auto code = krb5_parse_name(context, wanted.c_str(), client.out()); code != 0) {
      if (wanted.find('@') == std::string::npos) HOWDAH_TRY_STATUS(HasDefaultRealm());
      return Error{ErrorCode::kUsage, "invalid principal '" + wanted + "': " + session_->Text(code)};
    }
    Facts facts;
    facts.principal = NameOf(context, client.get());
    facts.doing = "logging in as " + facts.principal + " with the keytab " + path;
    facts.keytab = path;
    facts.keys = std::move(keys);
    OwnedKeytab keytab(context);
    OwnedOptions options(context);
    OwnedInitCreds login(context);
    OwnedCreds creds(context);
    krb5_error_code code = krb5_kt_resolve(context, ("FILE:" + path).c_str(), keytab.out());
    if (code == 0) code = krb5_get_init_creds_opt_alloc(context, options.out());
    if (code == 0) {
      krb5_get_init_creds_opt_set_proxiable(options.get(), 0);
      krb5_get_init_creds_opt_set_forwardable(options.get(), 0);
      code = krb5_init_creds_init(context, client.get(), nullptr, nullptr, 0, options.get(), login.out());
    }
    if (code == 0) code = krb5_init_creds_set_keytab(context, login.get(), keytab.get());
    if (code != 0) return session_->Explained(code, facts);
    HOWDAH_TRY(code, session_->Run(
                         [&](krb5_data* in, krb5_data* out, krb5_data* realm, unsigned* flags) {
                           return krb5_init_creds_step(context, login.get(), in, out, realm, flags);
                         },
                         waiting));
    if (code == 0) code = krb5_init_creds_get_creds(context, login.get(), creds.out());
    if (code == 0) code = krb5_cc_initialize(context, tickets_, creds->client);
    if (code == 0) code = krb5_cc_store_cred(context, tickets_, creds.out());
    if (code != 0) {
      if (ConcernsKeys(code)) AddKeysOfKdc(client.get(), waiting, facts);
      return session_->Explained(code, facts);
    }
    return Ticket{NameOf(context, creds->client), "the keytab " + path,
                  Instant(std::chrono::seconds(Seconds(creds->times.endtime))), std::nullopt};
  }

  // Whether the keys of keytab and KDC do not match.
  static bool ConcernsKeys(krb5_error_code code) {
    return code == KRB5KDC_ERR_PREAUTH_FAILED || code == KRB5KRB_AP_ERR_BAD_INTEGRITY || code == KRB5_KT_KVNONOTFOUND ||
           code == KRB5KDC_ERR_ETYPE_NOSUPP || code == KRB5_KT_NOTFOUND;
  }

  // Begins another login, which permits all encryption types, because the KDC's first answer describes its keys.
  void AddKeysOfKdc(krb5_principal client, const Waiting& waiting, Facts& facts) {
    const krb5_context context = session_->context();
    krb5_enctype types[] = {ENCTYPE_AES256_CTS_HMAC_SHA1_96,
                            ENCTYPE_AES128_CTS_HMAC_SHA1_96,
                            ENCTYPE_AES256_CTS_HMAC_SHA384_192,
                            ENCTYPE_AES128_CTS_HMAC_SHA256_128,
                            ENCTYPE_CAMELLIA256_CTS_CMAC,
                            ENCTYPE_CAMELLIA128_CTS_CMAC,
                            ENCTYPE_ARCFOUR_HMAC,
                            ENCTYPE_DES3_CBC_SHA1};
    OwnedOptions options(context);
    OwnedInitCreds login(context);
    if (krb5_get_init_creds_opt_alloc(context, options.out()) != 0) return;
    krb5_get_init_creds_opt_set_etype_list(options.get(), types, static_cast<int>(std::size(types)));
    if (krb5_init_creds_init(context, client, nullptr, nullptr, 0, options.get(), login.out()) != 0) return;
    const auto answer = session_->RunFirst(
        [&](krb5_data* in, krb5_data* out, krb5_data* realm, unsigned* flags) {
          return krb5_init_creds_step(context, login.get(), in, out, realm, flags);
        },
        waiting);
    if (!answer.ok()) return;
    const KdcKeys keys = KeysIn(*answer);
    for (const int32_t type : keys.types) facts.kdc_types.push_back(Session::EnctypeName(type));
    facts.kdc_version = keys.version;
  }

  Status HasDefaultRealm() const {
    const auto realm = session_->DefaultRealm();
    return realm ? Status() : Status(realm.error());
  }

  // Puts a ticket for the service into tickets_, unless it is there already.
  Status GetServiceTicket(const Ticket& ticket, const std::string& service, const Waiting& waiting) {
    const krb5_context context = session_->context();
    Facts facts;
    facts.principal = ticket.principal;
    facts.service = service;
    facts.doing = "getting a Kerberos ticket for " + service + " as " + ticket.principal;
    OwnedPrincipal client(context), server(context);
    OwnedTicketCreds request(context);
    krb5_error_code code = krb5_cc_get_principal(context, tickets_, client.out());
    if (code == 0) code = krb5_parse_name(context, service.c_str(), server.out());
    if (code == 0) {
      krb5_creds wanted{};
      wanted.client = client.get();
      wanted.server = server.get();
      code = krb5_tkt_creds_init(context, tickets_, &wanted, 0, request.out());
    }
    if (code != 0) return session_->Explained(code, facts);
    HOWDAH_TRY(code, session_->Run(
                         [&](krb5_data* in, krb5_data* out, krb5_data* realm, unsigned* flags) {
                           return krb5_tkt_creds_step(context, request.get(), in, out, realm, flags);
                         },
                         waiting));
    if (code != 0) return session_->Explained(code, facts);
    return {};
  }

  const LoginOptions options_;
  std::mutex mutex_;                  // protects everything below, and libkrb5's context
  std::unique_ptr<Session> session_;  // null before the first use
  krb5_ccache tickets_ = nullptr;     // in memory
  std::optional<Ticket> ticket_;      // the ticket-granting ticket in tickets_
};

Login::Login(LoginOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
Login::~Login() = default;
Result<Ticket> Login::Authenticate(int cancel_fd) { return impl_->Authenticate(cancel_fd); }
Result<std::unique_ptr<SecurityContext>> Login::OpenContext(const principals::Principal& service, int cancel_fd) {
  return impl_->OpenContext(service, cancel_fd);
}
Result<std::string> Login::RealmOf(const std::string& host) { return impl_->RealmOf(host); }
Result<std::string> Login::DefaultRealm() { return impl_->DefaultRealm(); }
std::vector<KdcAnswer> Login::answers() const { return impl_->answers(); }

}  // namespace howdah::hadoop::kerberos
