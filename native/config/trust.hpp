// Trust: a plumb.yaml that was found, in the working directory or above it, only proposes. A repository is not its
// host's owner: its commands, repositories, addresses, names of keys, proxy and MCP servers hold after `plumb trust`,
// which shows them and keeps their hash beside the store of runs (plumb/trusted.json in $XDG_STATE_HOME or
// ~/.local/state). What is proposed otherwise asks again; what else is in the file does not. A file that somebody has
// named in words (--config) holds as it is.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/result.hpp"
#include "native/config/config_file.hpp"

namespace plumb {

// Of all that the file proposes, with its path; empty where it proposes nothing. 64 hexadecimal digits.
std::string proposals_hash(const ConfigFile& config);

// Why what the file proposes under `prefix` ("commands.", "providers.openai.", "proxy") does not hold; nothing: it
// does, or nothing is proposed there. A file without a path proposes nothing. Errors of the place where trust is kept
// too: what cannot be read is no trust.
std::optional<Error> not_trusted(const ConfigFile& config, std::string_view prefix);

// Whether anything that the file proposed was trusted once, be it what it proposes now or not.
bool was_trusted(const ConfigFile& config);

// From now on it holds as it is now; `yes` false: it no longer does.
Result<bool> set_trust(const ConfigFile& config, bool yes);

}  // namespace plumb
