#include "native/control/control.hpp"

#include <algorithm>
#include <charconv>

#include "core/json/writer.hpp"
#include "core/wording.hpp"
#include "native/base/log.hpp"
#include "native/host/isolated_call.hpp"

namespace plumb::control {

const pipelines::Known* Control::known(std::string_view pipeline) const {
  const auto found = std::find_if(pipelines.begin(), pipelines.end(),
                                  [&](const pipelines::Known& one) { return one.pipeline.name == pipeline; });
  return found == pipelines.end() ? nullptr : &*found;
}

std::string Control::next_mark() { return std::to_string(hash_seed) + "-" + std::to_string(++serving->marks); }

Answer isolated(std::string_view what, std::function<Answer()> work) {
  const auto answer = std::make_shared<Answer>();
  const host::CallOutcome outcome = host::isolated_call([answer, work = std::move(work)] { *answer = work(); });
  if (outcome.finished) {
    return std::move(*answer);
  }
  log_error(what, ": ", outcome.problem);
  return outcome.out_of_memory ? refuse(Wrong::out_of_memory, "Try again later, or with less.")
                               : refuse(Wrong::internal, "Internal error; see the server's log.");
}

Answer refuse_as_bug(std::string_view what, const Error& error) {
  log_error(what, ": ", error.message);
  return refuse(Wrong::internal, error);
}

AskedNumber asked_number(const Request& request, std::string_view name, std::uint64_t otherwise, std::uint64_t min,
                         std::uint64_t max) {
  const std::optional<std::string_view> said = request.asked(name);
  if (!said) {
    return {otherwise, std::nullopt};
  }
  std::uint64_t number = 0;
  const auto [end, failed] = std::from_chars(said->data(), said->data() + said->size(), number);
  if (failed != std::errc() || end != said->data() + said->size() || number < min || number > max) {
    return {0, refuse(Wrong::bad_request, Error{ErrorCode::invalid_argument,
                                                "must be a whole number from " + std::to_string(min) + " to " +
                                                    std::to_string(max) + ", not '" + json::excerpt(*said, 40) + "'",
                                                "?" + std::string(name), 0, 0})};
  }
  return {number, std::nullopt};
}

std::optional<Answer> unknown_query(const Request& request, std::initializer_list<std::string_view> known) {
  for (const auto& [name, text] : request.query) {
    if (std::find(known.begin(), known.end(), name) != known.end()) {
      continue;
    }
    std::string names = joined(known);
    return refuse(Wrong::bad_request, Error{ErrorCode::invalid_argument,
                                            "unknown: this address takes " + (names.empty() ? "no query" : names),
                                            "?" + json::excerpt(name, 40), 0, 0});
  }
  return std::nullopt;
}

}  // namespace plumb::control
