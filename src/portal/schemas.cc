#include <array>
#include <string>
#include <utility>

#include "api.h"
#include "howdah/base/version.h"

namespace howdah::portal {
namespace {

struct NamedSchema {
  const char* name;
  const char* schema;
};

// Objects may have further fields: a newer portal adds some.
constexpr std::array kSchemas = {
    NamedSchema{"JobRow", R"({"type": "object",
  "required": ["id", "name", "state", "on", "framework", "reason", "submitted", "started", "finished", "user", "queue",
    "tags", "tasks", "gpus", "took_seconds", "progress", "goodput", "severity", "findings", "cost", "currency"],
  "properties": {"id": {"type": "string"}, "name": {"type": "string"},
    "state": {"enum": ["QUEUED", "STARTING", "RUNNING", "RECOVERING", "SUCCEEDED", "FAILED", "KILLED"]},
    "on": {"type": "string"}, "framework": {"type": "string"}, "reason": {"type": ["string", "null"]},
    "submitted": {"type": ["string", "null"]}, "started": {"type": ["string", "null"]},
    "finished": {"type": ["string", "null"]}, "user": {"type": ["string", "null"]},
    "queue": {"type": ["string", "null"]}, "tags": {"type": "array", "items": {"type": "string"}},
    "tasks": {"type": "object", "required": ["running", "total"],
      "properties": {"running": {"type": "integer"}, "total": {"type": "integer"}}},
    "gpus": {"type": ["integer", "null"]}, "took_seconds": {"type": ["number", "null"]},
    "progress": {"type": ["object", "null"], "properties": {"step": {"type": ["integer", "null"]},
      "steps": {"type": ["integer", "null"]}, "steps_per_second": {"type": ["number", "null"]},
      "at": {"type": ["string", "null"]}}},
    "goodput": {"type": ["number", "null"]}, "severity": {"enum": ["low", "moderate", "severe", "critical", null]},
    "findings": {"type": ["integer", "null"]}, "cost": {"type": ["number", "null"]},
    "currency": {"type": ["string", "null"]}}})"},
    NamedSchema{"Job", R"({"type": "object",
  "required": ["id", "name", "state", "on", "framework", "reason", "submitted", "started", "finished", "tasks",
    "account", "host", "logs"],
  "properties": {"id": {"type": "string"}, "name": {"type": "string"},
    "state": {"enum": ["QUEUED", "STARTING", "RUNNING", "RECOVERING", "SUCCEEDED", "FAILED", "KILLED"]},
    "exit_code": {"type": ["integer", "null"]}, "on": {"type": "string"}, "framework": {"type": "string"},
    "generation": {"type": "integer"}, "reason": {"type": ["string", "null"]}, "advice": {"type": ["string", "null"]},
    "submitted": {"type": ["string", "null"]}, "started": {"type": ["string", "null"]},
    "finished": {"type": ["string", "null"]}, "account": {"type": ["object", "null"]},
    "tasks": {"type": "array", "items": {"$ref": "#/components/schemas/Task"}},
    "host": {"type": ["string", "null"]}, "logs": {"type": "string"}}})"},
    NamedSchema{"WaitingJob", R"({"type": "object",
  "required": ["id", "name", "user", "queue", "state", "submitted", "tasks", "gpus", "reason"],
  "properties": {"id": {"type": "string"}, "name": {"type": "string"}, "user": {"type": ["string", "null"]},
    "queue": {"type": ["string", "null"]}, "state": {"type": "string"}, "submitted": {"type": ["string", "null"]},
    "tasks": {"type": "integer"}, "gpus": {"type": ["integer", "null"]}, "reason": {"type": ["string", "null"]}}})"},
    NamedSchema{"Task", R"({"type": "object", "required": ["role", "index", "state", "attempt", "node", "usage"],
  "properties": {"role": {"type": "string"}, "index": {"type": "integer"},
    "state": {"enum": ["PENDING", "ALLOCATED", "READY", "RUNNING", "SUCCEEDED", "FAILED", "LOST", "STOPPED"]},
    "attempt": {"type": "integer"}, "node": {"type": ["string", "null"]}, "container": {"type": ["string", "null"]},
    "ranks": {"type": "array", "items": {"type": "integer"}}, "exit_code": {"type": ["integer", "null"]},
    "signal": {"type": ["string", "null"]}, "reason": {"type": ["string", "null"]},
    "started": {"type": ["string", "null"]}, "finished": {"type": ["string", "null"]},
    "usage": {"type": "object"}, "progress": {"type": ["object", "null"]}}})"},
    NamedSchema{"Attempt", R"({"type": "object", "required": ["task", "role", "index", "attempt", "state"],
  "properties": {"task": {"type": "string"}, "role": {"type": "string"}, "index": {"type": "integer"},
    "attempt": {"type": "integer"}, "generation": {"type": "integer"}, "state": {"type": "string"},
    "node": {"type": ["string", "null"]}, "container": {"type": ["string", "null"]},
    "ranks": {"type": "array", "items": {"type": "integer"}}, "started": {"type": ["string", "null"]},
    "finished": {"type": ["string", "null"]}, "exit_code": {"type": ["integer", "null"]},
    "signal": {"type": ["string", "null"]}, "reason": {"type": ["string", "null"]},
    "memory_peak_bytes": {"type": ["integer", "null"]}, "cpu_seconds": {"type": ["number", "null"]},
    "step": {"type": ["integer", "null"]},
    "spans": {"type": "array", "items": {"type": "object", "required": ["state", "from", "to"], "properties": {
      "state": {"type": "string"}, "from": {"type": "string"}, "to": {"type": ["string", "null"]}}}}}})"},
    NamedSchema{"Event", R"({"type": "object", "required": ["seq", "text", "entry"], "properties": {
  "seq": {"type": "integer"}, "text": {"type": "string"},
  "entry": {"type": "object", "required": ["time", "type"]}}})"},
    NamedSchema{"Timeline", R"({"type": "object",
  "required": ["from", "to", "stretches", "generations", "attempts", "marks"],
  "properties": {"from": {"type": ["string", "null"]}, "to": {"type": ["string", "null"]},
    "stretches": {"type": "array", "items": {"type": "object", "required": ["what", "from", "to"], "properties": {
      "what": {"enum": ["queue", "localization", "start", "rendezvous", "running", "lost", "recovering"]},
      "from": {"type": "string"}, "to": {"type": "string"}}}},
    "generations": {"type": "array", "items": {"type": "object", "properties": {"generation": {"type": "integer"},
      "at": {"type": "string"}, "cause": {"type": "string"}, "lost_seconds": {"type": "number"},
      "recovering_seconds": {"type": "number"}}}},
    "attempts": {"type": "array", "items": {"$ref": "#/components/schemas/Attempt"}},
    "marks": {"type": "array", "items": {"type": "object", "required": ["at", "kind", "task", "text"], "properties": {
      "at": {"type": "string"}, "kind": {"enum": ["failure", "lost", "checkpoint", "scaled", "recovering", "stop"]},
      "task": {"type": ["string", "null"]}, "text": {"type": "string"}}}}}})"},
    NamedSchema{"GoodputGroup", R"({"type": "object", "required": ["group", "jobs", "held", "goodput", "cost"],
  "properties": {"group": {"type": "string"}, "jobs": {"type": "integer"}, "succeeded": {"type": "integer"},
    "failed": {"type": "integer"}, "killed": {"type": "integer"}, "queue_seconds": {"type": "number"},
    "held": {"oneOf": [{"$ref": "#/components/schemas/Held"}, {"type": "null"}]},
    "useful": {"oneOf": [{"$ref": "#/components/schemas/Held"}, {"type": "null"}]},
    "goodput": {"type": ["number", "null"]}, "busy": {"type": ["number", "null"]},
    "cost": {"type": ["number", "null"]}, "currency": {"type": ["string", "null"]}}})"},
    NamedSchema{"NamedJob", R"({"type": "object", "required": ["id", "name"], "properties": {
  "id": {"type": "string"}, "name": {"type": ["string", "null"]}}})"},
    NamedSchema{"SliderExports", R"({"type": "object", "required": ["description", "updated", "updatedTime", "entries"],
  "properties": {"description": {"type": "string"}, "updated": {"type": "integer"}, "updatedTime": {"type": "string"},
    "entries": {"type": "object", "additionalProperties": {"type": "array", "items": {"type": "object",
      "required": ["value", "containerId", "tag", "level"], "properties": {"value": {"type": "string"},
        "containerId": {"type": "string"}, "tag": {"type": "string"}, "level": {"type": "string"}}}}}}})"},
    NamedSchema{"Held", R"({"type": "object", "properties": {"gpu_seconds": {"type": "number"},
  "memory_gib_seconds": {"type": "number"}, "vcore_seconds": {"type": "number"}, "other": {"type": "object"}}})"},
    NamedSchema{"Finding", R"({"type": "object",
  "required": ["check", "severity", "role", "task", "text", "evidence", "change", "saving", "confidence", "runs"],
  "properties": {"check": {"type": "string"}, "severity": {"enum": ["low", "moderate", "severe", "critical"]},
    "role": {"type": ["string", "null"]}, "task": {"type": ["string", "null"]}, "text": {"type": "string"},
    "evidence": {"type": "array", "items": {"type": "string"}}, "change": {"type": "object"},
    "saving": {"type": "object"}, "confidence": {"enum": ["low", "high"]}, "runs": {"type": "integer"},
    "job": {"type": "object"}}})"},
    NamedSchema{"Metrics", R"({"type": "object", "required": ["start", "width", "series"], "properties": {
  "start": {"type": ["string", "null"]}, "width": {"type": "number"}, "note": {"type": "string"},
  "series": {"type": "array", "items": {"type": "object",
    "required": ["name", "unit", "scope", "task", "rank", "capacity", "mean", "max", "absent"],
    "properties": {"name": {"type": "string"}, "unit": {"type": "string"}, "scope": {"enum": ["task", "node"]},
      "task": {"type": "string"}, "rank": {"type": ["integer", "null"]}, "quantile": {"type": "integer"},
      "capacity": {"type": ["number", "null"]},
      "mean": {"type": "array", "items": {"type": ["number", "string", "null"]}},
      "max": {"type": ["array", "null"], "items": {"type": ["number", "string", "null"]}},
      "absent": {"type": ["string", "null"]}}}}}})"},
    NamedSchema{"RoleUsage", R"({"type": "object",
  "required": ["role", "tasks", "failed", "restarts", "memory_peak_bytes", "memory_bytes", "vcores", "gpus",
    "cpu_seconds", "gpu_utilisation", "gpu_memory_average", "step"],
  "properties": {"role": {"type": "string"}, "tasks": {"type": "integer"}, "failed": {"type": "integer"},
    "restarts": {"type": "integer"}, "memory_peak_bytes": {"type": ["integer", "null"]},
    "memory_bytes": {"type": ["integer", "null"]}, "vcores": {"type": ["integer", "null"]},
    "gpus": {"type": ["integer", "null"]}, "cpu_seconds": {"type": ["number", "null"]},
    "gpu_utilisation": {"type": ["number", "null"]}, "gpu_memory_average": {"type": ["number", "null"]},
    "step": {"type": ["integer", "null"]}}})"},
    NamedSchema{"Compared", R"({"type": "object", "required": ["name", "same", "values"], "properties": {
  "name": {"type": "string"}, "kind": {"enum": ["job file", "environment", "files", "backend", "versions"]},
  "same": {"type": "boolean"}, "values": {"type": "array", "items": {"type": ["string", "null"]}}}})"},
    NamedSchema{"LogSource", R"({"type": "object", "required": ["task", "role", "index", "attempt", "rank", "stream"],
  "properties": {"task": {"type": "string"}, "role": {"type": "string"}, "index": {"type": "integer"},
    "attempt": {"type": "integer"}, "rank": {"type": "integer"}, "stream": {"enum": ["stdout", "stderr"]}}})"},
};

}  // namespace

std::string Path(std::string_view route) { return std::string(kApi) + std::string(route); }

void AddSchemas(web::Routes& routes) {
  for (const NamedSchema& schema : kSchemas) routes.AddSchema(schema.name, schema.schema);
}

web::ApiTitle TitleOfApi() {
  return {.title = "API of the Howdah portal",
          .version = std::string(kVersion),
          .description =
              "`howdah portal` serves this API on its own address ([portal.md](portal.md)). Times are UTC, durations "
              "are seconds, and an unknown value is `null`, never 0. A POST needs `Content-Type: application/json` and "
              "`Howdah-Request: 1`. No GET changes anything. No answer takes longer than 10 s."};
}

void AddOpenApiRoute(web::Routes& routes) {
  routes.Add({.method = "GET",
              .pattern = Path("openapi.json"),
              .summary = "Describe this API",
              .answer = "OpenAPI 3.1.",
              .tag = "Portal",
              .handler = [&routes](const web::Request&, const web::Arguments&, const web::Respond& respond) {
                respond(web::Json(routes.OpenApi(TitleOfApi())));
              }});
}

}  // namespace howdah::portal
