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

TEST(ResourceManagerCheckpoint, StateIsRestoredByTheNextProcess) {
  const os::files::Scratch scratch;
  const std::string path = scratch / "answers.bin";
  {
    std::optional<ResourceManagerCheckpoint::State> restored;
    auto checkpoint = ResourceManagerCheckpoint::Open(path, restored);
    ASSERT_TRUE(checkpoint.ok());
    EXPECT_FALSE(restored) << "not registered yet";
    RegisterApplicationMasterResponseProto registered;
    SetContainer(*registered.add_containers_from_previous_attempts(), 1);
    *registered.add_nm_tokens_from_previous_attempts() = TokenFor("node1", "old");
    ASSERT_TRUE(checkpoint->Save(registered).ok());
    AllocateResponseProto answer;
    answer.set_response_id(1);
    SetContainer(*answer.add_allocated_containers(), 2);
    SetContainer(*answer.add_allocated_containers(), 3);
    *answer.add_nm_tokens() = TokenFor("node1", "new");
    ASSERT_TRUE(checkpoint->Save(answer).ok());
  }
  std::optional<ResourceManagerCheckpoint::State> restored;
  auto checkpoint = ResourceManagerCheckpoint::Open(path, restored);
  ASSERT_TRUE(checkpoint.ok() && restored);
  EXPECT_EQ(restored->response_id, 1);
  EXPECT_EQ(restored->containers.size(), 3u);
  EXPECT_EQ(restored->containers.at(Id(3)).nodeid().host(), "node3");
  ASSERT_EQ(restored->nm_tokens.size(), 2u);
  EXPECT_EQ(restored->nm_tokens.back().token().identifier(), "new");
  EXPECT_FALSE(restored->am_rm_token);

  AllocateResponseProto answer;
  answer.set_response_id(2);
  auto& ended = *answer.add_completed_container_statuses();
  *ended.mutable_container_id() = hadoop::yarn::ToProto(Id(2));
  ended.set_exit_status(137);
  *answer.mutable_am_rm_token() = TokenFor("", "rolled").token();
  ASSERT_TRUE(checkpoint->Save(answer).ok());
  ASSERT_TRUE(ResourceManagerCheckpoint::Open(path, restored = std::nullopt).ok());
  EXPECT_EQ(restored->response_id, 2);
  EXPECT_FALSE(restored->containers.contains(Id(2)));
  EXPECT_EQ(restored->completed.at(Id(2)).exit_status(), 137);
  EXPECT_EQ(restored->am_rm_token->identifier(), "rolled");
}

TEST(ResourceManagerCheckpoint, AnswerWithoutRequiredFieldIsRestored) {
  const os::files::Scratch scratch;
  const std::string path = scratch / "answers.bin";
  std::optional<ResourceManagerCheckpoint::State> restored;
  auto checkpoint = ResourceManagerCheckpoint::Open(path, restored);
  ASSERT_TRUE(checkpoint.ok());
  AllocateResponseProto answer;
  answer.set_response_id(5);
  answer.mutable_am_rm_token()->set_identifier("token without a password");
  ASSERT_TRUE(checkpoint->Save(answer).ok());
  ASSERT_TRUE(ResourceManagerCheckpoint::Open(path, restored).ok());
  ASSERT_TRUE(restored && restored->am_rm_token);
  EXPECT_EQ(restored->response_id, 5);
  EXPECT_EQ(restored->am_rm_token->identifier(), "token without a password");
}

TEST(ResourceManagerCheckpoint, FileOfAnotherFormatIsRejected) {
  const os::files::Scratch scratch;
  const std::string path = scratch / "answers.bin";
  ASSERT_TRUE(os::files::WriteFileAtomically(path, std::string("\3\0\0\0\xff\xff\xff", 7), 0600).ok());
  std::optional<ResourceManagerCheckpoint::State> restored;
  EXPECT_FALSE(ResourceManagerCheckpoint::Open(path, restored).ok());
}

backend::Inherited Held(int number) { return {ContainerId{hadoop::yarn::ToText(Id(number))}, 0, "", std::nullopt}; }

std::string NumbersOf(const Takeover& takeover) {
  const auto number = [](const ContainerId& id) { return id.text.substr(id.text.size() - 1); };
  std::string text = "running:";
  for (const auto& [inherited, container] : takeover.running) text += number(inherited.container);
  text += " ended:";
  for (const auto& [inherited, status] : takeover.ended) text += number(inherited.container);
  text += " missing:";
  for (const auto& inherited : takeover.missing) text += number(inherited.container);
  text += " surplus:";
  for (const auto& container : takeover.surplus) text += std::to_string(hadoop::yarn::FromProto(container.id()).id);
  return text;
}

TEST(Takeover, NewProcessComparesContainersWithCheckpoint) {
  ResourceManagerCheckpoint::State state;
  for (const int number : {1, 2, 4}) SetContainer(state.containers[Id(number)], number);
  *state.completed[Id(3)].mutable_container_id() = hadoop::yarn::ToProto(Id(3));
  EXPECT_EQ(NumbersOf(TakeOver({Held(1), Held(2), Held(3), Held(5)}, state)), "running:12 ended:3 missing:5 surplus:4");
}

TEST(Takeover, NewAttemptComparesContainersWithRegistrationAndFirstAllocateResponse) {
  RegisterApplicationMasterResponseProto response;
  for (const int number : {1, 4}) SetContainer(*response.add_containers_from_previous_attempts(), number);
  const Takeover takeover = TakeOver({Held(1), Held(3), Held(5)}, response);
  EXPECT_EQ(NumbersOf(takeover), "running:1 ended: missing:35 surplus:4");
  AllocateResponseProto answer;
  *answer.add_completed_container_statuses()->mutable_container_id() = hadoop::yarn::ToProto(Id(3));
  EXPECT_EQ(NumbersOf(TakeOverMissing(takeover.missing, answer)), "running: ended:3 missing:5 surplus:");
}

}  // namespace
}  // namespace howdah::backend::yarn::am
