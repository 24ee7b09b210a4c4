#include "native/cli/setting_tables.hpp"

#include <algorithm>

#include "native/command/declared_command.hpp"
#include "native/config/setting_table.hpp"
#include "native/mcp/settings.hpp"
#include "native/provider/settings.hpp"
#include "native/proxy/setting_table.hpp"

namespace plumb::cli {

SettingTable plumb_yaml_settings() {
  SettingTable out;
  for (const std::string_view key : keys_below(config_settings(), "")) {
    for (const SettingTable* table : {&config_settings(), &provider::provider_settings(), &command::command_settings(),
                                      &proxy::proxy_settings(), &mcp::front_settings_table()}) {
      for (const Setting& one : *table) {
        if (one.path.size() > key.size() && one.path.starts_with(key) &&
            (one.path[key.size()] == '.' || one.path[key.size()] == '[')) {
          out.push_back(one);
        }
      }
    }
  }
  const SettingTable& top = config_settings();
  const auto below = [](const Setting& one) { return one.path.find_first_of(".[") != std::string::npos; };
  out.insert(out.begin(), top.begin(), std::find_if(top.begin(), top.end(), below));
  return out;
}

}  // namespace plumb::cli
