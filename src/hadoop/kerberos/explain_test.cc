#include "explain.h"

#include <gtest/gtest.h>
#include <krb5.h>

#include <cerrno>

namespace howdah::hadoop::kerberos {
namespace {

using std::chrono::hours;
using std::chrono::minutes;
using std::chrono::seconds;

Facts WithKeytab() {
  Facts facts;
  facts.doing = "logging in as alice@A with the keytab /k";
  facts.principal = "alice@A";
  facts.configuration = "/etc/krb5.conf";
  facts.keytab = "/k";
  facts.keys = {{"alice@A", "aes256", 2}, {"alice@A", "aes128", 2}, {"bob@A", "aes256", 1}};
  facts.enctypes = {"aes256", "rc4"};
  facts.refusal = Refusal{0, "A", "kdc1:88 (10.0.0.1), TCP", "alice@A", "krbtgt/A@A", "", Duration(0)};
  return facts;
}

Facts ForService(const std::string& service, const std::string& asked) {
  Facts facts = WithKeytab();
  facts.doing = "getting a Kerberos ticket for " + service + " as alice@A";
  facts.service = service;
  facts.keytab.clear();
  facts.refusal->server = asked;
  return facts;
}

void ExpectParts(const Error& error, const std::vector<std::string>& parts) {
  for (const std::string& part : parts) {
    EXPECT_NE(error.message.find(part), std::string::npos) << "'" << part << "' in: " << error.message;
  }
}

TEST(Explain, AccountErrorsNameThePrincipalAndTheAdministrator) {
  for (const int32_t code :
       {KRB5KDC_ERR_C_PRINCIPAL_UNKNOWN, KRB5KDC_ERR_CLIENT_REVOKED, KRB5KDC_ERR_NAME_EXP, KRB5KDC_ERR_KEY_EXP}) {
    const Error error = Explain(code, WithKeytab());
    EXPECT_EQ(error.code, ErrorCode::kUnavailable);
    ExpectParts(error, {"alice@A", "the realm A", "administrator of the realm A"});
  }
}

TEST(Explain, OutdatedKeytabListsItsKeys) {
  for (const int32_t code : {KRB5KDC_ERR_PREAUTH_FAILED, KRB5KRB_AP_ERR_BAD_INTEGRITY, KRB5_KT_KVNONOTFOUND}) {
    ExpectParts(Explain(code, WithKeytab()), {"another key", "alice@A (version 2: aes256, aes128)", "new keytab"});
  }
}

TEST(Explain, KeysOfKeytabAndKdcAreCompared) {
  Facts facts = WithKeytab();
  facts.kdc_types = {"aes256", "camellia"};
  for (const int32_t code : {KRB5KDC_ERR_PREAUTH_FAILED, KRB5KDC_ERR_ETYPE_NOSUPP}) {
    ExpectParts(Explain(code, facts),
                {"alice@A (version 2", "the KDC's keys of alice@A have the types aes256, camellia"});
  }
  facts.kdc_version = 3;
  ExpectParts(Explain(KRB5KDC_ERR_PREAUTH_FAILED, facts), {"have version 3 and the types aes256, camellia"});
}

TEST(Explain, KeytabWithoutThePrincipalIsAUsageError) {
  Facts facts = WithKeytab();
  facts.principal = "carol@A";
  const Error error = Explain(KRB5_KT_NOTFOUND, facts);
  EXPECT_EQ(error.code, ErrorCode::kUsage);
  ExpectParts(error, {"alice@A (version 2: aes256, aes128), bob@A (version 1: aes256)"});
}

TEST(Explain, NoCommonTypeListsOurTypes) {
  Facts facts = WithKeytab();
  facts.permitted = "aes256 rc4";
  ExpectParts(Explain(KRB5KDC_ERR_ETYPE_NOSUPP, facts),
              {"aes256, rc4", "permitted_enctypes = aes256 rc4 in /etc/krb5.conf", "the keytab has alice@A"});
}

TEST(Explain, SkewIsReportedInNumbers) {
  Facts facts = WithKeytab();
  facts.refusal->ahead = -minutes(12);
  ExpectParts(Explain(KRB5KRB_AP_ERR_SKEW, facts), {"12m00s behind", "kdc1:88", "5m00s are allowed"});
  facts.refusal->ahead = hours(2);
  facts.skew_allowed = seconds(30);
  ExpectParts(Explain(KRB5KRB_AP_ERR_SKEW, facts), {"2h00m ahead of", "30.0s are allowed"});
}

TEST(Explain, UnknownServiceAndMissingTrustDiffer) {
  ExpectParts(Explain(KRB5KDC_ERR_S_PRINCIPAL_UNKNOWN, ForService("nn/h@A", "nn/h@A")),
              {"does not know the service nn/h@A", "[domain_realm]"});
  ExpectParts(Explain(KRB5KDC_ERR_S_PRINCIPAL_UNKNOWN, ForService("nn/h@B", "krbtgt/B@A")),
              {"krbtgt/B@A", "no trust from A to B", "[capaths] of /etc/krb5.conf"});
}

TEST(ExpiredTicket, RenewableTicketIsRenewed) {
  const Instant now(hours(1000));
  const Error soon = ExpiredTicket("FILE:/tmp/c", "alice@A", now + seconds(20), now + hours(5), now);
  ExpectParts(soon, {"alice@A", "FILE:/tmp/c", FormatInstant(now + seconds(20)), "in 20.0s", "kinit -R"});
  const Error expired = ExpiredTicket("FILE:/tmp/c", "alice@A", now - minutes(3), now + hours(5), now);
  ExpectParts(expired, {"expired at " + FormatInstant(now - minutes(3)), "3m00s ago", "kinit alice@A"});
  EXPECT_EQ(expired.message.find("kinit -R"), std::string::npos);
  EXPECT_EQ(ExpiredTicket("c", "a@A", now + seconds(1), std::nullopt, now).message.find("kinit -R"), std::string::npos);
}

TEST(NoCache, MessageNamesCacheAndRemedy) {
  for (const int32_t code : {int32_t{KRB5_FCC_NOFILE}, int32_t{KRB5_CC_FORMAT}, int32_t{KRB5_CC_UNKNOWN_TYPE},
                             static_cast<int32_t>(KRB5_KCM_NO_SERVER)}) {
    ExpectParts(NoCache(code, "FILE:/tmp/c", "text of the library", ""), {"FILE:/tmp/c", "kinit"});
  }
}

TEST(NoCache, ServiceOfKcmIsNamed) {
  for (const int32_t code : {static_cast<int32_t>(KRB5_KCM_NO_SERVER), int32_t{ECONNREFUSED}}) {
    ExpectParts(NoCache(code, "KCM:", "text of the library", ""), {"KCM:", "sssd-kcm", "text of the library", "kinit"});
  }
}

}  // namespace
}  // namespace howdah::hadoop::kerberos
