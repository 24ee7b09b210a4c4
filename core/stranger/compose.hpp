// What a stranger says to what it was asked: made from the schema or the tools in the request, or from nothing but the
// words of the prompt, and then spoiled as its manner wants.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "core/contract/contract.hpp"
#include "core/sample/draft.hpp"
#include "core/stranger/asked.hpp"
#include "core/stranger/material.hpp"
#include "core/wire/model.hpp"

namespace plumb::stranger {

// Schemas that were read; nullptr for one that cannot be.
class Shelf {
 public:
  std::shared_ptr<const contract::Contract> read(const std::string& schema);

 private:
  std::map<std::string, std::shared_ptr<const contract::Contract>> contracts_;
};

struct Composed {
  wire::ModelReply reply;
  Fault fault = Fault::any;  // that was made, of sloppy
};

// `seed` is of this very call.
Composed compose(const Asked& asked, const Manner& manner, Shelf& shelf, std::uint64_t seed);

// For the files of this folder.

// One JSON value for that schema; `known` is its material.
std::string made_for(const contract::Contract& contract, const Material& known, const Manner& manner,
                     std::uint64_t seed, std::uint64_t tokens_max);
// Spoils the value: numbers as text, ids, missing and extra parts.
void spoil(sample::Draft& value, Fault fault, const Material& known, std::uint64_t seed);
// Spoils what is written: a fence, prose, thinking, a cut, a call in the text.
void spoil_text(wire::ModelReply& reply, Fault fault, const std::string& name, std::uint64_t seed);

}  // namespace plumb::stranger
