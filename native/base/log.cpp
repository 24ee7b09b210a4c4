#include "native/base/log.hpp"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <memory>
#include <utility>

#include "core/ascii.hpp"
#include "core/json/writer.hpp"

namespace plumb {

namespace {

std::atomic<bool> as_json{false};

// What is behind the time and the level of a line of JSON: what a request brings must not break it.
std::string members_of(std::string_view event, std::initializer_list<LogField> fields, std::string_view message) {
  std::string out = R"("event":)";
  json::append_string(out, event);
  for (const LogField& one : fields) {
    out += ',';
    json::append_string(out, one.name);
    out += ':';
    constexpr std::size_t digits_max = 15;  // exact in a double
    if (!one.value.empty() && one.value.size() <= digits_max && ascii::only(one.value, "0123456789") &&
        (one.value.front() != '0' || one.value.size() == 1)) {
      out += one.value;
    } else {
      json::append_string(out, one.value);
    }
  }
  out += R"(,"message":)";
  json::append_string(out, message);
  return out;
}

spdlog::level::level_enum level_of(LogLevel level) {
  switch (level) {
    case LogLevel::info:
      return spdlog::level::info;
    case LogLevel::warn:
      return spdlog::level::warn;
    case LogLevel::error:
      return spdlog::level::err;
    case LogLevel::critical:
      break;
  }
  return spdlog::level::critical;
}

}  // namespace

void open_log(const std::string& kind, const std::string& level) {
  auto logger = std::make_shared<spdlog::logger>("plumb", std::make_shared<spdlog::sinks::stderr_sink_mt>());
  auto formatter = std::make_unique<spdlog::pattern_formatter>(spdlog::pattern_time_type::utc);
  as_json = kind == "json";
  // As the data port writes its lines (native/proxy/access_log.hpp): one stream, one format.
  formatter->set_pattern(kind == "json" ? R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l",%v})"
                                        : "%Y-%m-%dT%H:%M:%S.%eZ %l server: %v");
  logger->set_formatter(std::move(formatter));
  logger->set_level(kind == "off" ? spdlog::level::off : spdlog::level::from_str(level));
  logger->flush_on(spdlog::level::trace);
  spdlog::set_default_logger(std::move(logger));
}

void close_log() { spdlog::shutdown(); }

bool logs(LogLevel level) {
  const spdlog::logger* logger = spdlog::default_logger_raw();
  return logger != nullptr && logger->should_log(level_of(level));
}

void write_log(LogLevel level, std::string_view message) { log_event(level, "server", {}, message); }

void log_event(LogLevel level, std::string_view event, std::initializer_list<LogField> fields,
               std::string_view message) {
  spdlog::logger* const logger = logs(level) ? spdlog::default_logger_raw() : nullptr;
  if (logger == nullptr) {
    return;
  }
  const std::string members = as_json ? members_of(event, fields, message) : std::string();
  const std::string_view line = as_json ? std::string_view(members) : message;
  logger->log(level_of(level), spdlog::string_view_t(line.data(), line.size()));
}

bool logs_json() { return as_json; }

}  // namespace plumb
