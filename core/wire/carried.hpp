// What becomes of each setting of a call that goes to a provider of another wire: one table, which the translation
// follows (translate.hpp), the documentation prints and a test tries row by row.
//
//   const Carried* row = carried_named(Wire::anthropic, "top_k");
//   if (row != nullptr && fate_of(*row, Wire::openai) == Fate::dropped) { ... say so ... }
//
// A setting is dropped where an answer without it is still an answer to what was asked: it may be worded otherwise, or
// come later. It is refused where the answer would have another form than the client reads (`n`, `logprobs`), or would
// not heed what it must (a choice of tool). What is in no row is refused: nobody knows what it means.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "core/wire/model.hpp"

namespace plumb::wire {

enum class Fate : std::uint8_t {
  kept,     // the same member
  option,   // the same, within Ollama's `options`
  changed,  // said in the other wire's words: `note` has how
  dropped,  // left out, and the client is told (x-plumb-lost)
  refused,  // this provider is not chosen
  none,     // clients of the other wires have no such setting
};
std::string_view fate_name(Fate fate);

struct Carried {
  std::string_view name;
  Fate openai;  // to a provider that speaks this, from a client of another wire
  Fate anthropic;
  Fate ollama;
  std::string_view note;
};

// Those of clients of that wire: chat completions and messages have one table, responses another.
std::span<const Carried> carried_settings(Wire client);
const Carried* carried_named(Wire client, std::string_view name);
Fate fate_of(const Carried& row, Wire upstream);

}  // namespace plumb::wire
