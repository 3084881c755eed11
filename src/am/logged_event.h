// Conversion of the core's events from executors' messages, and to and from records of the event log.
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

core::Usage FromWire(const wire::Usage& usage);
wire::Usage ToWire(const core::Usage& usage);

// For every event except HeartbeatReceived, which the log keeps in bulk.
wire::LoggedEvent ToRecord(const core::Event& event, Instant at);
// nullopt: the record is not an event, or of a kind that this version does not know.
std::optional<core::Event> EventOf(const wire::LoggedEvent& record);

}  // namespace howdah::am
