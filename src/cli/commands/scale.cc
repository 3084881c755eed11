#include <charconv>

#include "commands.h"

namespace howdah::cli {

int ScaleCommand(Shell& shell, const Arguments& arguments) {
  const std::string& text = arguments.scale;
  const size_t equals = text.rfind('=');
  int instances = -1;
  if (equals != std::string::npos && equals > 0) {
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data() + equals + 1, end, instances);
    if (error != std::errc() || stop != end) instances = -1;
  }
  if (instances < 0) {
    return Report(Error{ErrorCode::kUsage, "scaling: '" + text + "' is not ROLE=N; write worker=4"});
  }
  const auto place = shell.Place();
  if (!place.ok()) return Report(place.error());
  const auto id = (*place)->Resolve(arguments.id);
  if (!id.ok()) return Report(id.error());
  const std::string role = text.substr(0, equals);
  const Status scaled = (*place)->Scale(*id, role, instances, shell.By("`howdah scale`"));
  if (!scaled.ok()) return Report(scaled.error());
  Say(id->text + ": " + role + " is to have " + std::to_string(instances) + (instances == 1 ? " task" : " tasks"));
  return kExitOk;
}

}  // namespace howdah::cli
