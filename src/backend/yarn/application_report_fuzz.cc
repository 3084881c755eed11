// Fuzzes the parsers of texts that clients read from the cluster: diagnostics of applications and attempts, journals,
// and identities.
#include <cstddef>
#include <cstdint>
#include <string>

#include "howdah/backend/yarn/application_report.h"
#include "howdah/backend/yarn/job_credentials.h"
#include "howdah/backend/yarn/job_record.h"
#include "howdah/backend/yarn/why_pending.h"

namespace howdah::backend::yarn {

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  ::hadoop::yarn::ApplicationReportProto report;
  if (report.ParsePartialFromString(text)) {
    journal::ToJson(ViewFromReport(report), true);
    if (HasEnded(report)) EndFromReport(report);
  }
  DescribeAmDeath(text);
  KilledBy(text);
  AmExitStatus(text);
  WhyAmPending({}, text, {});
  journal::ToJson(FoldJournal(text, Tasks::kIncluded), true);
  HasEndEntry(text);
  static_cast<void>(DecodeIdentity(text));
  return 0;
}

}  // namespace howdah::backend::yarn
