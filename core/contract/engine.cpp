// The engine as it begins, and the text as it ends. See engine.hpp for the idea, engine_types.hpp for the data.
//
// The common case is an instance with one schema object and no applicator in place: then there is one evaluation a
// container and none a scalar. Everything else goes through begin_place(): it asks for the schemas wanted at the
// instance, closes over $ref, allOf, anyOf and the like, and runs each schema once however many references lead to it.

#include <utility>

#include "core/contract/engine.hpp"
#include "core/json/pointer.hpp"

namespace plumb::contract {

using json::Kind;

Engine::Engine(std::shared_ptr<const Program> program, const Node* root, const CheckOptions& options)
    : program_(std::move(program)),
      p_(*program_),
      root_(root),
      options_(options),
      scanner_(*this, options.limits.depth_max),
      seed_(options.hash_seed),
      inside_context_(root != p_.root) {
  if (!options.context.empty()) {
    context_text_.assign(options.context);
    Result<json::Value> parsed =
        json::parse(context_text_, context_arena_, {options.limits.depth_max, options.limits.bytes_max});
    if (parsed) {
      context_ = parsed.value();
      has_context_ = true;
      measure_context();
    } else {
      context_bad_ = true;
      context_error_ = parsed.error();
      context_error_.message = "the context is no JSON: " + context_error_.message;
    }
  }
  options_.context = {};
  start();
}

void Engine::start() {
  if (branches_.empty()) {
    branches_.emplace_back();
  }
  scopes_.resize(1);
  Wanted root;
  root.node = root_;
  root.kw = Kw::none;
  wanted_.clear();
  if (!root_->always) {
    wanted_.push_back(root);
  }
  next_readings_.clear();
}

void Engine::reset() {
  scanner_.reset(options_.limits.depth_max);
  // A pool that has stayed small is used again as it is; one that has grown gives its memory back.
  auto keep = [](auto& pool, auto& free, std::uint32_t first, auto clear) {
    constexpr std::size_t kept_max = 256;
    free.clear();
    if (pool.size() > kept_max) {
      pool.shrink(first);
    }
    for (std::size_t i = pool.size(); i-- > first;) {
      clear(pool[i]);
      free.push_back(static_cast<std::uint32_t>(i));
    }
  };
  auto clear_it = [](auto& entry) { entry.clear(); };
  auto leave = [](auto&) {};
  auto keep_list = [](auto& list, auto& free) {
    list.clear();
    free.clear();
  };
  keep_list(evaluations_, free_evaluations_);
  keep_list(edges_, free_edges_);
  keep_list(deferred_, free_deferred_);
  keep(extensions_, free_extensions_, 0, clear_it);
  keep(groups_, free_groups_, 0, leave);
  keep(branches_, free_branches_, 1, leave);
  keep(sets_, free_sets_, 0, clear_it);
  keep(found_, free_found_, 0, leave);
  keep_list(key_tables_, free_key_tables_);
  frames_.clear();
  place_.clear();
  readings_.clear();
  keys_.clear();
  key_bytes_.clear();
  values_.clear();
  value_arena_.clear();
  set_arena_.clear();
  recording_ = 0;
  sets_open_ = 0;
  token_ = Token();
  token_text_.clear();
  enum_runs_.clear();
  pattern_runs_.clear();
  touched_.clear();
  certain_.clear();
  completed_.clear();
  kept_.clear();
  others_.clear();
  more_by_rule_.clear();
  asks_ = nullptr;
  clean_ = false;
  next_id_ = 1;
  root_broken_ = false;
  limit_reached_ = false;
  context_missing_ = false;
  stopped_ = false;
  positions_.reset();
  placed_frames_ = 0;
  item_begun_ = false;
  any_error_ = false;
  any_block_ = false;
  any_warning_ = false;
  size_stopped_ = false;
  repeated_ = 0;
  skipping_ = false;
  bytes_ = 0;
  chunk_start_ = 0;
  passed_ = 0;
  whole_ = false;
  ending_ = false;
  now_ = 0;
  signals_.clear();
  degenerate_.reset();
  walk_.reset();
  start();
}

void Engine::lone_surrogate(std::uint64_t, std::uint64_t, std::uint64_t decided) {
  // From the beginning of its string to the byte that shows it: the escape itself may stand in an earlier piece.
  text_found(Kw::lone_surrogate, "This string holds a surrogate without its other half", scanner_.token_from(), decided,
             decided);
}

void Engine::broken(json::ScanError what, std::uint64_t at, std::uint64_t decided) {
  now_ = decided;
  stopped_ = true;
  std::string message(json::scan_error_message(what));
  if (json::is_limit(what)) {
    // A container that is too deep stands where its parent's next child would.
    std::string where = pointer_of(depth() > 0 ? depth() - 1 : 0);
    if (what == json::ScanError::depth_limit && !frames_.empty()) {
      if (frames_.back().kind == Kind::object) {
        json::append_token(where, key_of(frames_.back()));
      } else {
        json::append_token(where, std::uint64_t{frames_.back().count});
      }
    }
    limit_found(std::move(message), std::move(where), at, decided,
                what == json::ScanError::depth_limit
                    ? "at most " + std::to_string(options_.limits.depth_max) + " levels"
                    : "a shorter number");
    return;
  }
  text_found(Kw::syntax, std::move(message), at, decided, decided);
}

}  // namespace plumb::contract
