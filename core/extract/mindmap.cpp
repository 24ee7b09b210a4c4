#include "core/extract/mindmap.hpp"

#include <algorithm>

#include "core/extract/items.hpp"
#include "core/json/writer.hpp"
#include "core/text/fold.hpp"

namespace plumb::extract {
namespace {

constexpr std::size_t terms_below_max = 6;
constexpr std::size_t topics_max = 12;
constexpr std::size_t topics_without_headings = 5;

struct Node {
  std::string label;
  std::vector<std::size_t> children;
  std::vector<std::uint32_t> chunks;  // those right under this heading
};

// Headings as a tree. The root is the first heading that all others stand below, or has no label.
class Outline {
 public:
  explicit Outline(const Reading& reading) : r_(reading) {
    nodes.emplace_back();
    const bool one_root = has_one_root();
    for (std::uint32_t i = 0; i < r_.chunks.size(); ++i) {
      std::size_t node = 0;
      const std::vector<std::string>& path = r_.chunks[i].headings;
      for (std::size_t level = one_root ? 1 : 0; level < path.size(); ++level) {
        node = child(node, path[level]);
      }
      nodes[node].chunks.push_back(i);
    }
    if (one_root) {
      nodes[0].label = r_.chunks.front().headings.front();
    }
  }

  bool has_headings() const { return nodes.size() > 1; }

  std::vector<Node> nodes;

 private:
  bool has_one_root() const {
    return !r_.chunks.empty() && !r_.chunks.front().headings.empty() &&
           std::all_of(r_.chunks.begin(), r_.chunks.end(), [this](const Chunk& chunk) {
             return !chunk.headings.empty() && chunk.headings.front() == r_.chunks.front().headings.front();
           });
  }

  std::size_t child(std::size_t parent, const std::string& label) {
    // Passages come in order, so the heading is the last one or new; an equal one before is taken up again.
    for (auto it = nodes[parent].children.rbegin(); it != nodes[parent].children.rend(); ++it) {
      if (nodes[*it].label == label) {
        return *it;
      }
      if (it - nodes[parent].children.rbegin() > 20) {
        break;
      }
    }
    nodes.emplace_back();
    nodes.back().label = label;
    nodes[parent].children.push_back(nodes.size() - 1);
    return nodes.size() - 1;
  }

  const Reading& r_;
};

class TreeWriter {
 public:
  TreeWriter(const Reading& reading, const Terms& terms, const Plan& plan)
      : r_(reading), terms_(terms), plan_(plan), outline_(reading), writer_(out_, 2) {}

  std::string run() {
    const std::string root = plan_.main.empty() ? main_topic(r_, terms_) : plan_.main;
    taken_.add_text(root);
    taken_.add_text(without_article(root));
    // A term stands below the part that defines it, or has it in bold, else where it first comes.
    for (const Node& node : outline_.nodes) {
      if (!node.label.empty()) {
        reserved_.push_back(text::fold(node.label, {true, true}));
        // Below "The Calvin cycle" stands no "Calvin cycle".
        reserved_.push_back(text::fold(without_article(node.label), {true, true}));
      }
    }
    writer_.begin_object().key("root").begin_object().member("label", root).key("children").begin_array();
    if (outline_.has_headings()) {
      for (const std::size_t child : outline_.nodes[0].children) {
        node(child, 2);
      }
    } else {
      without_headings();
    }
    writer_.end_array().end_object().member("made_by", made_by).end_object();
    return std::move(out_);
  }

 private:
  std::string_view without_article(std::string_view label) const {
    const text::Words words(label, 2);
    return words.size() > 1 && is_article(r_.language, words.folded(0)) ? label.substr(words.span(1).from) : label;
  }

  void leaf(const std::string& label) {
    writer_.begin_object().member("label", label).key("children").begin_array().end_array().end_object();
  }

  void node(std::size_t index, std::size_t level) {
    const Node& here = outline_.nodes[index];
    const bool names_something = !is_empty_heading(text::fold(here.label, {true, true}));
    if (!names_something || taken_.has_text(here.label) || text::is_blank(here.label)) {
      return;
    }
    taken_.add_text(here.label);
    writer_.begin_object().member("label", here.label).key("children").begin_array();
    if (level < plan_.depth) {
      for (const std::size_t child : here.children) {
        node(child, level + 1);
      }
      std::size_t below = 0;
      for (const Term& term : terms_.list) {
        if (below == terms_below_max) {
          break;
        }
        const std::string label = capitalised(term.name);
        const bool named = term.kind == TermKind::name && (term.stems.size() > 1 || term.count > 1);
        const bool other = term.kind == TermKind::acronym || term.kind == TermKind::code;
        const bool fit = (term.bold || term.definition >= 0 || named || other) &&
                         std::find(here.chunks.begin(), here.chunks.end(), home(term)) != here.chunks.end();
        if (!fit || taken_.has_text(label) || is_reserved(label)) {
          continue;
        }
        taken_.add_text(label);
        leaf(label);
        ++below;
      }
    }
    writer_.end_array().end_object();
  }

  bool is_reserved(std::string_view label) const {
    return std::find(reserved_.begin(), reserved_.end(), text::fold(label, {true, true})) != reserved_.end();
  }

  std::uint32_t home(const Term& term) const {
    const std::uint32_t word = term.definition >= 0
                                   ? terms_.definitions[static_cast<std::size_t>(term.definition)].first_word
                                   : term.at.front().first_word;
    return r_.sentences[r_.sentence_of[word]].chunk;
  }

  // The planned topics, each with the terms that stand in the same sentences.
  void without_headings() {
    std::vector<std::uint32_t> topics;
    for (const std::string& name : plan_.names) {
      const std::int32_t term = terms_.find(r_, name);
      if (term >= 0 && !taken_.has_text(capitalised(terms_.list[static_cast<std::size_t>(term)].name))) {
        taken_.add_text(capitalised(terms_.list[static_cast<std::size_t>(term)].name));
        topics.push_back(static_cast<std::uint32_t>(term));
      }
    }
    for (const std::uint32_t topic : topics) {
      const Term& term = terms_.list[topic];
      writer_.begin_object().member("label", capitalised(term.name)).key("children").begin_array();
      std::size_t below = 0;
      for (const Term& other : terms_.list) {
        if (plan_.depth < 3 || below == terms_below_max) {
          break;
        }
        const std::string label = capitalised(other.name);
        if (!taken_.has_text(label) && together(term, other)) {
          taken_.add_text(label);
          leaf(label);
          ++below;
        }
      }
      writer_.end_array().end_object();
    }
  }

  bool together(const Term& a, const Term& b) const {
    for (const Occurrence& left : a.at) {
      for (const Occurrence& right : b.at) {
        if (r_.sentence_of[left.first_word] == r_.sentence_of[right.first_word]) {
          return true;
        }
      }
    }
    return false;
  }

  const Reading& r_;
  const Terms& terms_;
  const Plan& plan_;
  Outline outline_;
  std::string out_;
  json::Writer writer_;
  Taken taken_;
  std::vector<std::string> reserved_;
};

}  // namespace

std::string main_topic(const Reading& reading, const Terms& terms) {
  const Outline outline(reading);
  if (!outline.nodes[0].label.empty()) {
    return outline.nodes[0].label;
  }
  if (!reading.chunks.empty() && !reading.chunks.front().headings.empty()) {
    return reading.chunks.front().headings.front();
  }
  if (!terms.list.empty() && !terms.list.front().name.empty()) {
    const auto most = std::max_element(terms.list.begin(), terms.list.end(),
                                       [](const Term& a, const Term& b) { return a.count < b.count; });
    return capitalised(most->name.empty() ? terms.list.front().name : most->name);
  }
  for (std::size_t i = 0; i < reading.words->size(); ++i) {
    if (!reading.function_word(i)) {
      return std::string(reading.words->written(i));
    }
  }
  return std::string(reading.words->written(0));
}

std::vector<Topic> main_topics(const Reading& reading, const Terms& terms) {
  const Outline outline(reading);
  std::vector<Topic> out;
  if (outline.has_headings()) {
    for (const std::size_t child : outline.nodes[0].children) {
      const std::string& label = outline.nodes[child].label;
      if (out.size() < topics_max && !is_empty_heading(text::fold(label, {true, true}))) {
        const auto heading = std::find_if(reading.sentences.begin(), reading.sentences.end(), [&](const Sentence& s) {
          return s.kind == SentenceKind::heading && reading.plain(s) == label;
        });
        out.push_back({label, heading == reading.sentences.end() ? nullptr : &*heading});
      }
    }
    return out;
  }
  const std::string main = main_topic(reading, terms);
  for (const Term& term : terms.list) {
    const std::string label = capitalised(term.name);
    if (out.size() < topics_without_headings && !term.at.empty() && label != main) {
      out.push_back({label, &reading.sentences[reading.sentence_of[term.at.front().first_word]]});
    }
  }
  return out;
}

std::string mindmap_json(const Reading& reading, const Terms& terms, const Plan& plan) {
  return TreeWriter(reading, terms, plan).run();
}

}  // namespace plumb::extract
