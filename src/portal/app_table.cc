#include "app_table.h"

#include <algorithm>
#include <utility>

#include "tokens.h"

namespace howdah::portal {

AppTable::Ticket AppTable::Open(const AppServer& server, const AppOpener& opener, std::string landing, Instant now) {
  const auto same = [&](const auto& entry) { return entry.second.server == server && entry.second.opener == opener; };
  auto found = std::find_if(apps_.begin(), apps_.end(), same);
  if (found == apps_.end()) {
    App app{.label = random_(), .server = server, .opener = opener, .secret = random_()};
    found = apps_.emplace(app.label, app).first;
  }
  const std::string& label = found->first;
  const uint64_t number = ++last_number_;
  opened_[label] = number;
  Ticket ticket{label, random_()};
  std::erase_if(tickets_, [&](const auto& entry) { return entry.second.expires <= now; });
  tickets_[HashOf(ticket.text)] = {label, std::move(landing), now + kTicketLife, number};
  DropOldest();
  return ticket;
}

void AppTable::DropOldest() {
  while (apps_.size() > kMostApps) {
    const auto oldest = std::min_element(opened_.begin(), opened_.end(),
                                         [](const auto& a, const auto& b) { return a.second < b.second; });
    apps_.erase(oldest->first);
    opened_.erase(oldest);
  }
  while (tickets_.size() > kMostTickets) {
    tickets_.erase(std::min_element(tickets_.begin(), tickets_.end(),
                                    [](const auto& a, const auto& b) { return a.second.number < b.second.number; }));
  }
}

const App* AppTable::Find(const std::string& label) const {
  const auto found = apps_.find(label);
  return found == apps_.end() ? nullptr : &found->second;
}

std::optional<std::string> AppTable::Redeem(const std::string& label, const std::string& ticket, Instant now) {
  const auto found = tickets_.find(HashOf(ticket));  // a search by hash reveals nothing about the other tickets
  if (found == tickets_.end() || found->second.label != label || found->second.expires <= now) return std::nullopt;
  std::string landing = std::move(found->second.landing);
  tickets_.erase(found);
  return landing;
}

}  // namespace howdah::portal
