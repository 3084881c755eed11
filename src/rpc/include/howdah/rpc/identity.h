// Who is who within one job: a CA of the job's own, and a certificate each for AM, executors and clients.
#pragma once

#include <string>
#include <string_view>

#include "howdah/base/result.h"

namespace howdah::rpc {

// What one party needs to prove itself to the others of its job. All PEM.
struct Identity {
  std::string ca_certificate;
  std::string certificate;
  std::string private_key;
};

// How a party reaches the AM of its job.
struct AmContact {
  std::string address;  // as ExecutorLink::Connect takes it: "10.0.0.7:40123"
  Identity identity;
};

// The parties, as the common name of their certificates says it.
inline constexpr std::string_view kAmName = "howdah-am";
inline constexpr std::string_view kExecutorName = "howdah-executor";
inline constexpr std::string_view kClientName = "howdah-client";

struct JobIdentities {
  Identity am, executor, client;
};

// Makes a new CA (P-256, valid for 400 days from five minutes ago) and the three identities; the CA's key is forgotten.
// About a millisecond.
Result<JobIdentities> MakeJobIdentities(std::string_view job_id);

}  // namespace howdah::rpc
