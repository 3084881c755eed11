#include "explain.h"

#include <krb5.h>

#include <algorithm>
#include <cerrno>

namespace howdah::hadoop::kerberos {
namespace {

constexpr size_t kListedMax = 8;
constexpr int32_t kNoKcm = KRB5_KCM_NO_SERVER;

std::string Joined(const std::vector<std::string>& texts) {
  std::string joined;
  for (const std::string& text : texts) joined += (joined.empty() ? "" : ", ") + text;
  return joined.empty() ? "none" : joined;
}

std::string RealmOf(const std::string& principal) {
  const size_t at = principal.rfind('@');
  return at == std::string::npos ? "" : principal.substr(at + 1);
}

std::string At(const Facts& facts) { return facts.refusal ? "the KDC " + facts.refusal->address : "the KDC"; }

Error Unavailable(const Facts& facts, const std::string& what, std::string remedy) {
  return Error::WithRemedy(ErrorCode::kUnavailable, facts.doing + ": " + what, std::move(remedy));
}

std::string Keys(const Facts& facts) {
  std::vector<KeytabKey> own;
  for (const KeytabKey& key : facts.keys) {
    if (key.principal == facts.principal) own.push_back(key);
  }
  return Listed(own);
}

// "; the KDC's keys of alice@A have version 3 and the types aes256-cts"; "" if nothing is known.
std::string KeysOfKdc(const Facts& facts) {
  if (facts.kdc_types.empty()) return "";
  return "; the KDC's keys of " + facts.principal + " have " +
         (facts.kdc_version ? "version " + std::to_string(*facts.kdc_version) + " and " : "") + "the types " +
         Joined(facts.kdc_types);
}

Error Skewed(const Facts& facts) {
  std::string what =
      "the clocks differ by more than the " + FormatDuration(facts.skew_allowed) + " that are allowed (clockskew)";
  if (facts.refusal) {
    const Duration ahead = facts.refusal->ahead;
    what = "the clock of this machine is " + FormatDuration(std::chrono::abs(ahead)) +
           (ahead < Duration(0) ? " behind" : " ahead of") + " that of " + At(facts) + ", and " +
           FormatDuration(facts.skew_allowed) + " are allowed (clockskew)";
  }
  return Unavailable(facts, what, "set the clock, for example with chrony or ntp");
}

// The KDC does not know the service, or the realm has no path to the realm of the service.
Error UnknownService(const Facts& facts) {
  const std::string asked = facts.refusal && !facts.refusal->server.empty() ? facts.refusal->server : facts.service;
  if (asked.starts_with("krbtgt/") && RealmOf(facts.service) != RealmOf(facts.principal)) {
    return Unavailable(
        facts,
        At(facts) + " of the realm " + RealmOf(asked) + " has no ticket for " + asked + ", so there is no trust from " +
            RealmOf(facts.principal) + " to " + RealmOf(facts.service),
        "ask the administrators for a trust, or describe the path in [capaths] of " + facts.configuration);
  }
  return Unavailable(
      facts, At(facts) + " does not know the service " + asked,
      "check that the principal of the server, and [domain_realm] in " + facts.configuration + ", are correct");
}

Error NoCommonType(const Facts& facts) {
  const std::string subject = facts.service.empty() ? facts.principal : facts.service;
  std::string what = At(facts) + " and this machine have no encryption type in common for " + subject +
                     ": this machine permits " + Joined(facts.enctypes) + " (permitted_enctypes " +
                     (facts.permitted ? "= " + *facts.permitted + " in " + facts.configuration : "is not set") + ")";
  if (!facts.keytab.empty()) what += ", the keytab has " + Keys(facts);
  what += KeysOfKdc(facts);
  if (facts.refusal && !facts.refusal->text.empty()) what += "; the KDC reports: " + facts.refusal->text;
  return Unavailable(facts, what, "ask an administrator to give " + subject + " a key of one of these types");
}

Error WrongKey(const Facts& facts) {
  if (facts.keytab.empty()) return Unavailable(facts, facts.library_text, "run kinit again");
  return Error::WithRemedy(ErrorCode::kUnavailable,
                           facts.doing + ": " + At(facts) + " has another key for " + facts.principal +
                               " than the keytab, which has " + Keys(facts) + KeysOfKdc(facts) +
                               "; its password or key was changed after the keytab was written",
                           "ask an administrator for a new keytab, or write it again with ktadd or ktutil");
}

}  // namespace

std::string Listed(const std::vector<KeytabKey>& keys) {
  std::vector<std::string> groups;
  std::string last;
  for (const KeytabKey& key : keys) {
    const std::string group = key.principal + " (version " + std::to_string(key.version) + ": ";
    if (group == last) {
      groups.back().insert(groups.back().size() - 1, ", " + key.type);
      continue;
    }
    if (groups.size() == kListedMax) {
      groups.push_back("...");
      break;
    }
    groups.push_back(group + key.type + ")");
    last = group;
  }
  return Joined(groups);
}

Error Explain(int32_t code, const Facts& facts) {
  const std::string realm = RealmOf(facts.principal);
  const std::string reason = facts.refusal && !facts.refusal->text.empty() ? " (" + facts.refusal->text + ")" : "";
  const std::string administrator = "ask the administrator of the realm " + realm;
  switch (code) {
    case KRB5KDC_ERR_C_PRINCIPAL_UNKNOWN:
      return Unavailable(facts, At(facts) + " does not know " + facts.principal + " in the realm " + realm,
                         "check its spelling and realm, or " + administrator + " to create it");
    case KRB5KDC_ERR_CLIENT_REVOKED:
      return Unavailable(facts, facts.principal + " is locked in the realm " + realm + reason,
                         administrator + " to unlock it");
    case KRB5KDC_ERR_NAME_EXP:
      return Unavailable(facts, facts.principal + " has expired in the realm " + realm + reason,
                         administrator + " to extend it");
    case KRB5KDC_ERR_KEY_EXP:
      return Unavailable(facts, "the password of " + facts.principal + " has expired in the realm " + realm + reason,
                         "change it with kpasswd, or " + administrator + " to do so");
    case KRB5KDC_ERR_PREAUTH_FAILED:
    case KRB5KRB_AP_ERR_BAD_INTEGRITY:
    case KRB5_KT_KVNONOTFOUND:
      return WrongKey(facts);
    case KRB5KDC_ERR_ETYPE_NOSUPP:
    case KRB5_CONFIG_ETYPE_NOSUPP:
      return NoCommonType(facts);
    case KRB5KDC_ERR_S_PRINCIPAL_UNKNOWN:
      return UnknownService(facts);
    case KRB5KRB_AP_ERR_SKEW:
    case KRB5_KDCREP_SKEW:
      return Skewed(facts);
    case KRB5_KT_NOTFOUND: {
      const bool has =
          std::ranges::any_of(facts.keys, [&](const auto& key) { return key.principal == facts.principal; });
      if (has) return NoCommonType(facts);
      return Error::WithRemedy(ErrorCode::kUsage,
                               facts.doing + ": the keytab has no key of this principal; it has " + Listed(facts.keys),
                               "name one of them, or use another keytab");
    }
    default:
      return {ErrorCode::kUnavailable, facts.doing + ": " + facts.library_text + reason};
  }
}

Error NoCache(int32_t code, const std::string& name, const std::string& library_text, const std::string& principal) {
  const std::string kinit = "run: kinit" + (principal.empty() ? "" : " " + principal);
  const std::string prefix = "there is no Kerberos ticket: ";
  switch (code) {
    case KRB5_FCC_NOFILE:
    case KRB5_CC_NOTFOUND:
      return Error::WithRemedy(ErrorCode::kUnavailable, prefix + "the cache " + name + " is empty or does not exist",
                               kinit + ", or name a keytab with --principal and --keytab");
    case KRB5_CC_UNKNOWN_TYPE:
      return Error::WithRemedy(ErrorCode::kUnavailable, prefix + "the type of the cache " + name + " is not supported",
                               "set KRB5CCNAME to a cache of the type FILE, DIR, KCM or KEYRING, and " + kinit);
    case kNoKcm:
    case ECONNREFUSED:  // only caches of the type KCM connect to a service
      return Error::WithRemedy(ErrorCode::kUnavailable,
                               prefix + "the cache " + name + " needs the service sssd-kcm, " +
                                   "which does not answer (" + library_text + ")",
                               "start it, or set KRB5CCNAME to FILE:/tmp/krb5cc_UID, and " + kinit);
    default:
      return Error::WithRemedy(ErrorCode::kUnavailable,
                               prefix + "the cache " + name + " is unreadable: " + library_text, kinit);
  }
}

Error ExpiredTicket(const std::string& name, const std::string& principal, Instant expires,
                    std::optional<Instant> renewable_until, Instant now) {
  const bool expired = expires <= now;
  const bool renewable = !expired && renewable_until && *renewable_until > now;
  const Duration distance = std::chrono::abs(expires - now);
  return Error::WithRemedy(
      ErrorCode::kUnavailable,
      "the Kerberos ticket of " + principal + " in the cache " + name + (expired ? " expired at " : " expires at ") +
          FormatInstant(expires) +
          (expired ? ", " + FormatDuration(distance) + " ago" : ", in " + FormatDuration(distance)) +
          (renewable_until ? "; it is renewable until " + FormatInstant(*renewable_until) : ""),
      renewable ? "run: kinit -R" : "run: kinit " + principal);
}

}  // namespace howdah::hadoop::kerberos
