// A TLS server for tests, with a certificate of its own, which answers every request with the same bytes.
#pragma once

#include <arpa/inet.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cstdlib>
#include <memory>
#include <string>
#include <thread>

#include "howdah/os/files/fd.h"

namespace howdah::os::http {

// Listens on a free port of the loopback address.
struct LoopbackListener {
  files::Fd fd{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  uint16_t port = 0;
  LoopbackListener() {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* generic = reinterpret_cast<sockaddr*>(&address);
    if (::bind(fd.get(), generic, size) != 0 || ::listen(fd.get(), 8) != 0) std::abort();
    ::getsockname(fd.get(), generic, &size);
    port = ntohs(address.sin_port);
  }
};

class TlsServer {
 public:
  // names: subject alternative names, as in "DNS:localhost,IP:127.0.0.1".
  TlsServer(const std::string& names, std::string answer)
      : answer_(std::move(answer)), key_(EVP_EC_gen("P-256"), EVP_PKEY_free), certificate_(X509_new(), X509_free) {
    Sign(names);
    context_.reset(SSL_CTX_new(TLS_server_method()));
    SSL_CTX_use_certificate(context_.get(), certificate_.get());
    SSL_CTX_use_PrivateKey(context_.get(), key_.get());
    thread_ = std::thread([this] { Serve(); });
  }
  ~TlsServer() {
    ::shutdown(listener_.fd.get(), SHUT_RDWR);
    thread_.join();
  }
  std::string url(const std::string& host) const {
    return "https://" + host + ":" + std::to_string(listener_.port) + "/x";
  }
  std::string der() const {
    unsigned char* bytes = nullptr;
    const int size = i2d_X509(certificate_.get(), &bytes);
    std::string text(reinterpret_cast<char*>(bytes), static_cast<size_t>(size));
    OPENSSL_free(bytes);
    return text;
  }
  const std::string& request() const { return request_; }  // the last one, after its answer was received

 private:
  void Sign(const std::string& names) {
    X509* x = certificate_.get();
    X509_set_version(x, X509_VERSION_3);
    ASN1_INTEGER_set(X509_get_serialNumber(x), 1);
    X509_gmtime_adj(X509_getm_notBefore(x), -3600);
    X509_gmtime_adj(X509_getm_notAfter(x), 3600);
    X509_set_pubkey(x, key_.get());
    const auto* name = reinterpret_cast<const unsigned char*>("test");
    X509_NAME_add_entry_by_txt(X509_get_subject_name(x), "CN", MBSTRING_ASC, name, -1, -1, 0);
    X509_set_issuer_name(x, X509_get_subject_name(x));
    X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, nullptr, NID_subject_alt_name, names.c_str());
    X509_add_ext(x, extension, -1);
    X509_EXTENSION_free(extension);
    X509_sign(x, key_.get(), EVP_sha256());
  }

  void Serve() {
    for (;;) {
      const files::Fd fd(::accept4(listener_.fd.get(), nullptr, nullptr, SOCK_CLOEXEC));
      if (!fd.valid()) return;
      const std::unique_ptr<SSL, decltype(&SSL_free)> tls(SSL_new(context_.get()), SSL_free);
      SSL_set_fd(tls.get(), fd.get());
      if (SSL_accept(tls.get()) != 1) continue;
      // Bytes that are not read would make the kernel reset the connection at its end.
      request_.clear();
      char block[4096];
      while (!request_.ends_with("\r\n\r\n")) {
        const int size = SSL_read(tls.get(), block, sizeof block);
        if (size <= 0) break;
        request_.append(block, static_cast<size_t>(size));
      }
      for (size_t at = 0; at < answer_.size();) {
        const int sent = SSL_write(tls.get(), answer_.data() + at, static_cast<int>(answer_.size() - at));
        if (sent <= 0) break;
        at += static_cast<size_t>(sent);
      }
      SSL_shutdown(tls.get());
    }
  }

  struct FreeContext {
    void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
  };
  std::string answer_, request_;
  std::unique_ptr<EVP_PKEY, decltype(&EVP_PKEY_free)> key_;
  std::unique_ptr<X509, decltype(&X509_free)> certificate_;
  std::unique_ptr<SSL_CTX, FreeContext> context_;
  const LoopbackListener listener_;
  std::thread thread_;
};

}  // namespace howdah::os::http
