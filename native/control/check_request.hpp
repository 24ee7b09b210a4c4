// POST /v1/check: {"contract": NAME or schema, "artifact": value or "text": "...", "context": value,
// "edits": level or {class: level}} -> a verdict, with "text" where an edit was made.
#pragma once

#include <cstdint>
#include <string_view>

#include "native/control/exchange.hpp"

namespace plumb::text {
class Steps;  // core/text/steps.hpp
}

namespace plumb::control {

// The verdict as `verdict_json` writes it, or a problem:
// 400 the body is not as described, 404 no such contract, 422 the contract is none. Members of the body:
//   contract        the name of a built-in contract, or a contract itself
//   artifact        the artifact as JSON: judged exactly as it is in the body, spans count from its first byte
//   text            the artifact as a string, where it may be no JSON
//   context         what the contract's `context:` pointers read
//   assertFormats   true: `format` breaks
// With a budget of steps that is used up: a verdict that is undecided, or 422 where the contract alone used them up.
// Pure, but for the seed of hash tables: may be called by any thread.
//
// `known`: the contract, where the caller has found it by its name; the body's member is then not read. The text is
// that of the whole file, so the verdict has the hash that the command line gives.
struct KnownContract {
  std::string_view text;
  std::string_view name;  // empty: as the contract itself has it
};
Answer check_request(std::string_view body, std::uint64_t hash_seed, text::Steps* steps = nullptr,
                     const KnownContract* known = nullptr);

}  // namespace plumb::control
