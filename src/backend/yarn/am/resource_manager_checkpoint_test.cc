#include "resource_manager_checkpoint.h"

#include <gtest/gtest.h>

#include "howdah/os/files/files.h"
#include "howdah/os/process/testing.h"

namespace howdah::backend::yarn::am {
namespace {

using namespace ::hadoop::yarn;

const hadoop::yarn::AttemptId kAttempt{{1700000000000, 1}, 2};

hadoop::yarn::ContainerId Id(int number) { return {kAttempt, number}; }

void SetContainer(ContainerProto& container, int number) {
  *container.mutable_id() = hadoop::yarn::ToProto(Id(number));
  container.mutable_nodeid()->set_host("node" + std::to_string(number));
}

NMTokenProto TokenFor(const std::string& node, const std::string& identifier) {
  NMTokenProto token;
  token.mutable_nodeid()->set_host(node);
  token.mutable_token()->set_identifier(identifier);
  token.mutable_token()->set_password("");
  token.mutable_token()->set_kind("NMToken");
  token.mutable_token()->set_service("");
  return token;
}

TEST(ResourceManagerCheckpoint, WhatOneProcessWasToldTheNextOneKnows) {
  const os::files::Scratch scratch;
  const std::string path = scratch / "answers.bin";
  {
    std::optional<ResourceManagerCheckpoint::Past> past;
    auto kept = ResourceManagerCheckpoint::Open(path, past);
    ASSERT_TRUE(kept.ok());
    EXPECT_FALSE(past) << "it has not even registered";
    RegisterApplicationMasterResponseProto registered;
    SetContainer(*registered.add_containers_from_previous_attempts(), 1);
    *registered.add_nm_tokens_from_previous_attempts() = TokenFor("node1", "old");
    ASSERT_TRUE(kept->Keep(registered).ok());
    AllocateResponseProto answer;
    answer.set_response_id(1);
    SetContainer(*answer.add_allocated_containers(), 2);
    SetContainer(*answer.add_allocated_containers(), 3);
    *answer.add_nm_tokens() = TokenFor("node1", "new");
    ASSERT_TRUE(kept->Keep(answer).ok());
  }
  std::optional<ResourceManagerCheckpoint::Past> past;
  auto kept = ResourceManagerCheckpoint::Open(path, past);
  ASSERT_TRUE(kept.ok() && past);
  EXPECT_EQ(past->response_id, 1);
  EXPECT_EQ(past->containers.size(), 3u);
  EXPECT_EQ(past->containers.at(Id(3)).nodeid().host(), "node3");
  ASSERT_EQ(past->nm_tokens.size(), 2u);
  EXPECT_EQ(past->nm_tokens.back().token().identifier(), "new");
  EXPECT_FALSE(past->am_rm_token);

  AllocateResponseProto answer;
  answer.set_response_id(2);
  auto& ended = *answer.add_completed_container_statuses();
  *ended.mutable_container_id() = hadoop::yarn::ToProto(Id(2));
  ended.set_exit_status(137);
  *answer.mutable_am_rm_token() = TokenFor("", "rolled").token();
  ASSERT_TRUE(kept->Keep(answer).ok());
  ASSERT_TRUE(ResourceManagerCheckpoint::Open(path, past = std::nullopt).ok());
  EXPECT_EQ(past->response_id, 2);
  EXPECT_FALSE(past->containers.contains(Id(2)));
  EXPECT_EQ(past->completed.at(Id(2)).exit_status(), 137);
  EXPECT_EQ(past->am_rm_token->identifier(), "rolled");
}

TEST(ResourceManagerCheckpoint, AFileOfSomethingElseIsNotTakenForOne) {
  const os::files::Scratch scratch;
  const std::string path = scratch / "answers.bin";
  ASSERT_TRUE(os::files::WriteFileAtomically(path, std::string("\3\0\0\0\xff\xff\xff", 7), 0600).ok());
  std::optional<ResourceManagerCheckpoint::Past> past;
  EXPECT_FALSE(ResourceManagerCheckpoint::Open(path, past).ok());
}

}  // namespace
}  // namespace howdah::backend::yarn::am
