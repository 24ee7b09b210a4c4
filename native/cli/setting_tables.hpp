// Every key of the settings files, from the tables of those who read them. docs/settings.md is written from it.
#pragma once

#include "native/base/setting.hpp"

namespace plumb::cli {

// plumb.yaml: first the keys of its top level, then the keys below each of these, in the same order.
SettingTable plumb_yaml_settings();

}  // namespace plumb::cli
