// The certificate authorities that certify https servers.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "howdah/base/result.h"

struct ssl_ctx_st;

namespace howdah::os::http {

// Immutable; thread-safe. Accepts TLS 1.2 and later.
class Trust {
 public:
  // `certificates`: X.509 in DER. `source` is for messages: "the trust store /etc/hadoop/ca.jks". Returns kUsage for an
  // empty list, and if a certificate cannot be read.
  static Result<std::shared_ptr<const Trust>> OfCertificates(const std::vector<std::string>& certificates,
                                                             std::string source);
  // All certificates of a PEM file. Returns kUsage, as above, also if the file cannot be read.
  static Result<std::shared_ptr<const Trust>> OfPemFile(const std::string& path);
  // The bundle of this machine: the first that exists of the paths of Debian, RHEL and SUSE.
  static Result<std::shared_ptr<const Trust>> OfSystem();

  explicit Trust(std::string source);
  ~Trust();
  Trust(const Trust&) = delete;
  Trust& operator=(const Trust&) = delete;

  const std::string& source() const { return source_; }
  ssl_ctx_st* context() const { return context_.get(); }

 private:
  struct Free {
    void operator()(ssl_ctx_st* context) const;
  };
  std::string source_;
  std::unique_ptr<ssl_ctx_st, Free> context_;
};

// A certificate in DER as PEM (RFC 7468).
std::string PemOfCertificate(const std::string& der);

}  // namespace howdah::os::http
