// Finds the KDCs of a realm and exchanges messages with them (RFC 4120, 7.2).
#pragma once

#include <chrono>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/base/host_port.h"
#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "howdah/os/net/address.h"

namespace howdah::hadoop::kerberos {

constexpr uint16_t kKdcPort = 88;

// Parses a value of `kdc` in krb5.conf: "host", "host:750", "[::1]:88", "tcp/host". Returns kUsage for other texts.
Result<HostPort> ParseKdc(std::string_view text);

// One operation's limits.
struct Waiting {
  std::chrono::steady_clock::time_point deadline;  // of the whole operation
  Duration per_kdc;
  int cancel_fd = -1;  // once it is readable, the operation ends with kTimeout
};

// Where the KDCs of a realm are.
struct KdcList {
  std::vector<HostPort> kdcs;
  std::string from;  // for messages: "/etc/krb5.conf", "the DNS records _kerberos._tcp.EXAMPLE.COM"
};

// Looks up the SRV records of a realm. If there are none, the error lists `searched`, the configuration files, and the
// names of the records; with use_dns false only the files are read (dns_lookup_kdc).
Result<KdcList> FindKdcs(const std::string& realm, const std::string& searched, bool use_dns, const Waiting& waiting);

struct KdcReply {
  std::string bytes;
  std::string address;  // "kdc1.example.com:88 (10.0.0.5), TCP"
  Duration took{0};
};

// Sends a request to each KDC in turn until one answers: over TCP, and over UDP to an address that refuses TCP. The
// error (kUnavailable) lists every address, how it failed and after how long.
Result<KdcReply> AskKdcs(const std::string& realm, const KdcList& list, std::string_view request,
                         const Waiting& waiting);

}  // namespace howdah::hadoop::kerberos
