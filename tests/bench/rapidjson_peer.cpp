#if defined(__SSE4_2__)
#define RAPIDJSON_SSE42
#elif defined(__SSE2__)
#define RAPIDJSON_SSE2
#endif
#define RAPIDJSON_HAS_STDSTRING 1
#include <rapidjson/document.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>
#include <rapidjson/schema.h>

#include <string>

#include "tests/bench/peers.hpp"

namespace plumb::bench {

namespace {

// RapidJSON reads draft 4: `dependentRequired` is called `dependencies` there, and `$defs` `definitions` (and it cannot
// follow a reference with a dollar sign in it). Under these names it does the same work.
void as_draft_4(rapidjson::Value& schema, rapidjson::Document::AllocatorType& allocator) {
  if (schema.IsArray()) {
    for (auto& item : schema.GetArray()) {
      as_draft_4(item, allocator);
    }
  } else if (schema.IsObject()) {
    for (auto& member : schema.GetObject()) {
      const std::string_view name(member.name.GetString(), member.name.GetStringLength());
      constexpr std::string_view definitions = "#/$defs/";
      if (name == "dependentRequired" && member.value.IsObject()) {
        member.name.SetString("dependencies", allocator);
      } else if (name == "$defs") {
        member.name.SetString("definitions", allocator);
      } else if (name == "$ref" && member.value.IsString()) {
        const std::string target(member.value.GetString(), member.value.GetStringLength());
        if (target.rfind(definitions, 0) == 0) {
          member.value.SetString("#/definitions/" + target.substr(definitions.size()), allocator);
        }
      }
      as_draft_4(member.value, allocator);
    }
  }
}

}  // namespace

struct RapidJsonPeer::State {
  rapidjson::Document document;
  std::unique_ptr<rapidjson::SchemaDocument> schema;
};

RapidJsonPeer::RapidJsonPeer(std::string_view schema) : state_(std::make_unique<State>()) {
  state_->document.Parse(schema.data(), schema.size());
  as_draft_4(state_->document, state_->document.GetAllocator());
  state_->schema = std::make_unique<rapidjson::SchemaDocument>(state_->document);
}

RapidJsonPeer::~RapidJsonPeer() = default;

std::uint64_t RapidJsonPeer::broken(std::string_view text) const {
  // As in the library's manual: the reader's events go straight to the validator, no tree is built. UTF-8 is validated,
  // as the other sides do.
  rapidjson::SchemaValidator validator(*state_->schema);
  rapidjson::Reader reader;
  rapidjson::MemoryStream memory(text.data(), text.size());
  rapidjson::EncodedInputStream<rapidjson::UTF8<>, rapidjson::MemoryStream> stream(memory);
  reader.Parse<rapidjson::kParseValidateEncodingFlag>(stream, validator);
  return reader.HasParseError() || !validator.IsValid() ? 1 : 0;
}

}  // namespace plumb::bench
