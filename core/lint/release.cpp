// What is decided only after parts of it have been released, where a contract is kept with hold-back (core/guard):
// there the fields of objects, and the items of the first list on the way down, go to the client one by one. A rule of
// such an object or list that looks at the whole of it speaks when they are gone.
#include <algorithm>
#include <array>
#include <vector>

#include "core/lint/looking.hpp"

namespace plumb::lint {

namespace {

constexpr unsigned depth_max = 32;

// Decided at the end of their value, by parts of it that a continuation cannot change any more.
constexpr std::array<Kw, 6> at_the_end = {Kw::any_of,      Kw::one_of, Kw::not_, Kw::if_, Kw::dependent_schemas,
                                          Kw::dependencies};

class Released {
 public:
  explicit Released(Looking& looking) : looking_(looking) {}

  // `node` has a say about an object or list that is released in parts.
  void open(const Node* node, unsigned depth) {
    if (node == nullptr || depth > depth_max || std::find(seen_.begin(), seen_.end(), node) != seen_.end()) {
      return;
    }
    seen_.push_back(node);
    const bool whole = (node->types & (contract::type_object | contract::type_array)) == 0;
    if (whole) {
      return;
    }
    look(*node);
    for (const contract::InPlace& in : node->in_place) {
      if (in.joins()) {
        open(in.node, depth + 1);
      }
    }
    if (node->object) {
      for (const contract::Slot& slot : node->object->slots) {
        open(slot.node, depth + 1);
      }
    }
  }

 private:
  void tell(const Node& node, Kw kw) {
    const std::string name(contract::kw_name(kw));
    if (looking_.find(&node) == nullptr || Looking::member(node, name) == nullptr) {
      return;
    }
    looking_.add("released-early", node, name,
                 "'" + name +
                     "' is decided at the end of its value: with hold-back its parts have been released by then, and a "
                     "repair may find no way on");
  }

  void look(const Node& node) {
    for (const Kw kw : at_the_end) {
      if (std::any_of(node.in_place.begin(), node.in_place.end(), [kw](const auto& in) { return in.kw == kw; })) {
        tell(node, kw);
      }
    }
    if (node.tracks) {
      tell(node, Kw::unevaluated_properties);
      tell(node, Kw::unevaluated_items);
    }
    if (!node.extra) {
      return;
    }
    for (const contract::CrossRule& rule : node.extra->cross) {
      tell(node, rule.kw);
    }
    for (const contract::DistinctPart& tree : node.extra->trees) {
      tell(node, tree.kw);
    }
  }

  Looking& looking_;
  std::vector<const Node*> seen_;
};

}  // namespace

void look_at_release(Looking& looking) { Released(looking).open(looking.program.root, 0); }

}  // namespace plumb::lint
