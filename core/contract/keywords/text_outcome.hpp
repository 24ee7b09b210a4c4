// What a rule about one text comes to.
#pragma once

#include <string>

#include "core/text/sentences.hpp"

namespace plumb::contract {

struct TextOutcome {
  text::Judgement judgement = text::Judgement::holds;
  std::string requirement;
  std::string provided;
  std::string size;         // for {size}
  std::string limit = "0";  // for {limit}
  std::string reason;       // why it cannot be told
};

}  // namespace plumb::contract
