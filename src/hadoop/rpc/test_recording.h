// For tests: recorded traffic in the format of the files in testdata/.
#pragma once

#include <gtest/gtest.h>

#include <cctype>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "connection.h"

namespace howdah::hadoop::rpc {

inline std::string FromHex(std::string_view hex) {
  std::string bytes;
  if (hex == "-") return bytes;
  for (size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  }
  return bytes;
}

// One step per line. Indented lines below a step are its bytes in hexadecimal. "#" begins a comment.
struct Recording {
  struct Step {
    std::string word, rest;  // for example "answer" and "0 0a2b"
    std::string bytes;
  };
  ConnectionOptions options;
  std::vector<Step> steps;

  std::string server_bytes() const {
    std::string all;
    for (const Step& step : steps) all += step.word == "server" ? step.bytes : "";
    return all;
  }
};

inline std::string TestData(const std::string& name) {
  std::ifstream file(std::string(HOWDAH_SOURCE_DIR) + "/src/hadoop/rpc/testdata/" + name);
  std::ostringstream text;
  text << file.rdbuf();
  EXPECT_FALSE(text.str().empty()) << name;
  return text.str();
}

inline Recording ReadRecording(const std::string& name) {
  Recording recording;
  Token token;
  std::istringstream lines(TestData(name));
  for (std::string line; std::getline(lines, line);) {
    if (line.empty() || line[0] == '#') continue;
    if (line[0] == ' ') {
      recording.steps.back().bytes += FromHex(line.substr(2));
      continue;
    }
    const size_t space = line.find(' ');
    const std::string word = line.substr(0, space), rest = space == std::string::npos ? "" : line.substr(space + 1);
    if (word == "protocol") {
      recording.options.protocol = rest;
    } else if (word == "user") {
      recording.options.user = rest;
    } else if (word == "client-id") {
      recording.options.client_id = FromHex(rest);
    } else if (word == "token") {
      token.identifier = FromHex(rest.substr(0, rest.find(' ')));
      token.password = FromHex(rest.substr(rest.find(' ') + 1));
    } else if (word == "cnonce") {
      recording.options.mechanisms = {TokenMechanism(token, rest)};
    } else {
      recording.steps.push_back({word, rest, ""});
    }
  }
  return recording;
}

// Starts the call that a step describes, such as "0 getNewApplication -".
inline void StartCall(Connection& connection, const Recording::Step& step) {
  std::istringstream words(step.rest);
  int32_t id = 0;
  std::string method, request;
  words >> id >> method >> request;
  connection.Call(id, 0, method, FromHex(request));
}

inline void FeedInPieces(Connection& connection, std::string_view bytes, size_t size) {
  for (size_t at = 0; at < bytes.size(); at += size) connection.Receive(bytes.substr(at, size));
}

}  // namespace howdah::hadoop::rpc
