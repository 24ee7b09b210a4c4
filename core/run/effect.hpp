// Effects: what a run wants from the world, as data, and what comes back.
//
// A run asks for an effect; the host fulfils it and appends the reply. What goes wrong in the world (a model that is
// down, an answer that is no JSON, a deadline that passed) is a status of the reply, never an exception.
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

// Some of the kinds: what a pipeline may ask for, what a host can do.
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

// What happens when the host that was fulfilling an effect is gone before the reply was stored.
enum class Lost : std::uint8_t {
  again,       // nothing was paid and nothing changed: it is wanted again, as often as need be
  again_once,  // it may have been billed, and is made once more; lost again, its reply is `interrupted`
  never,       // it may have changed something: its reply is `interrupted`
};

// One row of the open table of effects. A host fulfils the kinds whose capability it has.
struct EffectType {
  EffectKind kind;
  std::string_view name;
  std::string_view capability;  // what the host must be able to do, in words
  Lost lost;
  std::string_view request_contract;  // JSON Schema text
  std::string_view reply_contract;    // of the value of an `ok` reply
};
std::span<const EffectType> effect_types();
const EffectType& effect_type(EffectKind kind);
// nullptr when there is no such kind.
const EffectType* effect_type(std::string_view name);

// The request is a function: it is called when the effect is new, and once when a stored journal is verified.
struct Effect {
  EffectKind kind = EffectKind::model;
  std::uint64_t deadline_ms = 0;  // from its first attempt; 0: the host's own limit
  std::function<Data()> request;
};

enum class Status : std::uint8_t {
  ok,
  failed,       // the world said no; `error` says what
  timed_out,    // deadline_ms passed
  cancelled,    // the run was, or another effect of ask_any was faster
  interrupted,  // the host was lost while it was under way, as often as it may be tried
};
std::string_view status_name(Status status);
bool status_of(std::string_view name, Status& status);

struct Reply {
  Status status = Status::ok;
  Data value;         // of an `ok` reply; with others what there is of it
  std::string error;  // one sentence, where the status is not ok

  bool ok() const { return status == Status::ok; }
};

}  // namespace plumb::run
