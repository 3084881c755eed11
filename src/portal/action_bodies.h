// The JSON bodies of the portal's actions. Pure. The errors are kUsage, and say what to write instead.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "howdah/base/result.h"
#include "howdah/base/time.h"
#include "howdah/client/job_request.h"
#include "howdah/client/notebook.h"
#include "json_text.h"

namespace howdah::portal {

// The fields of a body. An empty body has none. An error if the body is not a JSON object, or has another field.
Result<Json> FieldsOf(const std::string& body, std::initializer_list<std::string_view> known);

// The grace of a kill, from {"grace": "30s"}. nullopt if the body is empty or names none.
Result<std::optional<Duration>> GraceOf(const std::string& body);

struct ScaleOrder {
  std::string role;
  int instances = 0;
};
// Reads {"role": "worker", "instances": 4}.
Result<ScaleOrder> ScaleOrderOf(const std::string& body);

struct StackOrder {
  std::string task;  // "worker:0"
  bool native = false;
  std::string signal;  // "USR1"; "" for none
};
// Reads {"task": "worker:0", "native": true, "signal": "USR1"}; the last two may be absent.
Result<StackOrder> StackOrderOf(const std::string& body);

struct OpenOrder {
  enum class What { kTensorBoard, kNotebook, kPort } what = What::kPort;
  std::string task;             // of kPort: "worker:0"
  uint16_t port = 0;            // of kPort
  std::optional<bool> by_name;  // whether the address is a host name, or else a port; nullopt: the portal decides
};
// Reads {"tensorboard": true}, {"notebook": true} or {"task": "worker:0", "port": 8888}. Each may also have
// "address": "name" or "port".
Result<OpenOrder> OpenOrderOf(const std::string& body);
// Reads {"address": "name"} or {"address": "port"}, for OpenOrder::by_name. nullopt if the body is empty or has null.
Result<std::optional<bool>> AddressOf(const std::string& body);

// Reads {"jobs": ["ID", ...]}: 1 to 20 names of jobs.
Result<std::vector<std::string>> TensorBoardJobsOf(const std::string& body);

struct NotebookOrder {
  std::string backend;  // "" for the first one
  client::JobRequest job;
  client::NotebookOptions notebook;
};
// Reads {"on": "yarn", "name": TEXT, "memory": "8GiB", "vcores": 4, "gpus": 1, "python": FILE, "queue": TEXT,
// "directory": DIR, "idle": "1h", "limit": "24h"}. Each may be absent or null; the defaults are those of
// `howdah notebook`. The values are checked when the job is made.
Result<NotebookOrder> NotebookOrderOf(const std::string& body);

}  // namespace howdah::portal
