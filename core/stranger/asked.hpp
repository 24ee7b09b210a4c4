// What a stranger was sent: a body as OpenAI's, Anthropic's or Ollama's interface takes it, read without any help of
// those who wrote it, and refused where the interface would refuse it.
//
//   Reading read = read_asked(Wire::openai, body);
//   if (read.refused) ... else answer(read.asked);
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/json/value.hpp"
#include "core/stranger/manner.hpp"
#include "core/stranger/refusals.hpp"

namespace plumb::stranger {

struct AskedMessage {
  std::string role;
  std::string text;
  std::vector<std::string> calls;    // ids of the calls of tools in it
  std::vector<std::string> answers;  // ids of the calls that it answers
};

struct AskedTool {
  std::string name;
  std::string schema;  // JSON
  bool strict = false;
};

enum class MayCall : std::uint8_t { no, may, must };

struct Asked {
  wire::Wire wire = wire::Wire::openai;
  std::string model;
  std::vector<AskedMessage> messages;
  std::vector<AskedTool> tools;
  MayCall may_call = MayCall::may;
  std::string tool;  // the one that must be called
  bool one_call = false;
  std::string schema;  // of the answer, JSON
  std::string schema_name;
  bool schema_strict = false;
  bool json = false;  // the answer is JSON
  std::uint64_t tokens_max = 0;
  std::uint64_t context = 0;  // Ollama's num_ctx
  std::vector<std::string> stop;
  std::string temperature;
  bool stream = false;
  bool usage = true;  // a stream tells it
  std::uint64_t input_tokens = 0;
};

struct ReadRequest {
  Asked asked;
  Manner manner;
  std::optional<Refused> refused;
};
ReadRequest read_asked(wire::Wire wire, std::string_view body);

}  // namespace plumb::stranger
