// The keys of plumb.yaml that native/config reads, and those of its top level, with their defaults and meanings.
#pragma once

#include "native/base/setting.hpp"

namespace plumb {

const SettingTable& config_settings();

}  // namespace plumb
