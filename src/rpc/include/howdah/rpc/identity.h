// TLS identities within one job. Each job has a CA and three certificates: for the AM, the executors and the clients.
#pragma once

#include <string>
#include <string_view>

#include "howdah/base/result.h"

namespace howdah::rpc {

// The credentials of one party, in PEM format.
struct Identity {
  std::string ca_certificate;
  std::string certificate;
  std::string private_key;
};

// The AM's address and the caller's credentials.
struct AmContact {
  std::string address;  // in the form that ExecutorLink::Connect requires: "10.0.0.7:40123"
  Identity identity;
};

// The common names in the parties' certificates.
inline constexpr std::string_view kAmName = "howdah-am";
inline constexpr std::string_view kExecutorName = "howdah-executor";
inline constexpr std::string_view kClientName = "howdah-client";

struct JobIdentities {
  Identity am, executor, client;
};

// Creates the CA (P-256, valid for 400 days, beginning five minutes ago) and the three identities. The CA's key is
// discarded. Takes about a millisecond.
Result<JobIdentities> MakeJobIdentities(std::string_view job_id);

}  // namespace howdah::rpc
