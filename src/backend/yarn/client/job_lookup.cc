#include "job_lookup.h"

#include <utility>

#include "howdah/backend/yarn/application_report.h"
#include "howdah/backend/yarn/job_record.h"
#include "howdah/hadoop/yarn/ids.h"

namespace howdah::backend::yarn::client {

Error NoSuchJob(const std::string& name, const std::string& why) {
  return {ErrorCode::kNotFound, "no job '" + name + "': " + why};
}

Result<Lookup> Find(HadoopClient& cluster, const JobId& id) {
  const auto application = hadoop::yarn::ParseApplicationId(id.text);
  if (!application) return NoSuchJob(id.text, "job ids on YARN look like application_1700000000000_0001");
  HOWDAH_TRY(const auto rm, cluster.Rm());
  auto report = rm->Report(*application);
  if (report.ok()) return Lookup{std::move(*report)};
  if (report.error().code != ErrorCode::kNotFound) return report.error();
  return Lookup{};
}

Status CheckOwner(const HadoopClient& cluster, const JobId& id, const Lookup& known) {
  if (!known.report || known.report->user() == cluster.user()) return {};
  const std::string& owner = known.report->user();
  return Error::WithRemedy(
      ErrorCode::kUnavailable, id.text + " is a job of " + owner + ", and not of " + cluster.user(),
      "only " + owner + " can use this command for it; `howdah status` shows what everybody may see");
}

Result<Lookup> FindOwn(HadoopClient& cluster, const JobId& id) {
  HOWDAH_TRY(auto known, Find(cluster, id));
  HOWDAH_TRY_STATUS(CheckOwner(cluster, id, known));
  return known;
}

Result<std::string> EndedJournal(HadoopClient& cluster, const JobId& id, const Lookup& known) {
  if (known.report) return ReadEndedJournal(cluster, id, *known.report);
  auto journal = ReadHistoryJournal(cluster, id);
  if (!journal.ok() && journal.error().code == ErrorCode::kNotFound) {
    return NoSuchJob(id.text, "unknown to the ResourceManager, and not in the history of " + cluster.user());
  }
  return journal;
}

bool Lookup::has_ended() const { return !report || HasEnded(*report); }

}  // namespace howdah::backend::yarn::client
