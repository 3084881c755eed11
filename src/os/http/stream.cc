#include "stream.h"

#include <arpa/inet.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>

#include <algorithm>
#include <climits>
#include <ctime>

#include "howdah/os/net/connect.h"

namespace howdah::os::http {
namespace {

using std::chrono::steady_clock;

bool IsAddress(const std::string& host) {
  in6_addr address;
  return ::inet_pton(AF_INET, host.c_str(), &address) == 1 || ::inet_pton(AF_INET6, host.c_str(), &address) == 1;
}

// The reason why TLS has failed, with the remedy for certificates.
Error TlsError(SSL* tls, const Trust& trust, const std::string& host, const boost::system::error_code& failed) {
  const long verified = SSL_get_verify_result(tls);
  ERR_clear_error();
  if (verified != X509_V_OK) {
    return Error::WithRemedy(ErrorCode::kUnavailable,
                             "the certificate of " + host +
                                 " is not accepted: " + X509_verify_cert_error_string(verified) +
                                 "; the certificate authorities are those of " + trust.source(),
                             "set HOWDAH_CA to a PEM file with the authority's certificate");
  }
  const bool silent = failed == boost::asio::error::timed_out;
  return {silent ? ErrorCode::kTimeout : ErrorCode::kUnavailable,
          "TLS with " + host + ": " + (silent ? "the server stopped answering" : failed.message())};
}

}  // namespace

void Stream::Free::operator()(ssl_st* tls) const { SSL_free(tls); }

Stream::Stream(os::files::Fd fd, Duration silence, Duration whole)
    : fd_(std::move(fd)), silence_(silence), end_(steady_clock::now() + whole) {}
Stream::~Stream() = default;

Status Stream::StartTls(const Trust& trust, const std::string& host) {
  tls_.reset(SSL_new(trust.context()));
  const bool address = IsAddress(host);
  if (!tls_ || SSL_set_fd(tls_.get(), fd_.get()) != 1 ||
      (address ? X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(tls_.get()), host.c_str())
               : SSL_set1_host(tls_.get(), host.c_str())) != 1) {
    return Failed("TLS with " + host + " cannot begin");
  }
  if (!address) SSL_set_tlsext_host_name(tls_.get(), host.c_str());
  Failure failed;
  for (;;) {
    ERR_clear_error();
    const int result = SSL_connect(tls_.get());
    if (result == 1) return {};
    if (!TlsAgain(result, failed)) return TlsError(tls_.get(), trust, host, failed);
  }
}

std::string Stream::Certificate() const {
  X509* certificate = tls_ ? SSL_get0_peer_certificate(tls_.get()) : nullptr;
  if (certificate == nullptr) return {};
  const std::unique_ptr<BIO, decltype(&BIO_free)> memory(BIO_new(BIO_s_mem()), BIO_free);
  char* bytes = nullptr;
  X509_NAME_print_ex(memory.get(), X509_get_subject_name(certificate), 0, XN_FLAG_RFC2253);
  const long size = BIO_get_mem_data(memory.get(), &bytes);
  std::string text(bytes, static_cast<size_t>(std::max(size, 0L)));
  std::tm end{};
  if (ASN1_TIME_to_tm(X509_get0_notAfter(certificate), &end) == 1) {
    text +=
        ", valid until " +
        FormatInstant(std::chrono::time_point_cast<Duration>(std::chrono::system_clock::from_time_t(::timegm(&end))));
  }
  return text;
}

bool Stream::Ready(Wait wait, Failure& failed) {
  const auto left = std::min(std::chrono::duration_cast<Duration>(end_ - steady_clock::now()), silence_);
  const auto await = wait == Wait::kReadable ? os::net::AwaitReadable : os::net::AwaitWritable;
  if (left > Duration(0) && await(fd_.get(), left).ok()) return true;
  failed = boost::asio::error::timed_out;
  return false;
}

bool Stream::Again(Wait wait, Failure& failed) {
  if (errno == EINTR) return true;
  if (errno == EAGAIN) return Ready(wait, failed);
  failed.assign(errno, boost::system::system_category());
  return false;
}

bool Stream::TlsAgain(int result, Failure& failed) {
  switch (SSL_get_error(tls_.get(), result)) {
    case SSL_ERROR_WANT_READ:
      return Ready(Wait::kReadable, failed);
    case SSL_ERROR_WANT_WRITE:
      return Ready(Wait::kWritable, failed);
    case SSL_ERROR_ZERO_RETURN:
      failed = boost::asio::error::eof;
      return false;
    case SSL_ERROR_SYSCALL:
      failed.assign(errno != 0 ? errno : ECONNRESET, boost::system::system_category());
      return false;
    default:
      failed.assign(EPROTO, boost::system::system_category());
      return false;
  }
}

size_t Stream::Read(char* out, size_t size, Failure& failed) {
  for (;;) {
    failed = {};
    if (tls_) {
      ERR_clear_error();
      const int got = SSL_read(tls_.get(), out, static_cast<int>(std::min<size_t>(size, INT_MAX)));
      if (got > 0) return static_cast<size_t>(got);
      if (!TlsAgain(got, failed)) return 0;
      continue;
    }
    const ssize_t got = ::recv(fd_.get(), out, size, 0);
    if (got > 0) return static_cast<size_t>(got);
    if (got == 0) return failed = boost::asio::error::eof, 0;
    if (!Again(Wait::kReadable, failed)) return 0;
  }
}

size_t Stream::Write(const char* bytes, size_t size, Failure& failed) {
  for (;;) {
    failed = {};
    if (tls_) {
      ERR_clear_error();
      const int sent = SSL_write(tls_.get(), bytes, static_cast<int>(std::min<size_t>(size, INT_MAX)));
      if (sent > 0) return static_cast<size_t>(sent);
      if (!TlsAgain(sent, failed)) return 0;
      continue;
    }
    const ssize_t sent = ::send(fd_.get(), bytes, size, MSG_NOSIGNAL);
    if (sent > 0) return static_cast<size_t>(sent);
    if (sent == 0) return failed = boost::asio::error::eof, 0;
    if (!Again(Wait::kWritable, failed)) return 0;
  }
}

}  // namespace howdah::os::http
