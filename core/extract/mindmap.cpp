#include "core/extract/mindmap.hpp"

#include <algorithm>

#include "core/extract/items.hpp"
#include "core/json/writer.hpp"
#include "core/text/fold.hpp"

namespace plumb::extract {
namespace {

constexpr std::size_t terms_below_max = 6;
constexpr std::size_t topics_max = 12;
constexpr std::size_t topics_without_headings = 8;

struct Node {
  std::string label;
  std::vector<std::size_t> children;
  std::vector<std::uint32_t> chunks;  // those right under this heading
};

// A heading that names a topic: no version, address or notice, not empty of words, and not cut off.
bool is_topic(Language language, std::string_view label) {
  const text::Words words(label, 40);
  return words.size() > 0 && !is_function_word(language, words.folded(words.size() - 1)) && !text::is_blank(label) &&
         !is_version(label) && !is_empty_heading(text::fold(label, {true, true})) &&
         label.find_first_of("@=<>{}") == std::string_view::npos && label.find("©") == std::string_view::npos;
}

// A heading as a topic: without its number and the colon at its end.
std::string_view topic_of(std::string_view heading) {
  std::string_view label = without_number(heading);
  for (const std::string_view end : {"¶", ":", " "}) {
    while (label.ends_with(end)) {
      label.remove_suffix(end.size());
    }
  }
  return label;
}

// What may come below a topic: what is explained there or bold, and names of several words.
bool is_leaf(const Term& term) {
  return term.bold || term.definition >= 0 || (term.kind == TermKind::name && term.stems.size() > 1);
}

// Headings as a tree, those that name a topic and have prose or entries below them; what is below one that does not, as
// "Description", goes below the heading above it. The root is the first heading if all others are below it, or has no
// label.
class Outline {
 public:
  Outline(const SourceText& reading, const Terms& terms) : r_(reading) {
    nodes.emplace_back();
    const bool one_root = has_one_root();
    const std::vector<bool> told = told_chunks(terms);
    for (std::uint32_t i = 0; i < r_.chunks.size(); ++i) {
      std::size_t node = 0;
      const std::vector<std::string>& path = r_.chunks[i].headings;
      for (std::size_t level = one_root ? 1 : 0; told[i] && level < path.size(); ++level) {
        const std::string_view label = topic_of(path[level]);
        node = is_topic(r_.language, label) ? child(node, label) : node;
      }
      nodes[node].chunks.push_back(i);
    }
    if (one_root && is_topic(r_.language, r_.chunks.front().headings.front())) {
      nodes[0].label = r_.chunks.front().headings.front();
    }
  }

  bool has_headings() const { return nodes[0].children.size() > 1; }

  std::vector<Node> nodes;

 private:
  bool has_one_root() const {
    return !r_.chunks.empty() && !r_.chunks.front().headings.empty() &&
           std::all_of(r_.chunks.begin(), r_.chunks.end(), [this](const Chunk& chunk) {
             return !chunk.headings.empty() && chunk.headings.front() == r_.chunks.front().headings.front();
           });
  }

  std::vector<bool> told_chunks(const Terms& terms) const {
    std::vector<bool> out(r_.chunks.size());
    for (const Sentence& sentence : r_.sentences) {
      const bool prose = sentence.kind != SentenceKind::heading && !sentence.aside && sentence.complete;
      out[sentence.chunk] = out[sentence.chunk] || (prose && r_.words_in(sentence) >= 6);
    }
    for (const Definition& d : terms.definitions) {
      out[r_.sentences[d.sentence].chunk] = true;
    }
    return out;
  }

  std::size_t child(std::size_t parent, std::string_view label) {
    // Passages come in order, so the heading is the last one or new; an equal one before is taken up again.
    std::size_t looked_at = 0;
    for (auto it = nodes[parent].children.rbegin(); it != nodes[parent].children.rend() && looked_at++ < 20; ++it) {
      if (nodes[*it].label == label) {
        return *it;
      }
    }
    nodes.emplace_back();
    nodes.back().label = std::string(label);
    nodes[parent].children.push_back(nodes.size() - 1);
    return nodes.size() - 1;
  }

  const SourceText& r_;
};

struct Branch {
  std::string label;
  std::vector<Branch> children;
};

class Tree {
 public:
  Tree(const SourceText& reading, const Terms& terms, const Plan& plan)
      : r_(reading), terms_(terms), plan_(plan), outline_(reading, terms) {}

  // Without a label: the source has neither two topics nor three terms that it explains.
  Branch root() {
    Branch out{plan_.main.empty() ? main_topic(r_, terms_) : plan_.main, {}};
    take(out.label);
    for (const Node& node : outline_.nodes) {
      reserved_.add_text(node.label);
      reserved_.add_text(without_article(node.label));  // below "The Calvin cycle" comes no "Calvin cycle"
    }
    if (outline_.has_headings()) {
      for (const std::size_t child : outline_.nodes[0].children) {
        add(child, 2, out.children);
      }
    } else {
      for (std::size_t i = 0; i < terms_.list.size() && out.children.size() < topics_without_headings; ++i) {
        // Below a title the people and places of a story; else only what is explained.
        const bool person = terms_.list[i].kind == TermKind::name && !outline_.nodes[0].label.empty();
        if (person || terms_.list[i].definition >= 0) {
          add_leaf(terms_.list[i], out.children);
        }
      }
    }
    if (out.label.empty() || out.children.size() < (outline_.has_headings() ? 2U : 3U)) {
      return {};
    }
    return out;
  }

 private:
  std::string_view without_article(std::string_view label) const {
    const text::Words words(label, 2);
    return words.size() > 1 && is_article(r_.language, words.folded(0)) ? label.substr(words.span(1).from) : label;
  }

  void take(std::string_view label) {
    taken_.add_text(label);
    taken_.add_text(without_article(label));
  }

  bool add_leaf(const Term& term, std::vector<Branch>& out) {
    const std::string label = label_of(term);
    if (!is_leaf(term) || taken_.has_text(label) || reserved_.has_text(label)) {
      return false;
    }
    taken_.add_text(label);
    out.push_back({label, {}});
    return true;
  }

  void add(std::size_t index, std::size_t level, std::vector<Branch>& out) {
    const Node& here = outline_.nodes[index];
    if (taken_.has_text(here.label) || out.size() == topics_max) {
      return;
    }
    take(here.label);
    Branch branch{here.label, {}};
    if (level < plan_.depth) {
      for (const std::size_t child : here.children) {
        add(child, level + 1, branch.children);
      }
      std::size_t below = 0;
      for (std::size_t i = 0; i < terms_.list.size() && below < terms_below_max; ++i) {
        const bool at_home =
            std::find(here.chunks.begin(), here.chunks.end(), home(terms_.list[i])) != here.chunks.end();
        below += at_home && add_leaf(terms_.list[i], branch.children) ? 1 : 0;
      }
    }
    // A heading alone says nothing, but where the map shall have no more levels.
    if (level > 2 || plan_.depth == 2 || !branch.children.empty()) {
      out.push_back(std::move(branch));
    }
  }

  // A term goes below the part that defines it, else where it first occurs.
  std::uint32_t home(const Term& term) const {
    const Definition* const d = terms_.definition_of(term);
    return r_.sentences[d != nullptr ? d->sentence : r_.sentence_of[term.at.front().first_word]].chunk;
  }

  const SourceText& r_;
  const Terms& terms_;
  const Plan& plan_;
  Outline outline_;
  Taken taken_;
  Taken reserved_;
};

void write_branch(json::Writer& writer, const Branch& branch) {
  writer.begin_object().member("label", branch.label).key("children").begin_array();
  for (const Branch& child : branch.children) {
    write_branch(writer, child);
  }
  writer.end_array().end_object();
}

}  // namespace

std::string main_topic(const SourceText& reading, const Terms& terms) {
  const Outline outline(reading, terms);
  if (!outline.nodes[0].label.empty()) {
    return outline.nodes[0].label;
  }
  // The name that a manual page begins with, or a title.
  if (!terms.definitions.empty() && terms.definitions.front().code &&
      reading.sentences[terms.definitions.front().sentence].kind == SentenceKind::item) {
    return std::string(piece(reading.text, terms.definitions.front().term));
  }
  const std::vector<std::string>& title = reading.chunks.front().headings;
  if (!title.empty() && is_topic(reading.language, topic_of(title.front()))) {
    return std::string(topic_of(title.front()));
  }
  return {};
}

std::vector<Topic> main_topics(const SourceText& reading, const Terms& terms, std::size_t depth) {
  Plan plan;
  plan.depth = depth;
  std::vector<Topic> out;
  for (const Branch& branch : Tree(reading, terms, plan).root().children) {
    const auto heading = std::find_if(reading.sentences.begin(), reading.sentences.end(), [&](const Sentence& s) {
      return s.kind == SentenceKind::heading && topic_of(reading.plain(s)) == branch.label;
    });
    const std::int32_t term = terms.find(reading, branch.label);
    out.push_back(
        {branch.label,
         heading != reading.sentences.end() ? &*heading
         : term >= 0
             ? &reading.sentences[reading.sentence_of[terms.list[static_cast<std::size_t>(term)].at.front().first_word]]
             : nullptr});
  }
  return out;
}

std::string mindmap_json(const SourceText& reading, const Terms& terms, const Plan& plan) {
  const Branch root = Tree(reading, terms, plan).root();
  std::string out;
  json::Writer writer(out, 2);
  writer.begin_object().key("root");
  write_branch(writer, root);
  writer.member("made_by", made_by);
  if (root.label.empty()) {
    writer.member("fewer",
                  "no mindmap: the source has neither two topics with headings nor three terms that it explains");
  }
  writer.end_object();
  return out;
}

}  // namespace plumb::extract
