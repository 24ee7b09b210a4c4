#include "native/cli/call_limits.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <string>
#include <utility>

#include "core/ascii.hpp"
#include "native/base/near_miss.hpp"
#include "native/provider/profile.hpp"

namespace plumb::cli {

namespace {

constexpr std::uint64_t limit_ms_max = 86'400'000;

struct Kind {
  std::string_view flag;
  std::string_view variable;
  std::string_view member;  // of plumb.yaml
  std::uint64_t pipelines::PhaseLimits::*into;
};
constexpr std::array<Kind, 2> kinds = {{
    {"--idle-limit", "PLUMB_IDLE_LIMIT", "idle", &pipelines::PhaseLimits::idle_ms},
    {"--time-limit", "PLUMB_TIME_LIMIT", "total", &pipelines::PhaseLimits::total_ms},
}};

Result<std::uint64_t> read_time(const provider::SourcedText& said) {
  constexpr std::array<std::pair<std::string_view, std::uint64_t>, 5> units = {
      {{"ms", 1}, {"s", 1'000}, {"m", 60'000}, {"h", 3'600'000}, {"", 1'000}}};
  std::uint64_t number = 0;
  const char* const end = said.text.data() + said.text.size();
  const auto [at, failed] = std::from_chars(said.text.data(), end, number);
  const std::string_view rest(at, static_cast<std::size_t>(end - at));
  const auto unit = std::find_if(units.begin(), units.end(), [&](const auto& one) { return one.first == rest; });
  if (failed != std::errc() || unit == units.end() || number == 0 || number > limit_ms_max / unit->second) {
    return said.refused("'" + said.text + "' is not a time: write 1500ms, 90s, 5m or 1h, at most 24h");
  }
  return number * unit->second;
}

Result<bool> check_phase(const provider::SourcedText& said, std::string_view phase) {
  if (provider::phase_named(phase) != nullptr) {
    return true;
  }
  return said.refused("there is no phase '" + std::string(phase) + "'" + did_you_mean(phase, provider::phase_names()));
}

// What is said of a limit, the lowest level first, so that the last one decides.
struct Saying {
  std::string phase;  // empty: all
  provider::SourcedText said;
};

Result<std::vector<Saying>> sayings(const Kind& kind, const Arguments& arguments, const provider::Variables& variables,
                                    const std::vector<provider::SourcedMember>& config) {
  std::vector<Saying> out;
  for (const bool by_phase : {false, true}) {
    for (const auto& [key, said] : config) {
      const std::size_t dot = key.find('.');
      if (key.substr(dot == std::string::npos ? 0 : dot + 1) == kind.member && (dot != std::string::npos) == by_phase) {
        out.push_back({by_phase ? key.substr(0, dot) : std::string(), said});
      }
    }
  }
  if (const std::string* all = provider::find_variable(variables, kind.variable)) {
    out.push_back({"", {*all, std::string(kind.variable), 0, 0}});
  }
  for (const provider::Phase& phase : provider::phases()) {
    const std::string name = std::string(kind.variable) + "_" + ascii::upper(phase.name);
    if (const std::string* one = provider::find_variable(variables, name)) {
      out.push_back({std::string(phase.name), {*one, name, 0, 0}});
    }
  }
  for (const bool by_phase : {false, true}) {
    for (const std::string& text : arguments.list(kind.flag)) {
      const std::size_t equals = text.find('=');
      if ((equals != std::string::npos) == by_phase) {
        out.push_back({by_phase ? text.substr(0, equals) : std::string(),
                       {by_phase ? text.substr(equals + 1) : text, std::string(kind.flag), 0, 0}});
      }
    }
  }
  for (const Saying& one : out) {
    if (const Result<bool> known = one.phase.empty() ? Result<bool>(true) : check_phase(one.said, one.phase); !known) {
      return known.error();
    }
  }
  return out;
}

}  // namespace

std::vector<OptionSpec> limit_options() {
  return {{"--idle-limit",
           0,
           "[PHASE=]TIME",
           {},
           "",
           "The longest silence between two tokens of a model call, of all phases or of one: 90s, generate=2m. Also "
           "PLUMB_IDLE_LIMIT and limits in plumb.yaml.",
           Completes::nothing,
           true},
          {"--time-limit",
           0,
           "[PHASE=]TIME",
           {},
           "",
           "The longest time of a model call in all, likewise: 30m. Also PLUMB_TIME_LIMIT.",
           Completes::nothing,
           true}};
}

Result<std::vector<pipelines::PhaseLimits>> call_limits(const Arguments& arguments,
                                                        const provider::Variables& variables,
                                                        const std::vector<provider::SourcedMember>& said) {
  for (const auto& [key, one] : said) {
    const std::string member = key.substr(key.find('.') == std::string::npos ? 0 : key.find('.') + 1);
    const std::vector<std::string_view> known = keys_below(provider::provider_settings(), "limits");
    if (std::find(known.begin(), known.end(), member) == known.end()) {
      return one.refused("'limits' has no member '" + member + "'" + did_you_mean(member, known) +
                         ": use idle or total, or a phase with these");
    }
  }
  std::vector<pipelines::PhaseLimits> out;
  for (const provider::Phase& phase : provider::phases()) {
    pipelines::PhaseLimits limits;
    limits.phase = std::string(phase.name);
    for (const Kind& kind : kinds) {
      const Result<std::vector<Saying>> all = sayings(kind, arguments, variables, said);
      if (!all) {
        return all.error();
      }
      for (const Saying& one : all.value()) {
        const Result<std::uint64_t> time = read_time(one.said);
        if (!time) {
          return time.error();
        }
        // Within one level, what is said of the phase comes after what is said of all.
        if (one.phase.empty() || one.phase == phase.name) {
          limits.*kind.into = time.value();
        }
      }
    }
    if (limits.idle_ms > 0 || limits.total_ms > 0) {
      out.push_back(std::move(limits));
    }
  }
  return out;
}

}  // namespace plumb::cli
