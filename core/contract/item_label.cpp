// The engine knows which schemas apply at a place, because it is there. Here they are found again, along the pointer
// from the contract's root, with every schema that applies in place. Labels are few and short, so this is done for
// each label.

#include "core/contract/item_label.hpp"

#include <algorithm>
#include <vector>

#include "core/contract/program.hpp"
#include "core/json/number_text.hpp"
#include "core/json/pointer.hpp"
#include "core/json/writer.hpp"

namespace plumb::contract {

namespace {

constexpr std::size_t nodes_max = 1000;  // at one place
constexpr std::size_t shown_max = 200;   // code points of a value

// One step along the pointer: the value, how it was reached, and the schemas that apply there.
struct Step {
  const json::Value* value = nullptr;
  std::string name;         // of a member
  std::uint64_t index = 0;  // of an item
  bool item = false;
  const ItemLabel* label = nullptr;
  std::vector<const Node*> nodes;
};

void add(std::vector<const Node*>& nodes, const Node* node) {
  if (node != nullptr && nodes.size() < nodes_max && std::find(nodes.begin(), nodes.end(), node) == nodes.end()) {
    nodes.push_back(node);
  }
}

// Adds the schemas that these apply to the same instance. The list grows while it is read.
void add_in_place(std::vector<const Node*>& nodes) {
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    for (const InPlace& in : nodes[i]->in_place) {
      if (in.form == InPlaceForm::negation) {
        continue;
      }
      if (in.form != InPlaceForm::condition) {
        add(nodes, in.node);
      }
      add(nodes, in.then_node);
      add(nodes, in.else_node);
      for (const Node* branch : in.branches) {
        add(nodes, branch);
      }
    }
  }
}

void add_member(const Program& program, const Node& node, std::string_view key, std::vector<const Node*>& into) {
  if (!node.object) {
    return;
  }
  const ObjectPart& object = *node.object;
  bool known = false;
  for (const Slot& slot : object.slots) {
    if (slot.key == key && slot.node != nullptr) {
      add(into, slot.node);
      known = true;
    }
  }
  for (const ObjectPart::PatternProperty& one : object.pattern_properties) {
    if (text::Matcher(program.patterns[one.pattern]).search(key)) {
      add(into, one.node);
      known = true;
    }
  }
  if (!known) {
    add(into, object.additional);
  }
}

void add_item(const Node& node, std::uint64_t index, std::vector<const Node*>& into) {
  if (!node.array) {
    return;
  }
  const ArrayPart& array = *node.array;
  add(into, index < array.prefix.size() ? array.prefix[static_cast<std::size_t>(index)] : array.items);
}

void find_label(Step& step) {
  add_in_place(step.nodes);
  for (const Node* node : step.nodes) {
    if (node->extra && node->extra->label) {
      step.label = node->extra->label.get();
      return;
    }
  }
}

std::string scalar_text(const json::Value& value) {
  if (value.is(json::Kind::string) || value.is(json::Kind::number)) {
    return json::excerpt(value.str(), shown_max);
  }
  return json::excerpt(json::value_text(value), shown_max);
}

class Way {
 public:
  Way(const Program& program, const json::Value& root) : program_(program) {
    Step first;
    first.value = &root;
    first.nodes.push_back(program.root);
    find_label(first);
    steps_.push_back(std::move(first));
  }

  void go(const std::vector<std::string>& tokens) {
    for (const std::string& token : tokens) {
      const Step& last = steps_.back();
      Step next;
      if (last.value->is(json::Kind::array)) {
        std::uint64_t index = 0;
        for (const char c : token) {
          if (c < '0' || c > '9' || index > last.value->size) {
            return;
          }
          index = index * 10 + static_cast<std::uint64_t>(c - '0');
        }
        if (token.empty() || index >= last.value->size) {
          return;
        }
        next.item = true;
        next.index = index;
        next.value = &last.value->array()[static_cast<std::size_t>(index)];
        for (const Node* node : last.nodes) {
          add_item(*node, index, next.nodes);
        }
      } else {
        next.name = token;
        next.value = last.value->find(token);
        if (next.value == nullptr) {
          return;
        }
        for (const Node* node : last.nodes) {
          add_member(program_, *node, token, next.nodes);
        }
      }
      find_label(next);
      steps_.push_back(std::move(next));
    }
  }

  PlaceLabel label() const {
    for (std::size_t at = steps_.size(); at-- > 0;) {
      if (steps_[at].label != nullptr) {
        std::string text = render(steps_[at].label->text, at);
        return {text, steps_[at].label->prefix ? text : std::string()};
      }
    }
    return {};
  }

 private:
  std::string render(const MessageTemplate& text, std::size_t at) const {
    using Part = MessageTemplate::Part;
    std::string out;
    for (const MessageTemplate::Piece& piece : text.pieces) {
      switch (piece.part) {
        case Part::literal:
          out += piece.text;
          break;
        case Part::n:
          for (std::size_t d = at + 1; d-- > 0;) {
            if (steps_[d].item) {
              out += json::uint_text(steps_[d].index + 1);
              break;
            }
          }
          break;
        case Part::property:
          out += steps_[at].name;
          break;
        case Part::path:
          out += path(at);
          break;
        case Part::pointer:
          out += pointed(program_.pointer_patterns[piece.pattern], at);
          break;
        case Part::size:
        case Part::limit:
        case Part::value:
          break;  // a rule has no label
      }
    }
    return out;
  }

  std::string path(std::size_t at) const {
    std::string out;
    for (std::size_t d = 0; d < at; ++d) {
      if (steps_[d].label != nullptr) {
        out += (out.empty() ? "" : "/") + render(steps_[d].label->text, d);
      }
    }
    return out;
  }

  std::string pointed(const json::PointerPattern& pattern, std::size_t at) const {
    const std::size_t up = pattern.base == json::PointerBase::root ? at : pattern.levels_up;
    if (pattern.base == json::PointerBase::context || up > at) {
      return {};
    }
    std::string out;
    json::for_each_match(*steps_[at - up].value, pattern, [&](const json::Value& value, std::string_view) {
      out = scalar_text(value);
      return false;
    });
    return out;
  }

  const Program& program_;
  std::vector<Step> steps_;
};

}  // namespace

PlaceLabel place_label(const Contract& contract, const json::Value& root, std::string_view pointer) {
  const Result<std::vector<std::string>> tokens = json::parse_pointer(pointer);
  Way way(contract.program(), root);
  if (tokens) {
    way.go(tokens.value());
  }
  return way.label();
}

}  // namespace plumb::contract
