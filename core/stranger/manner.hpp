// How a stranger behaves, said by the name of the model that is asked for: words with a dash between them, in any
// order, each at most once of its kind.
//
//   obedient, obedient-largest-3        does what it is asked; the size of its answers and a seed
//   sloppy-7, sloppy-fence-rate30       does what models do, or one thing of it, three times in ten
//   lazy, refusing, slow-stall, down    empty lists; "I cannot"; late, steady or stalling; not there
//   obedient-notools-context8192        what the model cannot do, and what fits in its context
//
// The same request to the same name gets the same answer, on every machine.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/result.hpp"
#include "core/wire/model.hpp"

namespace plumb::stranger {

enum class Mode : std::uint8_t { obedient, sloppy, lazy, slow, refusing, down };
enum class Size : std::uint8_t { typical, smallest, largest };
// What sloppy, slow and down can mean; `any`: one of those of the mode, by the seed and the request.
enum class Fault : std::uint8_t {
  any,
  fence,       // sloppy: a Markdown fence around it
  prose,       // words before and behind it
  thinking,    // <think>...</think> before it
  numbers,     // numbers and truth values as text
  ids,         // ids, names and references that nobody gave
  missing,     // members or items left out
  extra,       // members or items too many
  cut,         // ends in the middle, as at the limit of tokens
  call,        // a call of a tool written into the text
  late,        // slow: nothing for minutes, then all of it
  steady,      // a few words at a time
  stall,       // begins, and then nothing more
  overloaded,  // down: 503 or 529, and when to come again
  limited,     // 429
  broken,      // 500
  page,        // 502 with a page of HTML
  dropped,     // the connection ends before an answer
  halfway,     // the connection ends in the middle of one
};

struct Manner {
  Mode mode = Mode::obedient;
  Size size = Size::typical;
  Fault fault = Fault::any;
  std::optional<wire::Wire> wire;  // which interface a provider inside a program speaks
  std::uint64_t seed = 1;
  std::uint64_t rate_percent = 100;  // of the answers that are as `mode` says; the others are obedient
  std::uint64_t context = 0;         // tokens; 0: as the interface has it
  bool tools = true;
  bool sampling = true;  // takes a temperature
};

// The error says which word is none, and what there is.
Result<Manner> read_manner(std::string_view model);

struct MannerWord {
  std::string_view word;
  std::string_view about;
};
// All words, for help and completion: modes first.
std::span<const MannerWord> manner_words();
std::string_view mode_name(Mode mode);

}  // namespace plumb::stranger
