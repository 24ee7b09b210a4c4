// A judge that decides only what words can decide. A claim holds when the very statement is in the source: the
// sentence with its gap filled, the definition of the very term, or a sentence with all that question and answer say.
// It is broken when the source lacks what the statement is about, a number or a name. All else is undecided.
#include <algorithm>
#include <optional>

#include "core/extract/evidence.hpp"
#include "core/extract/extract.hpp"
#include "core/json/members.hpp"
#include "core/json/number_text.hpp"
#include "core/json/writer.hpp"
#include "core/text/fold.hpp"
#include "core/text/quotes.hpp"

namespace plumb::extract {
namespace {

using Holds = std::optional<bool>;

constexpr std::size_t judged_max = 1'000;

class Judge {
 public:
  explicit Judge(const Evidence& evidence) : e_(evidence), writer_(out_) {
    writer_.begin_object().key("claims").begin_array();
  }

  std::string take() {
    writer_.end_array().end_object();
    return std::move(out_);
  }

  void quiz(const json::Value& root) {
    const json::Value* const list = root.find("questions");
    const std::size_t count = list != nullptr ? list->array().size() : 0;
    for (std::size_t i = 0; i < count; ++i) {
      question(list->array()[i], "/questions/" + json::uint_text(i));
    }
    if (count == 0) {
      claim("no-invention", "", true, {}, "There is nothing in it");
    }
  }

  void flashcards(const json::Value& root) {
    const json::Value* const list = root.find("flashcards");
    const std::size_t count = list != nullptr ? list->array().size() : 0;
    for (std::size_t i = 0; i < count; ++i) {
      card(list->array()[i], "/flashcards/" + json::uint_text(i));
    }
  }

  void mindmap(const json::Value& root) {
    if (const json::Value* const node = root.find("root")) {
      tree(*node, "/root", 0);
    }
  }

 private:
  void claim(std::string_view rule, std::string_view at, Holds holds, Proof proof, std::string_view reason = {}) {
    writer_.begin_object().member("rule", rule).member("at", at).key("holds");
    if (holds) {
      writer_.boolean(*holds);
    } else {
      writer_.null();
    }
    if (proof.sentence != nullptr) {
      const SourceText& reading = e_.reading();
      writer_.member_uint("chunk", reading.chunks[proof.sentence->chunk].index);
      writer_.member("quote", reading.quote(*proof.sentence));
    }
    if (!reason.empty()) {
      writer_.member("reason", reason);
    }
    writer_.end_object();
  }

  // Whether what is said has words that the source has not.
  void invention(std::string_view at, std::string_view said, Proof proof) {
    const Unknown unknown = e_.unknown_in(said);
    if (unknown.words.empty()) {
      claim("no-invention", at, proof.certain ? Holds(true) : std::nullopt, proof,
            proof.certain ? "" : "Its words are in the source, but no sentence says just this");
    } else if (unknown.telling) {
      claim("no-invention", at, false, {}, "Contains hallucinated facts: not in the source: " + unknown.words);
    } else {
      claim("no-invention", at, std::nullopt, proof, "Not in the source in these words: " + unknown.words);
    }
  }

  void question(const json::Value& item, const std::string& at) {
    const std::string_view asked = text_of(item, "question");
    const std::string_view answer = text_of(item, "correct_answer");
    const Asked kind = e_.asked(asked);
    Proof proof = e_.proof(kind, answer);
    answerable(at, kind, answer, proof);
    std::string said(asked);
    said += "\n" + std::string(answer) + "\n" + std::string(text_of(item, "explanation"));
    invention(at, e_.without_wording(said), proof.sentence != nullptr ? proof : e_.nearest(asked, answer));
    correct(item, at, kind, answer, proof);
  }

  void answerable(const std::string& at, const Asked& kind, std::string_view answer, const Proof& proof) {
    if (proof.certain) {
      claim("answerable", at, true, proof);
    } else if (kind.type == AskedType::meaning && !e_.defines(kind.about)) {
      claim("answerable", at, false, e_.mention(kind.about), "Not answerable from source");
    } else if (text::is_blank(answer) || e_.unknown_in(answer).telling || e_.is_foreign(kind.about)) {
      claim("answerable", at, false, {}, "Not answerable from source");
    } else {
      claim("answerable", at, std::nullopt, proof, "No sentence of the source says this in these words");
    }
  }

  void correct(const json::Value& item, const std::string& at, const Asked& kind, std::string_view answer,
               const Proof& proof) {
    const json::Value* const options = item.find("options");
    std::size_t others = 0;
    Proof other_proof;
    for (const json::Value& option : options != nullptr ? options->array() : std::span<const json::Value>()) {
      if (option.is(json::Kind::string) && text::fold(option.str(), {true, true}) != text::fold(answer, {true, true})) {
        const Proof found = e_.proof(kind, option.str());
        if (found.certain) {
          ++others;
          other_proof = found;
        }
      }
    }
    if (proof.certain && others == 0) {
      claim("answer-correct", at, true, proof);
    } else if (proof.certain) {
      claim("answer-correct", at, false, other_proof, "Another option is just as correct by the source");
    } else if (others > 0) {
      claim("answer-correct", at, false, other_proof, "The source gives another option as the answer");
    } else if (kind.type == AskedType::meaning && !e_.defines(kind.about)) {
      claim("answer-correct", at, std::nullopt, e_.mention(kind.about), "The source does not say what this is");
    } else {
      claim("answer-correct", at, std::nullopt, proof, "No sentence of the source says this in these words");
    }
  }

  void card(const json::Value& item, const std::string& at) {
    const std::string_view front = text_of(item, "front");
    const std::string_view back = text_of(item, "back");
    const Proof proof = e_.definition_proof(front, back);
    std::string said(front);
    said += "\n" + std::string(back);
    Proof known = proof.sentence != nullptr ? proof : e_.nearest(front, back);
    known.certain = proof.sentence != nullptr;
    invention(at, said, known);
    if (proof.sentence != nullptr) {
      claim("definition-accurate", at, true, proof);  // the source says this of the term, word for word
    } else if (text::is_blank(back)) {
      claim("definition-accurate", at, false, e_.mention(front), "The source does not define it");
    } else if (e_.is_foreign(front)) {
      claim("definition-accurate", at, false, {}, "The term is not in the source");
    } else if (proof.other != nullptr) {
      claim("definition-accurate", at, false, {proof.other, false, nullptr}, "The source says this of something else");
    } else {
      claim("definition-accurate", at, std::nullopt, e_.mention(front), "The source does not say it in these words");
    }
  }

  // The passage that begins with this heading.
  const Chunk* heading(std::string_view label) const {
    for (const Chunk& chunk : e_.reading().chunks) {
      if (!chunk.headings.empty() && chunk.headings.back() == label &&
          text::find_quote(label, chunk.text).status == text::QuoteStatus::found) {
        return &chunk;
      }
    }
    return nullptr;
  }

  void tree(const json::Value& node, const std::string& at, std::size_t depth) {
    if (++nodes_ > judged_max || depth > 64) {
      return;
    }
    const std::string_view label = text_of(node, "label");
    const Proof proof = e_.mention(label);
    const Unknown unknown = e_.unknown_in(label);
    const Chunk* const headed = heading(label);
    if (proof.certain) {
      claim("no-invention", at, true, proof);
    } else if (headed != nullptr) {
      writer_.begin_object().member("rule", "no-invention").member("at", at).member_boolean("holds", true);
      writer_.member_uint("chunk", headed->index).member("quote", label).end_object();
    } else if (!unknown.words.empty() && (unknown.telling || e_.is_foreign(label))) {
      claim("no-invention", at, false, {}, "Contains hallucinated facts: not in the source: " + unknown.words);
    } else {
      claim("no-invention", at, std::nullopt, proof, "Does not appear in the source in these words");
    }
    const json::Value* const children = node.find("children");
    for (std::size_t i = 0; children != nullptr && i < children->array().size(); ++i) {
      tree(children->array()[i], at + "/children/" + json::uint_text(i), depth + 1);
    }
  }

  const Evidence& e_;
  std::string out_;
  json::Writer writer_;
  std::size_t nodes_ = 0;
};

}  // namespace

Result<std::string> judge(Kind kind, std::string_view artifact, std::span<const Chunk> chunks) {
  json::Arena arena;
  const Result<json::Value> root = json::parse(artifact, arena);
  if (!root) {
    Error error = root.error();
    error.message = "The artifact cannot be judged: " + error.message;
    return error;
  }
  const char* const list = kind == Kind::quiz ? "questions" : "flashcards";
  if (const json::Value* const items = root.value().find(list); items != nullptr && items->size > judged_max) {
    Error error;
    error.code = ErrorCode::limit;
    error.message = "The artifact has " + json::uint_text(items->size) + " items; at most " +
                    json::uint_text(judged_max) + " are judged.";
    return error;
  }
  const SourceText reading(chunks);
  const Terms terms = find_terms(reading);
  const Evidence evidence(reading, terms);
  Judge judge(evidence);
  switch (kind) {
    case Kind::quiz:
      judge.quiz(root.value());
      break;
    case Kind::flashcards:
      judge.flashcards(root.value());
      break;
    case Kind::mindmap:
      judge.mindmap(root.value());
      break;
  }
  return judge.take();
}

}  // namespace plumb::extract
