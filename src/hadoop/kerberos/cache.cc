#include "cache.h"

#include <sys/stat.h>

#include <algorithm>

#include "handles.h"

namespace howdah::hadoop::kerberos {
namespace {

Instant ToInstant(krb5_timestamp time) { return Instant(std::chrono::seconds(Seconds(time))); }

bool IsCollection(const std::string& name) {
  return name.starts_with("DIR:") || name.starts_with("KCM:") || name.starts_with("KEYRING:");
}

// libkrb5 would create the directory of a DIR cache: "DIR:/home/alice/cc", or "DIR::/home/alice/cc/tkt" for one cache.
bool MissingDirectory(const std::string& name) {
  if (!name.starts_with("DIR:")) return false;
  const bool one = name.starts_with("DIR::");
  std::string directory = name.substr(one ? 5 : 4);
  if (one) directory.resize(std::min(directory.rfind('/'), directory.size()));
  struct stat status {};
  return stat(directory.c_str(), &status) != 0;
}

// The full name of a cache of a collection: "DIR::/home/alice/cc/tkt".
std::string FullName(krb5_context context, krb5_ccache cache, const std::string& fallback) {
  char* text = nullptr;
  if (krb5_cc_get_full_name(context, cache, &text) != 0) return fallback;
  std::string name = text;
  krb5_free_string(context, text);
  return name;
}

// Finds the ticket-granting ticket of the cache's own realm that is valid the longest.
std::optional<krb5_ticket_times> GrantingTicket(krb5_context context, krb5_ccache cache, krb5_const_principal client) {
  const std::string realm(client->realm.data, client->realm.length);
  const std::string wanted = "krbtgt/" + realm + "@" + realm;
  std::optional<krb5_ticket_times> best;
  krb5_cc_cursor cursor = nullptr;
  if (krb5_cc_start_seq_get(context, cache, &cursor) != 0) return best;
  for (;;) {
    OwnedCreds creds(context);
    if (krb5_cc_next_cred(context, cache, &cursor, creds.out()) != 0) break;
    if (NameOf(context, creds->server) != wanted) continue;
    if (!best || Seconds(creds->times.endtime) > Seconds(best->endtime)) best = creds->times;
  }
  krb5_cc_end_seq_get(context, cache, &cursor);
  return best;
}

}  // namespace

Result<Ticket> CopyCache(const Session& session, const std::string& name, const std::string& principal, Instant now,
                         Duration margin, krb5_ccache copy) {
  const krb5_context context = session.context();
  std::string where = name;
  if (where.empty()) {
    const char* standard = krb5_cc_default_name(context);
    where = standard == nullptr ? "" : standard;
  }
  if (MissingDirectory(where)) return NoCache(KRB5_FCC_NOFILE, where, "", principal);
  OwnedCache cache(context), other(context);
  OwnedPrincipal client(context), wanted(context);
  krb5_error_code code = krb5_cc_resolve(context, where.c_str(), cache.out());
  if (code == 0) code = krb5_cc_get_principal(context, cache.get(), client.out());
  if (!principal.empty()) {
    if (const auto parsed = krb5_parse_name(context, principal.c_str(), wanted.out()); parsed != 0) {
      return Error{ErrorCode::kUsage, "invalid principal '" + principal + "': " + session.Text(parsed)};
    }
  }
  krb5_ccache chosen = cache.get();
  const bool differs =
      code == 0 && wanted.get() != nullptr && krb5_principal_compare(context, client.get(), wanted.get()) == FALSE;
  if ((code != 0 || differs) && wanted.get() != nullptr && IsCollection(where)) {
    krb5_cc_set_default_name(context, where.c_str());
    const auto matched = krb5_cc_cache_match(context, wanted.get(), other.out());
    krb5_cc_set_default_name(context, nullptr);
    if (matched == 0) {
      chosen = other.get();
      code = 0;
    }
  }
  if (code != 0) return NoCache(code, where, session.Text(code), principal);
  const std::string full = FullName(context, chosen, where);
  if (differs && chosen == cache.get()) {
    return Error::WithRemedy(
        ErrorCode::kUnavailable,
        "the cache " + full + " has the tickets of " + NameOf(context, client.get()) + ", not of " + principal,
        "run: kinit " + principal + ", or name its keytab with --keytab");
  }
  const krb5_principal owner = chosen == cache.get() ? client.get() : wanted.get();
  const auto times = GrantingTicket(context, chosen, owner);
  if (!times) return NoCache(KRB5_CC_NOTFOUND, full, "", NameOf(context, owner));
  Ticket ticket{NameOf(context, owner), "the cache " + full, ToInstant(times->endtime), std::nullopt};
  if (times->renew_till != 0) ticket.renewable_until = ToInstant(times->renew_till);
  if (ticket.expires < now + margin) {
    return ExpiredTicket(full, ticket.principal, ticket.expires, ticket.renewable_until, now);
  }
  code = krb5_cc_initialize(context, copy, owner);
  if (code == 0) code = krb5_cc_copy_creds(context, chosen, copy);
  if (code != 0) return NoCache(code, full, session.Text(code), ticket.principal);
  return ticket;
}

}  // namespace howdah::hadoop::kerberos
