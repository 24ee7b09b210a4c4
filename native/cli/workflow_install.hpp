// `plumb workflow init --hook`: puts the check where an agent, git or CI calls it. What somebody wrote is never
// replaced: settings are merged, and where that is not possible, the error says what to add.
//
//   Result<std::string> done = install_hook("claude", checkout);     // a sentence
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "core/result.hpp"
#include "native/git/checkout.hpp"

namespace plumb::cli {

inline constexpr std::array<std::string_view, 4> hook_places = {"claude", "codex", "git", "ci"};
Result<std::string> install_hook(std::string_view place, const git::Checkout& checkout);

}  // namespace plumb::cli
