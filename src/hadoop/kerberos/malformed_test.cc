// Damaged bytes of keytabs, caches and KDCs: each recorded message with 1,000 mutations.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <random>
#include <set>
#include <sstream>

#include "cache.h"
#include "handles.h"
#include "howdah/hadoop/kerberos/login.h"
#include "kdc_keys.h"
#include "keytab.h"
#include "session.h"
#include "test_kdc.h"

namespace howdah::hadoop::kerberos {
namespace {

using std::chrono::seconds;

// libkrb5 does not free an entry of a keytab of which it has read only a part.
extern "C" const char* __lsan_default_suppressions() { return "leak:krb5_ktfileint_internal_read_entry"; }

constexpr int kMutations = 1000;
constexpr Instant kRecorded{seconds(1795663072)};  // see testdata/README.md
constexpr const char* kAlice = "alice@LAB.TEST";

std::string Recorded(const std::string& name) {
  std::ifstream file(HOWDAH_SOURCE_DIR "/src/hadoop/kerberos/testdata/" + name, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  EXPECT_FALSE(bytes.str().empty()) << name;
  return bytes.str();
}

// Changes, removes, inserts or repeats bytes. The first mutation leaves the bytes unchanged.
std::string Mutated(std::string bytes, int number) {
  std::mt19937 random(static_cast<unsigned>(number));
  const auto below = [&](size_t limit) { return random() % std::max<size_t>(limit, 1); };
  for (size_t changes = number == 0 ? 0 : 1 + below(4); changes > 0; --changes) {
    const size_t at = below(bytes.size());
    switch (below(6)) {
      case 0:
        if (!bytes.empty()) bytes[at] = static_cast<char>(random());
        break;
      case 1:
        if (!bytes.empty()) bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(8)));
        break;
      case 2:
        bytes.resize(at);
        break;
      case 3:
        bytes.erase(at, below(16));
        break;
      case 4:
        bytes.insert(at, std::string(below(64), static_cast<char>(random())));
        break;
      default:
        bytes.insert(at, bytes.substr(below(bytes.size()), below(200)));
        break;
    }
  }
  return bytes;
}

class Malformed : public testing::Test {
 protected:
  Malformed() {
    char name[] = "/tmp/howdah-kerberos-XXXXXX";
    folder_ = mkdtemp(name);
  }
  ~Malformed() override {
    for (const std::string& path : files_) unlink(path.c_str());
    rmdir(folder_.c_str());
  }

  std::string Write(const std::string& name, const std::string& bytes) {
    const std::string path = folder_ + "/" + name;
    std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
    chmod(path.c_str(), 0600);
    files_.insert(path);
    return path;
  }
  std::string Configuration(uint16_t port) {
    return Write("krb5.conf", "[libdefaults]\n default_realm = LAB.TEST\n[realms]\n LAB.TEST = {\n  kdc = 127.0.0.1:" +
                                  std::to_string(port) + "\n }\n");
  }

  std::string folder_;
  std::set<std::string> files_;
};

TEST_F(Malformed, KeytabIsReadOrRefused) {
  const std::string bytes = Recorded("alice.keytab");
  const auto session = Session::Open(Configuration(1));
  ASSERT_TRUE(session) << session.error().message;
  int readable = 0;
  for (int i = 0; i < kMutations; ++i) {
    const std::string path = Write("keytab", Mutated(bytes, i));
    if (!CheckKeytabFile(path)) continue;
    const auto keys = KeysOf((*session)->context(), path);
    readable += keys.ok() ? 1 : 0;
    if (i == 0) {
      ASSERT_TRUE(keys) << keys.error().message;
      EXPECT_EQ(keys->front().principal, kAlice);
    } else if (!keys) {
      EXPECT_EQ(keys.error().code, ErrorCode::kUsage);
    }
  }
  EXPECT_GT(readable, 1);
}

TEST_F(Malformed, CacheIsReadOrRefused) {
  const std::string bytes = Recorded("alice.ccache");
  const auto session = Session::Open(Configuration(1));
  ASSERT_TRUE(session) << session.error().message;
  OwnedCache copy((*session)->context());
  ASSERT_EQ(krb5_cc_new_unique((*session)->context(), "MEMORY", nullptr, copy.out()), 0);
  int readable = 0;
  for (int i = 0; i < kMutations; ++i) {
    const std::string path = Write("cache", Mutated(bytes, i));
    const auto ticket = CopyCache(**session, "FILE:" + path, "", kRecorded, seconds(60), copy.get());
    readable += ticket.ok() ? 1 : 0;
    if (i == 0) {
      ASSERT_TRUE(ticket) << ticket.error().message;
      EXPECT_EQ(ticket->principal, kAlice);
      EXPECT_EQ(ticket->expires, kRecorded + std::chrono::hours(24));
    }
  }
  EXPECT_GT(readable, 1);
}

TEST(KdcKeysTest, BothFirstAnswersDescribeTheKeys) {
  const KdcKeys of_reply = KeysIn(Recorded("as-rep.bin"));
  EXPECT_EQ(of_reply.types, std::vector<int32_t>{ENCTYPE_AES256_CTS_HMAC_SHA1_96});
  EXPECT_FALSE(of_reply.version) << "MIT's KDC keeps it secret";
  const KdcKeys of_error = KeysIn(Recorded("preauth-required.bin"));
  EXPECT_EQ(of_error.types, std::vector<int32_t>{ENCTYPE_AES256_CTS_HMAC_SHA1_96});
  EXPECT_FALSE(of_error.version);
  // An AS-REP that has only enc-part, of the type 18 and version 259.
  const KdcKeys with_version = KeysIn("\x6b\x11\x30\x0f\xa6\x0d\x30\x0b\xa0\x03\x02\x01\x12\xa1\x04\x02\x02\x01\x03");
  EXPECT_EQ(with_version.types, std::vector<int32_t>{18});
  EXPECT_EQ(with_version.version, 259u);
  EXPECT_TRUE(KeysIn(Recorded("tgs-rep.bin")).types.empty());
  EXPECT_TRUE(KeysIn("").types.empty());
}

TEST(KdcKeysTest, DamagedAnswersAreSafe) {
  for (const char* name : {"as-rep.bin", "preauth-required.bin"}) {
    const std::string bytes = Recorded(name);
    int readable = 0;
    for (int i = 0; i < kMutations; ++i) readable += KeysIn(Mutated(bytes, i)).types.empty() ? 0 : 1;
    EXPECT_GT(readable, 1) << name;
    EXPECT_LT(readable, kMutations) << name;
  }
}

TEST_F(Malformed, AnswerToLoginIsAnError) {
  const std::string bytes = Recorded("as-rep.bin");
  int number = 0;
  TestKdc kdc([&](const std::string&) { return Mutated(bytes, number++); });
  LoginOptions options;
  options.keytab = Write("keytab", Recorded("alice.keytab"));
  options.configuration = Configuration(kdc.port());
  Login login(options);
  while (number < kMutations) {
    const auto ticket = login.Authenticate();  // even the unchanged answer has the nonce of another request
    ASSERT_FALSE(ticket);
    EXPECT_NE(ticket.error().message.find(kAlice), std::string::npos) << ticket.error().message;
  }
}

TEST_F(Malformed, AnswerToTicketRequestIsAnError) {
  const std::string bytes = Recorded("tgs-rep.bin");
  int number = 0;
  TestKdc kdc([&](const std::string&) { return Mutated(bytes, number++); });
  const auto session = Session::Open(Configuration(kdc.port()));
  ASSERT_TRUE(session) << session.error().message;
  const krb5_context context = (*session)->context();
  const auto now =
      static_cast<krb5_timestamp>(std::chrono::duration_cast<seconds>(kRecorded.time_since_epoch()).count());
  ASSERT_EQ(krb5_set_real_time(context, now, 0), 0);
  OwnedCache tickets(context);
  ASSERT_EQ(krb5_cc_new_unique(context, "MEMORY", nullptr, tickets.out()), 0);
  const std::string cache = "FILE:" + Write("cache", Recorded("alice.ccache"));
  ASSERT_TRUE(CopyCache(**session, cache, "", kRecorded, seconds(60), tickets.get()));
  OwnedPrincipal client(context), server(context);
  ASSERT_EQ(krb5_parse_name(context, kAlice, client.out()), 0);
  ASSERT_EQ(krb5_parse_name(context, "nn/localhost@LAB.TEST", server.out()), 0);
  while (number < kMutations) {
    krb5_creds wanted{};
    wanted.client = client.get();
    wanted.server = server.get();
    OwnedTicketCreds request(context);
    ASSERT_EQ(krb5_tkt_creds_init(context, tickets.get(), &wanted, 0, request.out()), 0);
    const auto code = (*session)->Run(
        [&](krb5_data* in, krb5_data* out, krb5_data* realm, unsigned* flags) {
          return krb5_tkt_creds_step(context, request.get(), in, out, realm, flags);
        },
        {std::chrono::steady_clock::now() + seconds(60), seconds(60), -1});
    ASSERT_TRUE(code) << code.error().message;
    ASSERT_NE(*code, 0);
    EXPECT_FALSE((*session)->Explained(*code, {}).message.empty());
  }
}

}  // namespace
}  // namespace howdah::hadoop::kerberos
