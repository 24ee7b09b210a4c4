// The loops of other agents that this server has heard of.
#include "core/json/writer.hpp"
#include "native/control/control.hpp"
#include "native/control/route_table.hpp"

namespace plumb::control {

Answer get_loops(Control& control, const Request& request) {
  constexpr std::uint64_t loops_usual = 100;
  constexpr std::uint64_t loops_max = 10'000;
  if (std::optional<Answer> refused = unknown_query(request, {"limit", "response"})) {
    return std::move(*refused);
  }
  const AskedNumber limit = asked_number(request, "limit", loops_usual, 1, loops_max);
  if (limit.refused) {
    return *limit.refused;
  }
  const std::string_view said = request.asked("response").value_or("observe");
  const std::optional<budget::Response> at_least = budget::response_named(said);
  if (!at_least) {
    return refuse(Wrong::bad_request,
                  Error{ErrorCode::invalid_argument,
                        "must be observe, log, warn, pause, halt or escalate, not '" + json::excerpt(said, 40) + "'",
                        "response", 0, 0});
  }
  if (control.events.loops == nullptr) {
    return refuse(Wrong::not_found, "Loops are not listened to here: they are where plumb.yaml has `events:`.");
  }
  return json_answer(200, control.events.loops(static_cast<std::size_t>(limit.number), *at_least));
}

}  // namespace plumb::control
