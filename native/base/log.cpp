#include "native/base/log.hpp"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <ctime>
#include <memory>
#include <utility>

#include "core/json/writer.hpp"

namespace plumb {

namespace {

// A log message as a JSON string: what a request brings must not break a line.
class JsonMessage final : public spdlog::custom_flag_formatter {
 public:
  void format(const spdlog::details::log_msg& message, const std::tm&, spdlog::memory_buf_t& into) override {
    std::string text;
    json::append_string(text, std::string_view(message.payload.data(), message.payload.size()));
    into.append(text);
  }
  std::unique_ptr<custom_flag_formatter> clone() const override { return std::make_unique<JsonMessage>(); }
};

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
  formatter->add_flag<JsonMessage>('*');
  // As the data port writes its lines (native/proxy/access_log.hpp): one stream, one format.
  formatter->set_pattern(kind == "json"
                             ? R"({"time":"%Y-%m-%dT%H:%M:%S.%eZ","level":"%l","event":"server","message":%*})"
                             : "%Y-%m-%dT%H:%M:%S.%eZ %l server: %*");
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

void write_log(LogLevel level, std::string_view message) {
  if (spdlog::logger* logger = spdlog::default_logger_raw()) {
    logger->log(level_of(level), spdlog::string_view_t(message.data(), message.size()));
  }
}

}  // namespace plumb
