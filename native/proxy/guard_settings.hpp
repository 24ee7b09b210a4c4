// The part of `proxy:` in plumb.yaml about contracts: which exist, and how answers are checked against them.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/contract/edit.hpp"
#include "core/pipelines/prompt.hpp"
#include "native/provider/structured_output.hpp"

namespace plumb::proxy {

enum class Mode : std::uint8_t { off, observe, enforce, hold_back };
std::string_view mode_name(Mode mode);

struct NamedContract {
  std::string name;
  std::shared_ptr<const provider::KnownContract> contract;
  std::string text;
  std::string hash;                           // "sha256:..."
  std::optional<std::uint32_t> enforced_ppm;  // a canary: this share of calls is enforced, the rest observed
};

struct Guarding {
  std::vector<NamedContract> contracts;  // all that a client may name; by default the built-in ones
  Mode named = Mode::enforce;            // for contracts named by header or `plumb`, if the client names no mode
  Mode response_format = Mode::observe;
  Mode tools = Mode::observe;
  contract::EditLevel edits = contract::EditLevel::certain;
  unsigned attempts_max = 2;
  bool pass_on_error = false;
  bool inline_contracts = true;                            // a client may send its own schema
  std::shared_ptr<const pipelines::Prompt> repair_prompt;  // the user's own prompt; null: the built-in one
};

}  // namespace plumb::proxy
