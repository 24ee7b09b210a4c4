// The keys of `proxy:` in plumb.yaml (settings_file.hpp reads them) and of the file of client keys (key_file.hpp), with
// their defaults and meanings. A time has its unit in its value; the readers also take the older form with the unit in
// the key, `call_ms`.
#pragma once

#include "native/base/setting.hpp"

namespace plumb::proxy {

const SettingTable& proxy_settings();
const SettingTable& key_file_settings();  // "keys[].id"

}  // namespace plumb::proxy
