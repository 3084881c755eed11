#include "howdah/frameworks/horovod/key_value_store.h"

#include <algorithm>
#include <utility>

namespace howdah::frameworks::horovod {
namespace {

bool NamesScopeAndKey(const std::string& path) {
  if (path.empty() || path.front() != '/') return false;
  const size_t slash = path.find('/', 1);
  return slash != std::string::npos && slash > 1 && slash + 1 < path.size();
}

}  // namespace

std::vector<KeyValueStore::Answer> KeyValueStore::OnRequest(RequestId id, const Request& request, Instant now) {
  if (!NamesScopeAndKey(request.path)) return {{id, 400, ""}};
  if (request.method == "PUT") return Put(id, request);
  const auto found = values_.find(request.path);
  if (request.method == "DELETE") {
    if (found != values_.end()) {
      size_ -= found->first.size() + found->second.size();
      values_.erase(found);
    }
    return {{id, 200, ""}};
  }
  if (request.method != "GET") return {{id, 405, ""}};
  if (found != values_.end()) return {{id, 200, found->second}};
  held_.push_back({id, request.path, hold_ ? now + *hold_ : Instant::max()});
  return {};
}

std::vector<KeyValueStore::Answer> KeyValueStore::Put(RequestId id, const Request& request) {
  const auto found = values_.find(request.path);
  const size_t old = found == values_.end() ? 0 : found->first.size() + found->second.size();
  const size_t size = size_ - old + request.path.size() + request.body.size();
  if (size > limit_) return {{id, 507, ""}};
  size_ = size;
  values_[request.path] = request.body;
  std::vector<Answer> answers = {{id, 200, ""}};
  const auto settled =
      std::stable_partition(held_.begin(), held_.end(), [&](const Held& held) { return held.path != request.path; });
  for (auto held = settled; held != held_.end(); ++held) answers.push_back({held->request, 200, request.body});
  held_.erase(settled, held_.end());
  return answers;
}

std::vector<KeyValueStore::Answer> KeyValueStore::Clear() {
  values_.clear();
  size_ = 0;
  std::vector<Answer> answers;
  for (const Held& held : std::exchange(held_, {})) answers.push_back({held.request, 404, ""});
  return answers;
}

std::vector<KeyValueStore::Answer> KeyValueStore::OnTime(Instant now) {
  std::vector<Answer> answers;
  auto held = held_.begin();
  for (; held != held_.end() && held->until <= now; ++held) answers.push_back({held->request, 404, ""});
  held_.erase(held_.begin(), held);
  return answers;
}

std::optional<Instant> KeyValueStore::NextDeadline() const {
  if (held_.empty() || !hold_) return std::nullopt;
  return held_.front().until;
}

}  // namespace howdah::frameworks::horovod
