// The core's events as records of the event log, and as executors' messages.
#pragma once

#include <optional>

#include "howdah/core/event.h"
#include "howdah/wire/event_log.pb.h"

namespace howdah::am {

Instant FromMicros(int64_t micros);
core::Event EventOf(const ContainerId& container, const wire::Started& message);
core::Event EventOf(const ContainerId& container, const wire::RankExited& message);
core::Event EventOf(const ContainerId& container, const wire::StartFailed& message);
core::Event EventOf(const ContainerId& container, const wire::Ended& message);
core::Event EventOf(const ContainerId& container, const wire::Progress& message);
core::Event EventOf(const ContainerId& container, const wire::Stalled& message);
core::Event EventOf(const ContainerId& container, const wire::Stands& message);

// Every event but HeartbeatReceived, which the log keeps in bulk.
wire::LoggedEvent ToRecord(const core::Event& event, Instant at);
// nullopt: a kind that is no event, or that this version does not know.
std::optional<core::Event> EventOf(const wire::LoggedEvent& record);

}  // namespace howdah::am
