#if defined(__SSE4_2__)
#define RAPIDJSON_SSE42
#elif defined(__SSE2__)
#define RAPIDJSON_SSE2
#endif
#include <rapidjson/document.h>
#include <rapidjson/memorystream.h>
#include <rapidjson/reader.h>
#include <rapidjson/schema.h>

#include "tests/bench/peers.hpp"

namespace plumb::bench {

struct RapidJsonPeer::State {
  rapidjson::Document document;
  std::unique_ptr<rapidjson::SchemaDocument> schema;
};

RapidJsonPeer::RapidJsonPeer(std::string_view schema) : state_(std::make_unique<State>()) {
  state_->document.Parse(schema.data(), schema.size());
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
