#include "core/contract/engine/engine.hpp"

#include <utility>

namespace plumb::contract {

using json::Kind;

namespace {

// The initial state: nothing has been read, and the root's schema is wanted.
void start(Engine& engine) {
  if (engine.branches.empty()) {
    engine.branches.take();
  }
  engine.scopes.resize(1);
  Wanted root;
  root.node = engine.root;
  root.kw = Kw::none;
  engine.wanted.clear();
  if (!engine.root->always) {
    engine.wanted.push_back(root);
  }
  engine.memory.next_readings.clear();
}

}  // namespace

Engine::Engine(std::shared_ptr<const Program> its_program, const Node* at, const CheckOptions& check_options)
    : program(std::move(its_program)),
      root(at),
      options(check_options),
      scanner(*this, check_options.limits.depth_max) {
  read_context(*this);
  options.context = {};
  start(*this);
}

void Engine::begin_object(std::uint64_t from) {
  now = from + 1;
  item_begin(*this);
  open_frame(*this, Kind::object, from);
}

void Engine::begin_array(std::uint64_t from) {
  now = from + 1;
  item_begin(*this);
  open_frame(*this, Kind::array, from);
}

Verdict Engine::check_whole(std::string_view text) {
  read_whole(text);
  return verdict();
}

void Engine::reset() {
  const auto leave = [](auto&) {};
  scanner.reset(options.limits.depth_max);
  evaluations.clear();
  evaluations.edges.clear();
  extensions.give_all(0, [](Extension& x) { x.clear(); });
  groups.give_all(0, leave);
  branches.give_all(1, leave);
  found.give_all(0, leave);
  frames.clear();
  place.clear();
  keys.reset();
  memory.reset();
  seen.reset();
  token = Token();
  strings.reset();
  findings.reset();
  spots.reset();
  stream.reset();
  now = 0;
  walk.reset();
  start(*this);
}

}  // namespace plumb::contract
