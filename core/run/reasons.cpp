#include "core/run/reasons.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>

#include "core/json/members.hpp"
#include "core/json/writer.hpp"

namespace plumb::run {

namespace {

enum class Place : std::uint8_t { begins, holds, ends, is };

struct Words {
  Reason reason;
  Place place;
  std::string_view words;
};
constexpr Words table[] = {
    {Reason::over_budget, Place::begins, "budget_exceeded - job exceeded token budget ("},
    {Reason::over_window, Place::begins, "window_exceeded - the call takes at least "},
    {Reason::no_program, Place::holds, "': there is no program "},
    {Reason::not_text, Place::ends, "' is no UTF-8 text"},
    {Reason::decided, Place::holds, " has decided already: "},
    {Reason::not_better, Place::is, "it is not better"},
};

bool says(std::string_view said, const Words& old) {
  switch (old.place) {
    case Place::begins:
      return said.starts_with(old.words);
    case Place::holds:
      return said.find(old.words) != std::string_view::npos;
    case Place::ends:
      return said.ends_with(old.words);
    case Place::is:
      return said == old.words;
  }
  return false;
}

}  // namespace

Reply failed_reply(std::string error, Reason reason) {
  Reply out;
  out.status = Status::failed;
  out.error = std::move(error);
  if (reason != Reason::none) {
    std::string text;
    json::Writer(text).begin_object().member("reason", reason_name(reason)).end_object();
    out.value = Data::written(std::move(text));
  }
  return out;
}

std::string without_reasons(std::string line) {
  for (const std::string_view name : names_of(Reason::none).subspan(1)) {
    for (const std::string_view member : {"reason", "why"}) {
      // Inside a text these quotes would be escaped.
      const std::string written = ",\"" + std::string(member) + "\":\"" + std::string(name) + "\"";
      for (std::size_t at = line.find(written); at != std::string::npos; at = line.find(written, at)) {
        line.erase(at, written.size());
      }
    }
  }
  return line;
}

Reason reason_of(Reason stored, std::string_view words) {
  if (stored != Reason::none) {
    return stored;
  }
  const auto* const found =
      std::find_if(std::begin(table), std::end(table), [&](const Words& old) { return says(words, old); });
  return found == std::end(table) ? Reason::none : found->reason;
}

Reason reason_of(const Reply& reply) {
  const std::string_view stored =
      reply.value.is_null() ? std::string_view() : json::text_of(reply.value.value(), "reason");
  const auto names = names_of(Reason::none);
  const auto named = std::find(names.begin(), names.end(), stored);
  return reason_of(named == names.end() ? Reason::none : static_cast<Reason>(named - names.begin()), reply.error);
}

}  // namespace plumb::run
