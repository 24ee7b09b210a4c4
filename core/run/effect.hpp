// Effects: requests of a run to the world, as data, and the replies.
//
// A run asks for an effect; the host fulfils it and appends the reply. A failure in the world (a model that is down,
// an answer that is not valid JSON, a deadline that passed) is a status of the reply, never an exception.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>

#include "core/run/data.hpp"

namespace plumb::run {

enum class EffectKind : std::uint8_t { model, search, read, fetch, command, person, claim, worktree };
inline constexpr std::size_t effect_kinds = 8;

// A set of kinds, such as those a pipeline may ask for, or a host can fulfil.
class Effects {
 public:
  constexpr Effects() = default;
  constexpr Effects(std::initializer_list<EffectKind> kinds) {
    for (const EffectKind kind : kinds) {
      bits_ = static_cast<std::uint16_t>(bits_ | (1U << static_cast<unsigned>(kind)));
    }
  }
  constexpr bool has(EffectKind kind) const { return (bits_ >> static_cast<unsigned>(kind) & 1U) != 0; }

 private:
  std::uint16_t bits_ = 0;
};

// What happens if the host stops before it has stored the reply of an effect in progress.
enum class Lost : std::uint8_t {
  again,       // costs and changes nothing: it is tried again, any number of times
  again_once,  // may have been billed: it is tried once more; lost again, its reply is `interrupted`
  never,       // may have changed something: its reply is `interrupted`
};

// One row of the table of effects. A host fulfils the kinds whose capability it has.
struct EffectType {
  EffectKind kind;
  std::string_view name;
  std::string_view capability;  // what the host must be able to do, for people
  Lost lost;
  std::string_view request_contract;  // JSON Schema text
  std::string_view reply_contract;    // JSON Schema text, for the value of an `ok` reply
};
std::span<const EffectType> effect_types();
const EffectType& effect_type(EffectKind kind);
// nullptr if there is no such kind.
const EffectType* effect_type(std::string_view name);

// `request` is a function. It is called when the effect is new, and once when a stored journal is verified.
struct Effect {
  EffectKind kind = EffectKind::model;
  std::uint64_t deadline_ms = 0;  // from its first attempt; 0: the host's own limit
  std::function<Data()> request;
};

enum class Status : std::uint8_t {
  ok,
  failed,       // the world refused; `error` says why
  timed_out,    // deadline_ms passed
  cancelled,    // the run was cancelled, or another effect of ask_any was faster
  interrupted,  // the host was lost during it, and it may not be tried again
};
std::string_view status_name(Status status);
bool status_of(std::string_view name, Status& status);

struct Reply {
  Status status = Status::ok;
  Data value;         // of an `ok` reply; otherwise the part that there is
  std::string error;  // one sentence if the status is not `ok`

  bool ok() const { return status == Status::ok; }
};

}  // namespace plumb::run
