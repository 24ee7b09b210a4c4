// What comes back of a model call: whole, and piece by piece. The other half of model.hpp, without a provider either.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace plumb::wire {

// A model's wish to call a tool. In streams the arguments grow.
struct ToolCall {
  std::string id;
  std::string name;
  std::string arguments;  // JSON as the model wrote it, which may be none
  std::string item = {};  // responses: the provider's id of the call's item
};

// A member of a body, or of an answer: its value is JSON text.
struct ExtraMember {
  std::string name, json;
};

enum class Finish : std::uint8_t {
  none,  // not known: the answer is not over
  stop,
  length,  // the token limit was reached
  tool_calls,
  refusal,
  content_filter,
  other,
};
std::string_view finish_name(Finish finish);

struct Usage {
  bool known = false;
  std::uint64_t input_tokens = 0;  // all that was read, what came from a cache included
  std::uint64_t cached_tokens = 0;
  std::uint64_t cache_written_tokens = 0;
  std::uint64_t output_tokens = 0;  // all that was written, reasoning included
  std::uint64_t reasoning_tokens = 0;
};
bool operator==(const Usage& a, const Usage& b);

// Something else of an answer than text and calls, as the provider wrote it: reasoning (with its encrypted content), a
// search of the provider's own. Only of the responses wire; whoever answers there again writes it byte for byte.
struct OtherItem {
  std::string json;
  bool behind_text = false;        // it came behind the first piece of the text,
  std::uint32_t behind_calls = 0;  // and behind so many calls
};

struct ModelReply {
  std::string id;     // the provider's
  std::string model;  // the one that answered
  std::string text;
  std::string thinking;
  std::string refusal;
  std::vector<ToolCall> calls;
  std::string text_item = {};  // responses: the provider's id of the text's item
  std::vector<OtherItem> others = {};
  std::vector<ExtraMember> members = {};  // responses: of the provider's answer, beside what is written anew
  Finish finish = Finish::none;
  std::string finish_text;  // the provider's word for it
  Usage usage;
};

enum class DeltaKind : std::uint8_t {
  text,
  thinking,
  refusal,
  call_begin,      // `index`, `id` and `name`
  call_arguments,  // `index`; `text` is what is new
  finish,          // the reply says how
  usage,           // the reply says what
  other,           // `text`: an OtherItem's
};

// One new thing in a stream. The texts live until the next one is asked for.
struct ModelDelta {
  DeltaKind kind = DeltaKind::text;
  std::uint32_t index = 0;  // of the call in ModelReply::calls
  std::string_view text;
  std::string_view id;
  std::string_view name;
  std::string_view item = {};  // responses: the provider's id of the item, of `text` and `call_begin`
};

}  // namespace plumb::wire
