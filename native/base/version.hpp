// The version of plumb, given by the build.
#pragma once

#include <string_view>

namespace plumb {

#ifndef PLUMB_VERSION
#define PLUMB_VERSION "0.0.0"
#endif
constexpr std::string_view version = PLUMB_VERSION;

}  // namespace plumb
