// Server-sent events: a run as it goes on, from any position of its journal.
//
//   id: 17                                      the number of the journal entry: what Last-Event-ID says
//   event: entry
//   data: {"n":17,"at":1770546600000,"kind":"note",...}
//
// Exactly one event with an id for each entry that is shown, so a client that comes back with the id of its last event
// misses nothing and sees nothing twice. What happens inside calls (`told`) has no id and is kept for no one. The last
// event is one of `end` (the run has ended), `stopping` (the server is), `dropped` (the client was too slow): these
// have no id either. A comment line every 15 seconds keeps the connection open.
//
// At most `streams_max` streams are open at once; a client that has left frees its place within a second.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "native/control/control.hpp"

namespace plumb::control {

// One event as it is sent. `data` is JSON; no id where there is none.
std::string event_text(std::string_view name, std::string_view data, std::optional<std::uint64_t> id = std::nullopt);

// Where a client wants to begin: behind Last-Event-ID, else at ?from=, else at 0.
struct StreamStart {
  std::uint64_t from = 0;
  bool again = false;  // it has come back
  std::optional<Answer> refused;
};
StreamStart stream_start(const Request& request);

// A place among the streams, as long as it is held; nothing when all are taken.
std::shared_ptr<void> take_stream_place(Control& control);
Answer no_stream_place();

// What is shown of an entry: `json`, or nothing, and it is passed over. `failed` says why it cannot be shown; then the
// stream ends, and the client may come back for it.
struct Shown {
  std::string json;
  std::string failed;
};
using ShowEntry = std::function<Shown(const run::Stored& entry)>;

// The events of a run from `start` on. 204 for a client that has come back and has seen all of a run that has ended, so
// that it stays away.
Answer run_event_stream(Control& control, const std::string& id, const StreamStart& start, std::string_view name,
                        ShowEntry show);

// A stream that asks `next` for what to write, until that says it is over or the server stops. `next` waits at most
// half a second and gives an empty text when there is nothing.
struct NextEvents {
  std::string text;
  bool over = false;
};
Answer event_stream(Control& control, std::shared_ptr<void> place, std::function<NextEvents()> next);

}  // namespace plumb::control
