// plumb-story.wasm: stories made, checked, folded, shipped and read (core/story/operations.hpp), behind the C ABI of
// wasm/abi.hpp. wasm/package/src/story.ts loads it when it is wanted.
//
// One call: {operation, request: {...}} answers with what the operation writes; nothing is kept between calls.
#include <cstdint>
#include <string>

#include "core/json/value.hpp"
#include "core/json/writer.hpp"
#include "core/result.hpp"
#include "core/story/operations.hpp"
#include "wasm/abi.hpp"
#include "wasm/read_json.hpp"

namespace {

using plumb::Result;
using plumb::json::Value;
using namespace plumb::wasm;

// {version, operations: [{name, summary}]}
Result<std::string> about(const Value&) {
  std::string out;
  plumb::json::Writer json(out);
  json.begin_object().member("version", PLUMB_VERSION).key("operations").begin_array();
  for (const plumb::story::StoryOperation& one : plumb::story::story_operations()) {
    json.begin_object().member("name", one.name).member("summary", one.summary).end_object();
  }
  json.end_array().end_object();
  return out;
}

Result<std::string> story(const Value& request) {
  const plumb::story::StoryOperation* operation = plumb::story::story_operation_named(view_text(request, "operation"));
  const Value* asked = request.find("request");
  if (operation == nullptr || asked == nullptr) {
    return plumb::Error{plumb::ErrorCode::not_found, "there is no such operation", "", 0, 0};
  }
  return operation->run(*asked);
}

}  // namespace

PLUMB_EXPORT(plumb_story_about)(std::uint32_t size)->std::uint32_t { return answer(size, about); }
PLUMB_EXPORT(plumb_story)(std::uint32_t size)->std::uint32_t { return answer(size, story); }
