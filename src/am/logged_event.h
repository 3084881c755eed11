// Converts executors' messages to events of the core, and events to and from records of the event log.
#pragma once

#include <optional>

#include "howdah/core/event.h"
#include "howdah/wire/event_log.pb.h"

namespace howdah::am {

core::Event EventOf(const ContainerId& container, const wire::Started& message);
core::Event EventOf(const ContainerId& container, const wire::RankExited& message);
core::Event EventOf(const ContainerId& container, const wire::StartFailed& message);
core::Event EventOf(const ContainerId& container, const wire::Ended& message);
core::Event EventOf(const ContainerId& container, const wire::Progress& message);
core::Event EventOf(const ContainerId& container, const wire::Stalled& message);
core::Event EventOf(const ContainerId& container, const wire::Stands& message);
core::Event EventOf(const ContainerId& container, const wire::Serves& message);

core::Usage FromWire(const wire::Usage& usage);
wire::Usage ToWire(const core::Usage& usage);

// For every event except HeartbeatReceived: the log stores heartbeats in bulk (wire::Heard).
wire::LoggedEvent ToRecord(const core::Event& event, Instant at);
// Returns nullopt if the record is not an event, or is of a kind unknown to this version.
std::optional<core::Event> EventOf(const wire::LoggedEvent& record);

}  // namespace howdah::am
