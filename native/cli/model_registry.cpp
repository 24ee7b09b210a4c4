#include "native/cli/model_registry.hpp"

#include <cstdlib>

#include "core/budget/operations.hpp"
#include "core/json/arena.hpp"
#include "core/json/value.hpp"
#include "native/base/file_bytes.hpp"

namespace plumb::cli {

Result<ModelRegistry> model_registry(const Arguments& arguments, const std::string& configured) {
  ModelRegistry out;
  const char* variable = std::getenv("PLUMB_MODELS");
  if (arguments.has("--registry")) {
    out.file = arguments.text("--registry");
  } else if (variable != nullptr && *variable != '\0') {
    out.file = variable;
  } else {
    out.file = configured;
  }
  if (out.file.empty()) {
    return out;
  }
  const Result<std::string> text = read_file(out.file, budget::request_bytes_max);
  if (!text) {
    return text.error();
  }
  json::Arena arena;
  const Result<json::Value> read = json::parse(text.value(), arena);
  if (!read) {
    Error error = read.error();
    error.where = out.file;
    return error;
  }
  const json::Value* models = read.value().is(json::Kind::object) ? read.value().find("models") : &read.value();
  if (models == nullptr || !models->is(json::Kind::array)) {
    return Error{ErrorCode::invalid_argument, "a registry is a list of models, or {\"models\": [...]}: docs/budget.md",
                 out.file, 0, 0};
  }
  if (const Result<std::vector<budget::ModelProfile>> known = budget::read_registry(*models); !known) {
    Error error = known.error();
    error.where = out.file + " " + error.where;
    return error;
  }
  out.json = json::value_text(*models);
  return out;
}

}  // namespace plumb::cli
