// HTTPS: which certificates are accepted, and how failures are reported.
#include <gmock/gmock.h>
#include <netinet/in.h>

#include <csignal>

#include "howdah/os/http/get.h"
#include "test_tls_server.h"

namespace howdah::os::http {
namespace {

using ::testing::HasSubstr;

std::shared_ptr<const Trust> TrustIn(const TlsServer& server) {
  auto trust = Trust::OfCertificates({server.der()}, "the test");
  EXPECT_TRUE(trust.ok());
  return *trust;
}

Result<std::string> BodyOf(const std::string& url, const Trust* trust, GetLimits limits = {}) {
  std::string body;
  HOWDAH_TRY(const auto reply, Get(
                                   url, limits,
                                   [&](std::string_view bytes) {
                                     body += bytes;
                                     return true;
                                   },
                                   {{"X-Test", "1"}}, trust));
  return std::to_string(reply.status) + " " + body;
}

class Tls : public ::testing::Test {
 protected:
  Tls() { std::signal(SIGPIPE, SIG_IGN); }
};

TEST_F(Tls, LargeBodyIsReceived) {
  const std::string body(3 << 20, 'x');
  const TlsServer server("DNS:localhost,IP:127.0.0.1",
                         "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body);
  const auto trust = TrustIn(server);
  for (const char* host : {"localhost", "127.0.0.1"}) {
    const auto got = BodyOf(server.url(host), trust.get());
    ASSERT_TRUE(got.ok()) << got.error().message;
    EXPECT_TRUE(*got == "200 " + body);
  }
  EXPECT_THAT(server.request(), HasSubstr("X-Test: 1"));
}

TEST_F(Tls, CertificateOfAnotherHostIsRefused) {
  const TlsServer server("DNS:other.example", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n");
  const auto trust = TrustIn(server);
  for (const char* host : {"localhost", "127.0.0.1"}) {
    const auto got = BodyOf(server.url(host), trust.get());
    ASSERT_FALSE(got.ok()) << host;
    EXPECT_EQ(got.error().code, ErrorCode::kUnavailable);
    EXPECT_THAT(got.error().message, HasSubstr("mismatch"));
    EXPECT_THAT(got.error().message, HasSubstr("the certificate of " + std::string(host) + " is not accepted"));
  }
}

TEST_F(Tls, UnknownAuthorityIsRefusedWithTheRemedy) {
  const TlsServer server("DNS:localhost", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n"), other("DNS:x", "");
  const auto got = BodyOf(server.url("localhost"), TrustIn(other).get());
  ASSERT_FALSE(got.ok());
  EXPECT_THAT(got.error().message, HasSubstr("the certificate authorities are those of the test"));
  EXPECT_THAT(got.error().remedy, HasSubstr("HOWDAH_CA"));
  EXPECT_FALSE(BodyOf(server.url("localhost"), nullptr).ok()) << "https without a trust store";
}

TEST_F(Tls, SilentServerEndsAtTheLimit) {
  const LoopbackListener listener;
  const TlsServer other("DNS:localhost", "");
  GetLimits limits;
  limits.silence = std::chrono::milliseconds(50);
  const auto got = BodyOf("https://localhost:" + std::to_string(listener.port) + "/", TrustIn(other).get(), limits);
  ASSERT_FALSE(got.ok());
  EXPECT_EQ(got.error().code, ErrorCode::kTimeout);
}

TEST_F(Tls, ServerWithoutTlsIsReported) {
  const TlsServer other("DNS:localhost", "");
  const LoopbackListener listener;
  std::thread plain([&] {
    const files::Fd fd(::accept4(listener.fd.get(), nullptr, nullptr, SOCK_CLOEXEC));
    char block[4096];
    if (::recv(fd.get(), block, sizeof block, 0) > 0) {
      (void)::send(fd.get(), "HTTP/1.1 400 Bad Request\r\n\r\n", 28, MSG_NOSIGNAL);
    }
  });
  const auto got = BodyOf("https://localhost:" + std::to_string(listener.port) + "/", TrustIn(other).get());
  plain.join();
  ASSERT_FALSE(got.ok());
  EXPECT_THAT(got.error().message, HasSubstr("TLS with localhost"));
}

TEST_F(Tls, UnusableAuthoritiesAreRefused) {
  EXPECT_THAT(Trust::OfCertificates({}, "store").error().message, HasSubstr("no certificate"));
  EXPECT_THAT(Trust::OfCertificates({"garbage"}, "store").error().message, HasSubstr("cannot be read"));
  EXPECT_THAT(Trust::OfPemFile("/nonexistent/ca.pem").error().message, HasSubstr("/nonexistent/ca.pem"));
}

}  // namespace
}  // namespace howdah::os::http
