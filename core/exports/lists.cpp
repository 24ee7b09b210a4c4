// Flashcards as tables, mind maps as outlines.
#include "core/exports/writers.hpp"
#include "core/json/members.hpp"
#include "core/json/pointer.hpp"

namespace plumb::exports {

namespace {

using json::Value;

// Every field is quoted: a text may begin with #, which begins a comment in Anki's file, or hold anything.
Result<std::string> table(const Value& artifact, std::string out, std::string_view between, std::string_view line_end) {
  const std::span<const Value> cards = json::list_of(artifact, "flashcards");
  if (cards.empty()) {
    return Error{ErrorCode::invalid_argument, "this format is for flashcards, and needs a list of cards here",
                 "/flashcards", 0, 0};
  }
  for (std::size_t i = 0; i < cards.size(); ++i) {
    std::string place = "/flashcards";
    json::append_token(place, i);
    const Result<std::string_view> front = text_at(cards[i], place, "front");
    const Result<std::string_view> back = front ? text_at(cards[i], place, "back") : front;
    if (!back) {
      return back.error();
    }
    out += quoted_field(front.value());
    out += between;
    out += quoted_field(back.value());
    out += line_end;
  }
  return out;
}

struct Outline {
  std::string_view open;  // up to the label's value
  std::string_view close;
  std::string (*escaped)(std::string_view text);
};

// Recurses as deep as the map, as the writer of JSON does.
Result<bool> add_node(std::string& out, const Outline& form, const Value& node, const std::string& place) {
  const Result<std::string_view> label = text_at(node, place, "label");
  if (!label) {
    return label.error();
  }
  out += form.open;
  out += form.escaped(label.value());
  const std::span<const Value> children = json::list_of(node, "children");
  if (children.empty()) {
    out += "\"/>\n";
    return true;
  }
  out += "\">\n";
  for (std::size_t i = 0; i < children.size(); ++i) {
    std::string at = place + "/children";
    json::append_token(at, i);
    if (Result<bool> added = add_node(out, form, children[i], at); !added) {
      return added;
    }
  }
  out += form.close;
  return true;
}

Result<std::string> map_text(const Value& artifact, const Outline& form, std::string head, std::string_view tail) {
  const Value* root = artifact.find("root");
  if (root == nullptr) {
    return Error{ErrorCode::invalid_argument, "this format is for a mind map, and needs its first node here", "/root",
                 0, 0};
  }
  if (Result<bool> added = add_node(head, form, *root, "/root"); !added) {
    return added.error();
  }
  head += tail;
  return head;
}

}  // namespace

Result<std::string> write_anki(const Value& artifact) {
  return table(artifact, "#separator:tab\n#html:false\n", "\t", "\n");
}

Result<std::string> write_csv(const Value& artifact) {
  return table(artifact, "\xEF\xBB\xBF\"front\",\"back\"\r\n", ",", "\r\n");
}

Result<std::string> write_opml(const Value& artifact) {
  const Value* root = artifact.find("root");
  const std::string title = root == nullptr ? std::string() : xml(json::text_of(*root, "label"));
  return map_text(artifact, {"<outline text=\"", "</outline>\n", xml},
                  "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<opml version=\"2.0\">\n<head><title>" + title +
                      "</title></head>\n<body>\n",
                  "</body>\n</opml>\n");
}

// FreeMind reads its file in the encoding of the computer, and writes all beyond ASCII by number.
Result<std::string> write_freemind(const Value& artifact) {
  return map_text(artifact, {"<node TEXT=\"", "</node>\n", ascii_xml}, "<map version=\"1.0.1\">\n", "</map>\n");
}

}  // namespace plumb::exports
