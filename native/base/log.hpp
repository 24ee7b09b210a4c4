// The log of a process that serves: a line a message on standard error.
//
//   open_log({"json", "warn"});
//   log_warn("refused ", why, " from ", address);
//
// With `json` a line is an object with time, level, event and message, and what log_event() is given beside them:
//
//   log_event(LogLevel::info, "request", {{"method", "GET"}, {"status", "200"}}, "GET /healthz 200");
//
// Messages may come from any thread. Before open_log() they go to standard output as spdlog writes them by itself.
// spdlog does the work, in log.cpp alone: its headers are longer than most of this program's files.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

#include "native/base/concat.hpp"

namespace plumb {

enum class LogLevel : std::uint8_t { info, warn, error, critical };

// `kind`: json, text or off. `level`: what --log-level takes (trace, debug, info, warn, error, critical, off).
void open_log(const std::string& kind, const std::string& level);
// Writes what is held back. Messages after it are lost.
void close_log();

// True when messages of this level are written.
bool logs(LogLevel level);
void write_log(LogLevel level, std::string_view message);

// One more member of a line of JSON. A text of digits alone is written as a number.
struct LogField {
  std::string_view name;
  std::string_view value;
};
// `message` is the whole line where the log is text.
void log_event(LogLevel level, std::string_view event, std::initializer_list<LogField> fields,
               std::string_view message);
// True if the log's lines are JSON, so that nothing else may be written to standard error.
bool logs_json();

template <class... Pieces>
void log_at(LogLevel level, const Pieces&... pieces) {
  if (logs(level)) {
    write_log(level, concat(pieces...));
  }
}
template <class... Pieces>
void log_info(const Pieces&... pieces) {
  log_at(LogLevel::info, pieces...);
}
template <class... Pieces>
void log_warn(const Pieces&... pieces) {
  log_at(LogLevel::warn, pieces...);
}
template <class... Pieces>
void log_error(const Pieces&... pieces) {
  log_at(LogLevel::error, pieces...);
}

}  // namespace plumb
