#include <algorithm>
#include <utility>

#include "action_bodies.h"
#include "actions.h"
#include "api.h"
#include "howdah/base/text.h"
#include "howdah/client/job_request.h"
#include "howdah/client/secrets.h"
#include "howdah/client/source_note.h"
#include "howdah/jobspec/job_file.h"
#include "json_text.h"
#include "stored_job.h"
#include "submission.h"

namespace howdah::portal {
namespace {

using backend::Cluster;
using web::Arguments;
using web::Request;
using web::Respond;
using web::Response;

// A job file as the user has edited it, and changes as those of --set.
struct EditedJob {
  std::string text;
  std::vector<std::string> sets;
};

Result<EditedJob> EditedJobOf(const Json& body) {
  EditedJob edited;
  const auto job = body.find("job"), set = body.find("set");
  if (job == body.end() || !job->is_string())
    return Error{ErrorCode::kUsage, "job: the text of a job file is missing; write {\"job\": \"name: ...\"}"};
  edited.text = job->get<std::string>();
  if (set == body.end() || set->is_null()) return edited;
  const bool is_list =
      set->is_array() && std::all_of(set->begin(), set->end(), [](const Json& one) { return one.is_string(); });
  if (!is_list)
    return Error{ErrorCode::kUsage, "set: write a list of changes, {\"set\": [\"roles.worker.memory=2GiB\"]}"};
  edited.sets = set->get<std::vector<std::string>>();
  return edited;
}

// The keys of the changes. Their values may be secrets.
Json KeysOf(const std::vector<std::string>& sets) {
  Json keys = Json::array();
  for (const std::string& set : sets) keys.push_back(set.substr(0, set.find('=')));
  return keys;
}

// A job that was checked as `howdah plan` checks it.
struct CheckedJob {
  jobspec::ParsedJob job;
  std::vector<std::string> refusals, ignored, notes;
  bool accepted() const { return job.problems.empty() && refusals.empty(); }
};

// original: the job whose secrets replace hidden values of the edited one.
Result<CheckedJob> CheckJob(Cluster& cluster, const EditedJob& edited, const jobspec::JobSpec& original) {
  HOWDAH_TRY(jobspec::SubmitHost host, client::SubmitHostHere("job.yaml"));
  host.sets = edited.sets;
  CheckedJob checked{.job = jobspec::ParseJobFile(edited.text, host)};
  if (!checked.job.problems.empty()) return checked;
  for (std::string& key : client::RestoreSecrets(checked.job.spec, original, kHiddenValue)) {
    checked.job.problems.push_back(
        {.file = host.file_name,
         .key = std::move(key),
         .text = "its value is hidden, and the old job has no such key to copy it from: write the value"});
  }
  if (!checked.job.problems.empty()) return checked;
  backend::Cluster::JobCheck check = cluster.Check(checked.job.spec);
  checked.refusals = std::move(check.refusals);
  checked.ignored = std::move(check.ignored);
  checked.notes = client::SourceNotesOf(checked.job.spec);
  return checked;
}

Json ProblemsJson(const std::vector<keyfile::Problem>& problems) {
  Json list = Json::array();
  for (const keyfile::Problem& problem : problems) {
    list.push_back({{"file", problem.file}, {"line", problem.line}, {"key", problem.key}, {"text", problem.text}});
  }
  return list;
}

Json RolesJson(const jobspec::JobSpec& spec) {
  Json roles = Json::array();
  for (const jobspec::RoleSpec& role : spec.roles) {
    roles.push_back({{"role", role.name},
                     {"min", role.instances.min},
                     {"max", role.instances.max},
                     {"memory_bytes", role.memory_bytes},
                     {"vcores", role.vcores},
                     {"gpus", role.gpus}});
  }
  return roles;
}

Json CheckJson(const CheckedJob& checked) {
  const bool valid = checked.job.problems.empty();
  return {{"accepted", checked.accepted()},
          {"problems", ProblemsJson(checked.job.problems)},
          {"hints", ProblemsJson(checked.job.hints)},
          {"refusals", checked.refusals},
          {"ignored", checked.ignored},
          {"notes", checked.notes},
          {"name", valid ? Json(checked.job.spec.name) : Json(nullptr)},
          {"roles", valid ? RolesJson(checked.job.spec) : Json::array()}};
}

// The paths on the submitting machine that the job needs and this machine does not have.
Result<std::vector<std::string>> MissingPaths(const jobspec::JobSpec& spec) {
  HOWDAH_TRY(const jobspec::SubmitHost host, client::SubmitHostHere("job.yaml"));
  std::vector<std::string> paths = {spec.source, spec.python_archive};
  for (const jobspec::FileOfRole& file : jobspec::AllFiles(spec)) paths.push_back(file.file.from);
  std::erase_if(paths, [&](const std::string& path) {
    return !path.starts_with('/') || host.path_kind(path) != keyfile::PathKind::kMissing;
  });
  return paths;
}

Result<Response> RerunAnswer(Cluster& cluster, const JobId& id, const std::string& here) {
  HOWDAH_TRY(const jobspec::JobSpec spec, ReadStoredJob(cluster, id, /*reveal=*/false));
  HOWDAH_TRY(const journal::JobView view, cluster.Status(id));
  HOWDAH_TRY(const std::vector<std::string> missing, MissingPaths(spec));
  Json problem = nullptr;
  if (!missing.empty()) {
    problem = Shown(missing.front()) + " is not on this machine (" + here + "), and " + id.text +
              " was submitted from " + (view.host.empty() ? "another one" : view.host) +
              ". Save the job file there, and submit it with this command.";
  }
  return web::Json(Dump({{"job", jobspec::DescribeEffective(spec)},
                         {"roles", RolesJson(spec)},
                         {"host", OrNull(view.host)},
                         {"missing", missing},
                         {"problem", std::move(problem)}}) +
                   "\n");
}

void ShowRerun(Services& services, const Arguments& arguments, Respond respond) {
  const auto make = [here = services.facts.host](Cluster& cluster, const JobId& id) {
    return RerunAnswer(cluster, id, here);
  };
  AnswerForJob(services, arguments.Text("id"), make, std::move(respond));
}

void Plan(Services& services, const Request& request, Respond respond) {
  if (const auto refusal =
          RefuseReadOnly(services, request, "checks no job files: they can quote variables of the portal"))
    return respond(web::ToResponse(*refusal));
  const auto body = FieldsOf(request.body, {"job", "set", "of"});
  const auto edited = body.ok() ? EditedJobOf(*body) : Result<EditedJob>(body.error());
  if (!edited.ok()) return respond(web::ToResponse(ToProblem(edited.error())));
  const auto of = body->find("of");
  if (of == body->end() || !of->is_string()) {
    const auto make = [edited = *edited](Cluster& cluster) -> Result<Response> {
      HOWDAH_TRY(const CheckedJob checked, CheckJob(cluster, edited, {}));
      return web::Json(Dump(CheckJson(checked)) + "\n");
    };
    return AnswerFrom(services, services.backends.front(), make, std::move(respond));
  }
  const auto make = [edited = *edited](Cluster& cluster, const JobId& id) -> Result<Response> {
    HOWDAH_TRY(const jobspec::JobSpec original, ReadStoredJob(cluster, id, /*reveal=*/true));
    HOWDAH_TRY(const CheckedJob checked, CheckJob(cluster, edited, original));
    return web::Json(Dump(CheckJson(checked)) + "\n");
  };
  AnswerForJob(services, of->get<std::string>(), make, std::move(respond));
}

void Rerun(Services& services, const Request& request, const Arguments& arguments, Respond respond) {
  const auto body = FieldsOf(request.body, {"job", "set"});
  const auto edited = body.ok() ? EditedJobOf(*body) : Result<EditedJob>(body.error());
  if (!edited.ok()) return respond(web::ToResponse(ToProblem(edited.error())));
  Action action{.name = "submit", .arguments = Dump({{"set", KeysOf(edited->sets)}})};
  action.act = [edited = *edited, user = services.facts.user](Cluster& cluster, const JobId& id) -> Result<Response> {
    HOWDAH_TRY(const jobspec::JobSpec original, ReadStoredJob(cluster, id, /*reveal=*/true));
    HOWDAH_TRY(const CheckedJob checked, CheckJob(cluster, edited, original));
    if (const std::string reason = ReasonNotToSubmit(checked.job, checked.refusals); !reason.empty())
      return web::ToResponse({.status = 400, .detail = reason});
    HOWDAH_TRY(const JobId submitted, cluster.Submit(checked.job.spec, {.user = user}));
    return SubmittedAnswer(submitted);
  };
  action.late = StillSubmittingAnswer();
  Perform(services, request, arguments, std::move(action), std::move(respond));
}

constexpr char kBody[] = R"({"type": "object", "additionalProperties": false, "required": ["job"], "properties": {
  "job": {"type": "string", "description": "The text of a job file"},
  "set": {"type": ["array", "null"], "items": {"type": "string"}, "description": "Changes, as those of --set"}}})";
constexpr char kPlanBody[] = R"({"type": "object", "additionalProperties": false, "required": ["job"], "properties": {
  "job": {"type": "string", "description": "The text of a job file"},
  "set": {"type": ["array", "null"], "items": {"type": "string"}, "description": "Changes, as those of --set"},
  "of": {"type": ["string", "null"], "description": "The job whose backend and hidden values apply"}}})";

}  // namespace

void AddRerunRoutes(Services& services, web::Routes& routes) {
  routes.Add({.method = "GET",
              .pattern = Path("jobs/{id}/rerun"),
              .summary = "Show whether a job can be run again from this machine",
              .parameters = {JobParameter()},
              .answer =
                  "`job` is the effective job file as YAML, with hidden secrets. `problem` says why the job cannot "
                  "be submitted here; null: it can.",
              .answer_schema = R"({"type": "object", "required": ["job", "roles", "host", "missing", "problem"],
  "properties": {"job": {"type": "string"}, "roles": {"type": "array", "items": {"type": "object"}},
    "host": {"type": ["string", "null"]}, "missing": {"type": "array", "items": {"type": "string"}},
    "problem": {"type": ["string", "null"]}}})",
              .tag = "Job",
              .handler = [&services](const Request&, const Arguments& arguments, Respond respond) {
                ShowRerun(services, arguments, std::move(respond));
              }});
  routes.Add({.method = "POST",
              .pattern = Path("plan"),
              .summary = "Check a job file without submitting it",
              .body_schema = kPlanBody,
              .answer =
                  "As `howdah plan` checks it: `problems` of the file with their lines, `refusals` of the backend. "
                  "`accepted`: there are none of either. A hidden value that `of` does not have is a problem.",
              .answer_schema = R"({"type": "object", "required": ["accepted", "problems", "hints", "refusals",
  "ignored", "notes", "name", "roles"], "properties": {"accepted": {"type": "boolean"},
    "problems": {"type": "array", "items": {"type": "object", "required": ["file", "line", "key", "text"]}},
    "hints": {"type": "array", "items": {"type": "object"}},
    "refusals": {"type": "array", "items": {"type": "string"}},
    "ignored": {"type": "array", "items": {"type": "string"}}, "notes": {"type": "array", "items": {"type": "string"}},
    "name": {"type": ["string", "null"]}, "roles": {"type": "array", "items": {"type": "object"}}}})",
              .errors = {{403, "The token is read-only: a job file can quote environment variables of the portal."}},
              .tag = "Actions",
              .handler = [&services](const Request& request, const Arguments&, Respond respond) {
                Plan(services, request, std::move(respond));
              }});
  routes.Add({.method = "POST",
              .pattern = Path("jobs/{id}/rerun"),
              .summary = "Submit a changed copy of a job",
              .parameters = {JobParameter()},
              .body_schema = kBody,
              .answer =
                  "202 with the id of the new job, on the backend of the old one. Hidden values in `job` keep those "
                  "of the old job. `id` is null if copying the files takes longer than 10 s; the submission "
                  "continues.",
              .answer_schema = R"({"type": "object", "required": ["text", "id"], "properties": {
  "text": {"type": "string"}, "id": {"type": ["string", "null"]}}})",
              .answer_statuses = {202},
              .errors = {{403, "The portal was started with `--read-only`, or the token is read-only."}},
              .tag = "Actions",
              .handler = [&services](const Request& request, const Arguments& arguments, Respond respond) {
                Rerun(services, request, arguments, std::move(respond));
              }});
}

}  // namespace howdah::portal
