// What is given beside the artifact, and what is measured of it before anything is read.
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

// What `novel` compares with, read once where all of it is in the context.
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
  bool inside = false;  // the text that is judged is a part of the context itself
  std::vector<std::unique_ptr<EarlierTexts>> earlier_texts;
};

// Reads the context of the options, if there is one.
void read_context(Engine& engine);

}  // namespace plumb::contract
