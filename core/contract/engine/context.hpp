// The context: the document that is given beside the artifact, with what is measured of it (measured.hpp).
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/contract/program.hpp"
#include "core/json/arena.hpp"
#include "core/json/value.hpp"
#include "core/text/novelty.hpp"

namespace plumb::contract {

struct Engine;

// The texts that `novel` compares with. They are read once if all of them are in the context.
struct EarlierTexts {
  const CrossRule* rule = nullptr;
  std::vector<std::string_view> texts;
  text::Earlier index;
};

struct Context {
  json::Arena arena;
  std::string text;
  json::Value value;
  bool present = false;
  bool bad = false;
  Error error;
  bool inside = false;  // the text that is judged is itself a part of the context
  std::vector<std::unique_ptr<EarlierTexts>> earlier_texts;
};

// Reads the context of the check's options, if there is one.
void read_context(Engine& engine);

}  // namespace plumb::contract
