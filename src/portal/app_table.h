// The servers in jobs that browsers may use through the portal, and the tickets that open them. Pure.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>

#include "howdah/base/time.h"

namespace howdah::portal {

// A server in a task, the job's TensorBoard, or a TensorBoard that the portal runs.
struct AppServer {
  std::string job;   // its id; "" for a TensorBoard of the portal
  std::string role;  // "" for TensorBoard
  int index = 0;
  uint16_t port = 0;             // on the loopback interface of the task's machine; for TensorBoard that of the AM's
  std::string tensorboard = {};  // its id, if the portal runs it (TensorBoards)
  friend auto operator<=>(const AppServer&, const AppServer&) = default;
};

// On whose behalf a server was opened.
struct AppOpener {
  uid_t user = 0;     // of the process that has opened it
  std::string token;  // the name of the token with which it was opened; "" for none
  std::string token_hash = {};
  friend bool operator==(const AppOpener&, const AppOpener&) = default;
};

// A server with an origin of its own, for one opener.
struct App {
  std::string label;  // the first part of its host name, which cannot be guessed
  AppServer server;
  AppOpener opener;
  std::string secret;  // the value of the cookie that admits a browser
};

class AppTable {
 public:
  static constexpr Duration kTicketLife = std::chrono::seconds(30);
  static constexpr size_t kMostApps = 256, kMostTickets = 1024;  // older ones are dropped

  // random: 32 hexadecimal digits that cannot be guessed.
  explicit AppTable(std::function<std::string()> random) : random_(std::move(random)) {}

  struct Ticket {
    std::string label, text;
  };
  // Makes a ticket for the server. A server that the same opener has opened before keeps its label, and so its origin.
  // landing: the path and query to which the ticket leads; it may contain a secret of the server.
  Ticket Open(const AppServer& server, const AppOpener& opener, std::string landing, Instant now);

  // nullptr if there is no such app: it was dropped, or another portal has made the label.
  const App* Find(const std::string& label) const;
  const std::map<std::string, App>& apps() const { return apps_; }  // by label

  // Uses up the ticket, and returns its landing. nullopt if it is not valid for this app (any more).
  std::optional<std::string> Redeem(const std::string& label, const std::string& ticket, Instant now);

 private:
  struct Pending {
    std::string label, landing;
    Instant expires;
    uint64_t number = 0;  // in the order of Open
  };
  void DropOldest();

  std::function<std::string()> random_;
  std::map<std::string, App> apps_;
  std::map<std::string, uint64_t> opened_;  // label -> number of its last Open
  std::map<std::string, Pending> tickets_;  // by a hash of the ticket
  uint64_t last_number_ = 0;
};

}  // namespace howdah::portal
