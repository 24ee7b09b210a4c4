// Trust: a plumb.yaml that was found, in the working directory or above it, only proposes. A repository is not its
// host's owner: its commands, repositories, addresses, names of keys, proxy and MCP servers hold after `plumb trust`,
// which shows them and keeps their hash and the text of the file beside the store of runs (plumb/trusted.json in
// $XDG_STATE_HOME or ~/.local/state). What is proposed otherwise asks again; what else is in the file does not. A file
// that somebody has named in words (--config) holds as it is. Of a `workflow` section the kept text goes on to judge
// while the file says something else (native/workflow/repositories.hpp).
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

// What was kept of a file when it was trusted, be it there now or not.
struct KeptTrust {
  std::string hash;
  std::string text;  // empty: an earlier version kept none
};
// Nothing: the file was never trusted, or what is kept cannot be read.
std::optional<KeptTrust> kept_trust(const std::string& path);
// Whether nothing is to be asked: all that the file proposes is trusted, and its text is the one that was kept.
bool trusted_as_it_is(const ConfigFile& config);

// From now on it holds as it is now; `yes` false: it no longer does.
Result<bool> set_trust(const ConfigFile& config, bool yes);

}  // namespace plumb
