// What calibrations in a store have measured of judges.
#pragma once

#include <optional>

#include "core/judge/measure.hpp"
#include "native/store/store.hpp"

namespace plumb::host {

// The newest measurement for this key, among the newest 100 calibrations. Those that were begun with the key of a
// project count for nobody else, and are left out. An error if the store cannot be read.
Result<std::optional<judge::Measured>> measured_judge(store::Store& store, const judge::JudgeKey& key);

}  // namespace plumb::host
