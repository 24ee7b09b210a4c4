// What `mcp:` of plumb.yaml says about the tools of a server behind `plumb mcp --in-front-of`.
//
//   mcp:
//     mode: observe                     # of all tools that are not named: off, observe, enforce
//     steps: 100000000                  # of work to judge one call or one result
//     tools:
//       search: enforce
//       save_brief: {mode: enforce, arguments: brief, result: contracts/saved.json}
//       draw: off
//
// docs/mcp.md explains every key. Contracts are named as the proxy's are, and judged beside the server's own schemas.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/result.hpp"
#include "native/base/setting.hpp"
#include "native/config/config_file.hpp"
#include "native/provider/structured_output.hpp"
#include "native/proxy/guard_settings.hpp"

namespace plumb::mcp {

using proxy::Mode;  // `hold_back` has no sense here

// A contract of plumb.yaml for one side of a call.
struct OwnContract {
  std::string name;  // as plumb.yaml says it
  std::shared_ptr<const provider::KnownContract> contract;
};

struct ToolSettings {
  std::optional<Mode> mode;
  std::optional<OwnContract> arguments, result;
};

struct FrontSettings {
  Mode mode = Mode::observe;
  std::uint64_t steps_max = 100'000'000;  // 0: no bound
  std::map<std::string, ToolSettings, std::less<>> tools;

  const ToolSettings* tool(std::string_view name) const;
  Mode mode_of(std::string_view name) const;
  // Some tool is enforced: then nothing may pass that could be read in two ways.
  bool binds() const;
  bool all_off() const;
};

std::optional<Mode> mode_named(std::string_view name);  // off, observe, enforce

// The keys of `mcp:`.
const SettingTable& front_settings_table();
Result<FrontSettings> read_front_settings(const plumb::ConfigFile& config);

}  // namespace plumb::mcp
