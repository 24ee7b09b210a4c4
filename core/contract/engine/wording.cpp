#include "core/contract/engine/wording.hpp"

#include <utility>

#include "core/contract/engine/engine.hpp"
#include "core/contract/keywords/keyword.hpp"
#include "core/json/excerpt.hpp"
#include "core/json/pointer.hpp"
#include "core/json/writer.hpp"

namespace plumb::contract {

using json::Kind;

namespace {

std::string scalar_text(const json::Value& value) {
  return json::excerpt(value.is(Kind::string) ? std::string(value.str()) : json::value_text(value), shown_max);
}

const ItemLabel* label_of(const Engine& engine, std::uint32_t at) {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  if (at < engine.frames.size()) {
    from = engine.frames[at].evaluations_from;
    to = engine.frames[at].evaluations_to;
  } else if (at == engine.frames.size() && engine.token.active) {
    from = engine.token.place_from;
    to = static_cast<std::uint32_t>(engine.place.size());
  }
  for (std::uint32_t k = from; k < to && k < engine.place.size(); ++k) {
    const Node* node = engine.evaluations[engine.place[k]].node;
    if (node != nullptr && node->extra && node->extra->label) {
      return node->extra->label.get();
    }
  }
  return nullptr;
}

// Item labels from the root to the instance, joined by '/'. If there are none, the member or index of the root's
// child.
std::string path_of(const Engine& engine, std::uint32_t at) {
  std::string out;
  for (std::uint32_t d = 0; d <= at; ++d) {
    if (const ItemLabel* label = label_of(engine, d)) {
      out += (out.empty() ? "" : "/") + render(engine, label->text, nullptr, d);
    }
  }
  if (!out.empty() || at == 0) {
    return out.empty() ? std::string("root") : out;
  }
  const Frame& first = engine.frames.front();
  return first.kind == Kind::object ? std::string(key_of(engine, first)) : std::to_string(first.count - 1);
}

std::string pointed_text(const Engine& engine, std::uint32_t pattern_index, std::uint32_t at) {
  const PointerPattern& pattern = engine.program->pointer_patterns[pattern_index];
  std::vector<const json::Value*> values;
  if (pattern.base == json::PointerBase::instance && pattern.levels_up == 0) {
    if (at < engine.frames.size()) {
      gather_open(engine, at, pattern, 0, values);
    } else if (pattern.tokens.empty()) {
      return json::excerpt(engine.token.text, shown_max);
    }
  } else {
    gather(engine, pattern_index, at, nullptr, values);
  }
  return values.empty() ? std::string() : scalar_text(*values.front());
}

}  // namespace

const MessageTemplate* Messages::find(Kw kw, std::string_view property) const {
  if (kw == Kw::required) {
    const MessageTemplate* rest = nullptr;
    for (const auto& [name, text] : required) {
      if (name == property) {
        return &text;
      }
      if (name == "_") {
        rest = &text;
      }
    }
    if (rest != nullptr) {
      return rest;
    }
  }
  for (const auto& [word, text] : by_keyword) {
    if (word == kw) {
      return &text;
    }
  }
  return nullptr;
}

std::string pointer_of(const Engine& engine, std::uint32_t tokens) {
  std::string out;
  for (std::uint32_t i = 0; i < tokens && i < engine.frames.size(); ++i) {
    const Frame& frame = engine.frames[i];
    if (frame.kind == Kind::object) {
      json::append_token(out, key_of(engine, frame));
    } else {
      json::append_token(out, std::uint64_t{frame.count} - 1);
    }
  }
  return out;
}

std::string nearest_label(const Engine& engine, std::uint32_t at, std::string* prefix) {
  for (std::uint32_t d = at + 1; d-- > 0;) {
    if (const ItemLabel* label = label_of(engine, d)) {
      std::string text = render(engine, label->text, nullptr, d);
      if (prefix != nullptr && label->prefix) {
        *prefix = text;
      }
      return text;
    }
  }
  return {};
}

std::string render(const Engine& engine, const MessageTemplate& text, const Found* f, std::uint32_t at) {
  using Part = MessageTemplate::Part;
  std::string out;
  for (const MessageTemplate::Piece& piece : text.pieces) {
    switch (piece.part) {
      case Part::literal:
        out += piece.text;
        break;
      case Part::n:
        // The nearest index above: the item's own, or that of the item around it.
        for (std::uint32_t d = at; d-- > 0;) {
          if (d < engine.frames.size() && engine.frames[d].kind == Kind::array) {
            out += std::to_string(engine.frames[d].count);
            break;
          }
        }
        break;
      case Part::size:
        if (f != nullptr) {
          out += f->size;
        }
        break;
      case Part::limit:
        if (f != nullptr) {
          out += f->limit;
        }
        break;
      case Part::value:
        if (f != nullptr) {
          out += f->value;
        }
        break;
      case Part::property:
        if (f != nullptr && !f->finding.property.empty()) {
          out += f->finding.property;
        } else if (at > 0 && at - 1 < engine.frames.size() && engine.frames[at - 1].kind == Kind::object) {
          out += key_of(engine, engine.frames[at - 1]);
        }
        break;
      case Part::path:
        out += path_of(engine, at);
        break;
      case Part::pointer:
        out += pointed_text(engine, piece.pattern, at);
        break;
    }
  }
  return out;
}

std::string default_message(const Found& f) {
  if (const Keyword* keyword = keyword_of(f.kw); keyword != nullptr && keyword->message != nullptr) {
    return keyword->message(f);
  }
  return f.kw == Kw::none ? "Nothing is allowed here" : must_be_shown(f);
}

}  // namespace plumb::contract
