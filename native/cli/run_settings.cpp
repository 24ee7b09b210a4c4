#include "native/cli/run_settings.hpp"

#include <cstdlib>
#include <string>
#include <utility>

#include "native/base/duration.hpp"
#include "native/config/config_file.hpp"

namespace plumb::cli {

namespace {

constexpr std::uint64_t stop_grace_max_ms = 3'600'000;

// Who said it last in the order flag, variable, file; `said` stays empty where nobody has.
struct Spoken {
  std::string said;
  std::string where;
};
Spoken spoken(const Arguments& arguments, std::string_view flag, const char* variable, const ConfigFile& config,
              const std::string& of_file, std::string_view key) {
  if (arguments.has(flag)) {
    return {arguments.text(flag), std::string(flag)};
  }
  const char* said = std::getenv(variable);
  if (said != nullptr && *said != '\0') {
    return {said, variable};
  }
  return {of_file, config.path + " runs." + std::string(key)};
}

}  // namespace

std::vector<OptionSpec> run_setting_options() {
  return {
      {"--keep-runs",
       0,
       "WHILE",
       {},
       "30d",
       "How long runs are kept after they have ended: 90d, 12h, forever (PLUMB_KEEP_RUNS, `runs.keep` in plumb.yaml). "
       "Runs that wait are never removed.",
       Completes::nothing,
       false},
      {"--stop-grace",
       0,
       "WHILE",
       {},
       "5s",
       "How long calls of runs may take when the server is told to stop; what takes longer is handed over to the next "
       "one (PLUMB_STOP_GRACE, `runs.stop_grace`).",
       Completes::nothing,
       false},
  };
}

Result<RunSettings> run_settings(const Arguments& arguments) {
  ConfigFile config;
  const std::string path = config_path(arguments);
  if (!path.empty()) {
    Result<ConfigFile> read = read_config_file(path);
    if (!read) {
      return read.error();
    }
    config = std::move(read).value();
  }
  RunSettings settings;
  const Spoken keep = spoken(arguments, "--keep-runs", "PLUMB_KEEP_RUNS", config, config.runs_keep, "keep");
  const Spoken grace =
      spoken(arguments, "--stop-grace", "PLUMB_STOP_GRACE", config, config.runs_stop_grace, "stop_grace");
  for (const auto& [said, into] : {std::pair{&keep, &settings.keep_ms}, std::pair{&grace, &settings.stop_grace_ms}}) {
    if (said->said.empty()) {
      continue;
    }
    const Result<std::uint64_t> ms = read_duration(said->said);
    const bool too_long = ms && said == &grace && (ms.value() == 0 || ms.value() > stop_grace_max_ms);
    if (!ms || too_long) {
      return Error{ErrorCode::invalid_argument, too_long ? "must be at most 1h" : ms.error().message, said->where, 0,
                   0};
    }
    *into = ms.value();
  }
  return settings;
}

}  // namespace plumb::cli
