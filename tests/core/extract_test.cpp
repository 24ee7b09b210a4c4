#include "core/extract/extract.hpp"

#include <doctest/doctest.h>

#include <algorithm>

#include <string>
#include <string_view>
#include <vector>

#include "core/contract/check.hpp"
#include "core/contract/render.hpp"
#include "core/extract/blocks.hpp"
#include "core/extract/source_text.hpp"
#include "core/json/writer.hpp"
#include "core/text/fold.hpp"
#include "example_chapter.hpp"
#include "tests/core/extract_texts.hpp"

using namespace plumb;
using namespace plumb::extract;

namespace {

struct Sample {
  std::string_view name;
  std::string_view text;
};

const std::vector<Sample>& samples() {
  static const std::vector<Sample> all = {
      {"chapter", example_chapter},          {"history", extract_texts::history}, {"law", extract_texts::law},
      {"software", extract_texts::software}, {"german", extract_texts::german},   {"chinese", extract_texts::chinese},
  };
  return all;
}

constexpr std::pair<Kind, std::string_view> kinds[] = {
    {Kind::quiz, "quiz"}, {Kind::flashcards, "flashcards"}, {Kind::mindmap, "mindmap"}};

std::vector<Chunk> passages(std::string_view source) {
  auto found = chunks(source);
  REQUIRE(found);
  return found.value();
}

std::string planned(Kind kind, const std::vector<Chunk>& source, const Request& request = {}) {
  auto text = plan(kind, source, request);
  REQUIRE(text);
  return text.value();
}

std::string made(Kind kind, const std::vector<Chunk>& source, const Request& request = {}) {
  auto text = generate(kind, planned(kind, source, request), source);
  REQUIRE(text);
  return text.value();
}

contract::Verdict verdict_of(std::string_view name, std::string_view artifact) {
  const contract::BuiltIn* const built_in = contract::built_in_contract(name);
  REQUIRE(built_in != nullptr);
  auto contract = contract::Contract::read(built_in->text);
  REQUIRE(contract);
  return contract::check_text(contract.value(), artifact);
}

std::string lines(const contract::Verdict& verdict) {
  std::string out;
  for (const contract::Finding& finding : verdict.findings) {
    out += finding.message + "\n";
  }
  return out;
}

struct Json {
  json::Arena arena;
  json::Value root;

  explicit Json(std::string_view text) {
    auto read = json::parse(text, arena);
    REQUIRE(read);
    root = read.value();
  }
};

// All that the source says, without marks, in lower case.
std::string said(const std::vector<Chunk>& source) {
  const SourceText reading(source);
  std::string out = text::fold(reading.text, {true, true});
  for (const Chunk& chunk : source) {
    for (const std::string& heading : chunk.headings) {
      out += "\n" + text::fold(heading, {true, true});
    }
  }
  return out;
}

bool stands_in(const std::string& source, std::string_view text) {
  std::string folded = text::fold(text, {true, true});
  if (!folded.empty() && folded.back() == '.' && source.find(folded) == std::string::npos) {
    folded.pop_back();  // a definition gets its full stop
  }
  if (folded.size() > 3 && folded.substr(folded.size() - 3) == "\xE3\x80\x82") {
    folded.resize(folded.size() - 3);
  }
  return source.find(folded) != std::string::npos;
}

void check_labels(const json::Value& node, const std::string& source) {
  INFO(node.find("label")->str());
  CHECK(stands_in(source, node.find("label")->str()));
  for (const json::Value& child : node.find("children")->array()) {
    check_labels(child, source);
  }
}

std::size_t count_of(std::string_view artifact, std::string_view list) {
  return Json(artifact).root.find(list)->array().size();
}

}  // namespace

TEST_CASE("extract: passages stand verbatim in the source, begin at headings and are of bounded size") {
  for (const Sample& sample : samples()) {
    CAPTURE(sample.name);
    std::size_t end = 0;
    for (const Chunk& chunk : passages(sample.text)) {
      CHECK(chunk.text == sample.text.substr(chunk.where.from, chunk.where.to - chunk.where.from));
      CHECK(chunk.where.from >= end);
      CHECK(text::is_blank(sample.text.substr(end, chunk.where.from - end)));
      CHECK(chunk.text.size() <= 2 * chunk_bytes_usual);
      end = chunk.where.to;
    }
    CHECK(text::is_blank(sample.text.substr(end)));
  }
  const std::vector<Chunk> chapter = passages(example_chapter);
  CHECK(chapter.front().headings == std::vector<std::string>{"Photosynthesis"});
  CHECK(chapter.back().headings == std::vector<std::string>{"Photosynthesis", "How it was found out"});
}

TEST_CASE("extract: passages written as JSON are read again, and plain strings are passages too") {
  const std::vector<Chunk> chapter = passages(example_chapter);
  const Json json(chunks_json(chapter));
  auto again = read_chunks(json.root);
  REQUIRE(again);
  CHECK(chunks_json(again.value()) == chunks_json(chapter));
  CHECK(made(Kind::quiz, again.value()) == made(Kind::quiz, chapter));
  const Json strings(R"(["One fine day.", {"text": "Another."}])");
  auto plain = read_chunks(strings.root);
  REQUIRE(plain);
  CHECK(plain.value()[1].index == 1);
  CHECK_FALSE(read_chunks(Json(R"([{"chunk": 1}])").root));
  CHECK_FALSE(read_chunks(Json(R"(["", " "])").root));
  CHECK_FALSE(read_chunks(Json(R"({})").root));
}

TEST_CASE("extract: what is no text, has no words or is too long is refused with a reason") {
  const auto reason = [](std::string_view source) {
    auto found = chunks(source);
    REQUIRE_FALSE(found);
    return found.error().message;
  };
  CHECK(reason("") == "The source is empty; give the text that the artifact is to be made from.");
  CHECK(reason(" \n\t ") == "The source has no words; give a text.");
  CHECK(reason("--- *** ...") == "The source has no words; give a text.");
  CHECK(reason("caf\xE9") == "The source is not UTF-8 text: byte 3 is invalid; convert it to UTF-8 first.");
  CHECK(reason(std::string_view("a\0b", 3)) ==
        "The source is not text: byte 1 is a control character; a PDF or another binary file must be made text "
        "first.");
  const std::string large(std::size_t{100} << 20, 'a');
  CHECK(reason(large) == "The source has 104857600 bytes; at most 4194304 are read. Give it in parts.");
  std::string many;
  for (int i = 0; i < 21'000; ++i) {
    many += "# h\n\nx\n\n";
  }
  CHECK(reason(many).find("more than 20000 passages") != std::string::npos);
  CHECK(chunks("\xEF\xBB\xBF# A\n\nText.").value().front().where.from == 3);
}

TEST_CASE("extract: a paragraph without an end is cut between sentences, words or characters") {
  std::string sentences;
  for (int i = 0; i < 200; ++i) {
    sentences += "This is a sentence about the number of things. ";
  }
  for (const Chunk& chunk : passages(sentences)) {
    CHECK(chunk.text.back() == '.');
    CHECK(chunk.text.size() <= chunk_bytes_usual);
  }
  const std::string letters(20'000, 'x');
  CHECK(passages(letters).size() > 10);
  std::string wide;
  for (int i = 0; i < 5'000; ++i) {
    wide += "\xE5\x85\x89";
  }
  for (const Chunk& chunk : passages(wide)) {
    CHECK(chunk.text.size() % 3 == 0);
  }
}

TEST_CASE("extract: inline marks go and their words stay") {
  CHECK(plain_text("**Bold** and *it* and `co_de` and _this_ and snake_case").text ==
        "Bold and it and co_de and this and snake_case");
  CHECK(plain_text("[words](http://a.b/c) ![image](x.png)and[^1] more [12].").text == "words and more .");
  CHECK(plain_text("2 * 3 * 4, a<br>b, 1 < 2").text == "2 * 3 * 4, a b, 1 < 2");
  CHECK(plain_text("> quoted\n> twice\\*").text == "quoted twice*");
  CHECK(plain_text("**never closed").text == "**never closed");
}

TEST_CASE("extract: artifacts of every kind from every sample keep their contracts") {
  for (const Sample& sample : samples()) {
    const std::vector<Chunk> source = passages(sample.text);
    for (const auto& one : kinds) {
      const auto kind = one.first;
      const auto name = one.second;
      CAPTURE(sample.name);
      CAPTURE(name);
      const contract::Verdict verdict = verdict_of(name, made(kind, source));
      CHECK(lines(verdict) == "");
      CHECK(verdict.valid);
    }
  }
}

TEST_CASE("extract: there are as many questions and cards as asked for where the source has them") {
  const std::vector<Chunk> chapter = passages(example_chapter);
  CHECK(count_of(made(Kind::quiz, chapter), "questions") == 5);
  CHECK(count_of(made(Kind::quiz, chapter, {2}), "questions") == 2);
  CHECK(count_of(made(Kind::quiz, chapter, {25}), "questions") == 25);
  CHECK(count_of(made(Kind::flashcards, chapter), "flashcards") == 10);
  CHECK(count_of(made(Kind::flashcards, chapter, {30}), "flashcards") == 30);
  CHECK(Json(planned(Kind::quiz, chapter)).root.find("concepts")->array().size() == 10);
  CHECK_FALSE(plan(Kind::quiz, chapter, {201}));
  CHECK_FALSE(plan(Kind::mindmap, chapter, {0, 1}));
}

TEST_CASE("extract: the evidence of a plan stands verbatim in its passage") {
  for (const Sample& sample : samples()) {
    const std::vector<Chunk> source = passages(sample.text);
    for (const auto& [kind, name] : kinds) {
      CAPTURE(sample.name);
      const Json json(planned(kind, source));
      const json::Value* list = json.root.find(kind == Kind::quiz         ? "concepts"
                                               : kind == Kind::flashcards ? "terms"
                                                                          : "topics");
      REQUIRE(list != nullptr);
      CHECK(list->array().size() >= 1);
      for (const json::Value& item : list->array()) {
        INFO(item.find("name")->str());
        REQUIRE(item.find("chunk") != nullptr);
        const std::size_t chunk = std::stoul(std::string(item.find("chunk")->str()));
        CHECK(source[chunk].text.find(item.find("quote")->str()) != std::string::npos);
      }
    }
  }
}

TEST_CASE("extract: nothing is in an artifact that is not in the source") {
  for (const Sample& sample : samples()) {
    CAPTURE(sample.name);
    const std::vector<Chunk> source = passages(sample.text);
    const std::string all = said(source);
    const Json quiz(made(Kind::quiz, source, {20}));
    for (const json::Value& question : quiz.root.find("questions")->array()) {
      for (const json::Value& option : question.find("options")->array()) {
        INFO(option.str());
        CHECK(stands_in(all, option.str()));
      }
    }
    const Json cards(made(Kind::flashcards, source, {20}));
    for (const json::Value& card : cards.root.find("flashcards")->array()) {
      INFO(card.find("back")->str());
      CHECK(stands_in(all, card.find("front")->str()));
      CHECK(stands_in(all, card.find("back")->str()));
    }
    check_labels(*Json(made(Kind::mindmap, source)).root.find("root"), all);
  }
}

TEST_CASE("extract: no two questions of a quiz are about the same sentence, and answers stand in all places") {
  const Json quiz(made(Kind::quiz, passages(example_chapter), {30}));
  std::vector<std::string> explanations;
  std::size_t places[4] = {};
  for (const json::Value& question : quiz.root.find("questions")->array()) {
    const std::string explanation(question.find("explanation")->str());
    CHECK(std::find(explanations.begin(), explanations.end(), explanation) == explanations.end());
    explanations.push_back(explanation);
    const auto options = question.find("options")->array();
    REQUIRE(options.size() == 4);
    for (std::size_t i = 0; i < 4; ++i) {
      places[i] += options[i].str() == question.find("correct_answer")->str() ? 1 : 0;
    }
  }
  for (const std::size_t place : places) {
    CHECK(place >= 3);
  }
}

TEST_CASE("extract: the same source gives the same bytes") {
  for (const Sample& sample : samples()) {
    const std::vector<Chunk> source = passages(sample.text);
    for (const auto& [kind, name] : kinds) {
      CHECK(planned(kind, source) == planned(kind, source));
      CHECK(made(kind, source) == made(kind, source));
    }
  }
}

TEST_CASE("extract: a source that says too little gives a quiz that breaks its contract") {
  const std::vector<Chunk> source = passages("Photosynthesis occurs in plants.");
  const std::string quiz = made(Kind::quiz, source);
  const contract::Verdict verdict = verdict_of("quiz", quiz);
  CHECK_FALSE(verdict.valid);
  CHECK(lines(verdict) ==
        "Question 1: Must have at least 4 options (has 1)\nQuestion 2: Must have at least 4 options (has 1)\n");
  CHECK_FALSE(verdict_of("flashcards", made(Kind::flashcards, source)).valid);
}

TEST_CASE("extract: hostile sources end in time and keep their contract or break it openly") {
  const std::string sources[] = {
      std::string(100'000, '*'),
      std::string(50'000, '[') + "a",
      std::string(50'000, '|') + "a b c",
      "a " + std::string(100'000, '`'),
      std::string(100'000, '#') + " a",
      "word.\n" + std::string(100'000, '>') + " b",
      "a\n" + std::string(90'000, '_') + "b is a c that d.",
  };
  for (const std::string& text : sources) {
    auto source = chunks(text);
    if (!source) {
      continue;
    }
    for (const auto& [kind, name] : kinds) {
      if (const auto told = plan(kind, source.value(), {}); !told) {
        CHECK(told.error().code == ErrorCode::not_found);  // it says what the source lacks
        continue;
      }
      const std::string artifact = made(kind, source.value());
      CHECK(verdict_of(name, artifact).bytes == artifact.size());
    }
  }
}

TEST_CASE("extract: a source of a whole book is cut, and what is made of it is valid") {
  std::string book;
  for (int i = 0; book.size() < 100'000; ++i) {
    book += "# Part " + std::to_string(i) + "\n\n" + example_chapter;
  }
  CHECK(verdict_of("quiz", made(Kind::quiz, passages(book))).valid);
}

namespace {

std::string judged(Kind kind, std::string_view artifact, const std::vector<Chunk>& source) {
  auto text = judge(kind, artifact, source);
  REQUIRE(text);
  return text.value();
}

// "answerable /questions/0 true", one a line.
std::string outcomes(std::string_view claims) {
  const Json json(claims);
  std::string out;
  for (const json::Value& claim : json.root.find("claims")->array()) {
    const json::Value& holds = *claim.find("holds");
    out += std::string(claim.find("rule")->str()) + " " + std::string(claim.find("at")->str()) +
           (holds.is(json::Kind::null) ? " null\n"
            : holds.boolean            ? " true\n"
                                       : " false\n");
  }
  return out;
}

std::string mended(Kind kind, std::string_view artifact, std::string_view verdict, const std::vector<Chunk>& source) {
  auto text = repair(kind, artifact, verdict, planned(kind, source), source);
  REQUIRE(text);
  return text.value();
}

}  // namespace

TEST_CASE("extract: the judge holds every claim about what was extracted, with verbatim quotes") {
  for (const Sample& sample : samples()) {
    const std::vector<Chunk> source = passages(sample.text);
    for (const auto& one : kinds) {
      const auto kind = one.first;
      const auto name = one.second;
      CAPTURE(sample.name);
      CAPTURE(name);
      const std::string claims = judged(kind, made(kind, source, {12}), source);
      const Json json(claims);
      for (const json::Value& claim : json.root.find("claims")->array()) {
        INFO(json::value_text(claim));
        const json::Value& holds = *claim.find("holds");
        CHECK_FALSE((holds.is(json::Kind::boolean) && !holds.boolean));
        if (holds.is(json::Kind::boolean)) {
          REQUIRE(claim.find("quote") != nullptr);
        }
        if (claim.find("quote") != nullptr) {
          const std::size_t chunk = std::stoul(std::string(claim.find("chunk")->str()));
          CHECK(source[chunk].text.find(claim.find("quote")->str()) != std::string::npos);
        }
      }
    }
  }
}

TEST_CASE("extract: every claim of the chapter's quiz and cards is decided") {
  const std::vector<Chunk> chapter = passages(example_chapter);
  CHECK(outcomes(judged(Kind::quiz, made(Kind::quiz, chapter, {20}), chapter)).find("null") == std::string::npos);
  CHECK(outcomes(judged(Kind::flashcards, made(Kind::flashcards, chapter, {20}), chapter)).find("null") ==
        std::string::npos);
}

TEST_CASE("extract: the judge refuses what the source lacks, and leaves open what words cannot tell") {
  const std::vector<Chunk> source = passages(
      "Photosynthesis is the process by which plants convert light energy into chemical energy stored in glucose "
      "molecules. This occurs in chloroplasts, which contain chlorophyll pigment.");
  const std::string quiz =
      R"({"questions": [
        {"question": "What is photosynthesis?", "options": ["a", "b", "c"],
         "correct_answer":
        "the process by which plants convert light energy into chemical energy stored in glucose molecules",
         "explanation": "Photosynthesis converts light energy into chemical energy."},
        {"question": "Who discovered photosynthesis?", "options": [], "correct_answer": "Jan Ingenhousz",
        "explanation": "In 1779."},
        {"question": "What does photosynthesis do with light?", "options": [], "correct_answer":
        "Energy production", "explanation": "x"},
        {"question": "What is glucose?", "options": [], "correct_answer": "Molecules", "explanation": "x"}]})";
  CHECK(outcomes(judged(Kind::quiz, quiz, source)) ==
        "answerable /questions/0 true\nno-invention /questions/0 true\nanswer-correct /questions/0 true\n"
        "answerable /questions/1 false\nno-invention /questions/1 false\nanswer-correct /questions/1 null\n"
        "answerable /questions/2 null\nno-invention /questions/2 null\nanswer-correct /questions/2 null\n"
        "answerable /questions/3 false\nno-invention /questions/3 null\nanswer-correct /questions/3 null\n");
  const std::string cards =
      R"({"flashcards": [{"front": "ATP production", "back": "Occurs in mitochondria"},
                         {"front": "Photosynthesis", "back":
        "The process by which plants convert light energy into chemical energy stored in glucose molecules."}]})";
  CHECK(outcomes(judged(Kind::flashcards, cards, source)) ==
        "no-invention /flashcards/0 false\ndefinition-accurate /flashcards/0 false\n"
        "no-invention /flashcards/1 true\ndefinition-accurate /flashcards/1 true\n");
}

TEST_CASE("extract: a wrong answer is refused with the sentence that gives the right one") {
  const std::vector<Chunk> chapter = passages(example_chapter);
  const std::string quiz =
      R"({"questions": [{"question": "Which term completes this sentence? “Cacti and pineapples are ____.”",
          "options": ["C3 plants", "C4 plants", "CAM plants", "Autotrophs"], "correct_answer": "C3 plants",
        "explanation": "-"}]})";
  const Json json(judged(Kind::quiz, quiz, chapter));
  const json::Value& claim = json.root.find("claims")->array()[2];
  CHECK(claim.find("rule")->str() == "answer-correct");
  CHECK_FALSE(claim.find("holds")->boolean);
  CHECK(claim.find("quote")->str() == "Cacti and\npineapples are CAM plants.");
}

TEST_CASE("extract: the judge says of the thin quiz that it is not answerable, and repair leaves it as it is") {
  const std::vector<Chunk> source = passages("Photosynthesis occurs in plants.");
  const std::string quiz = made(Kind::quiz, source);
  const std::string claims = judged(Kind::quiz, quiz, source);
  CHECK(outcomes(claims).find("answerable /questions/0 false") != std::string::npos);
  CHECK(outcomes(claims).find("answerable /questions/1 false") != std::string::npos);
  CHECK(claims.find("\"reason\":\"Not answerable from source\"") != std::string::npos);
  const std::string verdict = contract::verdict_json(verdict_of("quiz", quiz));
  CHECK(mended(Kind::quiz, quiz, verdict, source) == quiz);
  CHECK(mended(Kind::quiz, quiz,
               R"({"findings": [{"rule": "answerable", "at": "/questions/0"}, {"rule": "answerable", "at":
        "/questions/1"}]})",
               source) == quiz);
}

TEST_CASE("extract: repair mends a quiz's structure from the source and leaves what is sound") {
  const std::vector<Chunk> chapter = passages(example_chapter);
  const std::string quiz =
      R"({"questions": [
        {"question": "Where does the Calvin cycle take place?", "options": ["Stroma", "stroma ", "Granum"],
         "correct_answer": "stroma", "explanation": ""},
        {"question": "What is ATP?", "options": ["A", "B", "C", "D"], "correct_answer": "A", "explanation": "Sound."},
        {"question": "", "options": [], "correct_answer": "", "explanation": ""},
        {"question": "Q?", "options": ["a", "b", "c", "d"], "correct_answer": "Unobtainium", "explanation": "x"},
        5]})";
  const contract::Verdict before = verdict_of("quiz", quiz);
  CHECK_FALSE(before.valid);
  const std::string after = mended(Kind::quiz, quiz, contract::verdict_json(before), chapter);
  CHECK(lines(verdict_of("quiz", after)) == "");
  const Json json(after);
  const auto questions = json.root.find("questions")->array();
  REQUIRE(questions.size() == 5);
  CHECK(questions[0].find("correct_answer")->str() == "Stroma");
  CHECK(questions[0].find("options")->array().size() == 4);
  CHECK(questions[1].find("explanation")->str() == "Sound.");
  CHECK(mended(Kind::quiz, after, contract::verdict_json(verdict_of("quiz", after)), chapter) == after);
}

TEST_CASE("extract: repair replaces what a judge refused, and writes anew what is no artifact") {
  const std::vector<Chunk> chapter = passages(example_chapter);
  const std::string quiz = made(Kind::quiz, chapter);
  const std::string after =
      mended(Kind::quiz, quiz, R"({"findings": [{"rule": "no-invention", "at": "/questions/1"}]})", chapter);
  CHECK(after != quiz);
  CHECK(verdict_of("quiz", after).valid);
  CHECK(count_of(after, "questions") == 5);
  CHECK(mended(Kind::quiz, "{\"quest", R"({"findings": []})", chapter) == quiz);
  CHECK(mended(Kind::quiz, R"({"questions": []})", R"({"findings": []})", chapter) == quiz);
  CHECK_FALSE(repair(Kind::quiz, quiz, "no json", planned(Kind::quiz, chapter), chapter));
  CHECK_FALSE(repair(Kind::quiz, quiz, "{}", "{}", chapter));
}

TEST_CASE("extract: repair cuts long definitions at a sentence and leaves out duplicates") {
  const std::vector<Chunk> chapter = passages(example_chapter);
  std::string long_back = "The green pigment that absorbs light.";
  while (long_back.size() < 320) {
    long_back += " It is found in leaves.";
  }
  const std::string cards = R"({"flashcards": [{"front": "Chlorophyll", "back": ")" + long_back +
                            R"("}, {"front": "chlorophyll ", "back": "x"}, {"front": "Stroma", "back": " "},
                               {"front": "Photon", "back": "A packet."}, {"front": "X", "back": "y"}]})";
  const std::string after =
      mended(Kind::flashcards, cards, contract::verdict_json(verdict_of("flashcards", cards)), chapter);
  CHECK(lines(verdict_of("flashcards", after)) == "");
  const Json json(after);
  const auto list = json.root.find("flashcards")->array();
  REQUIRE(list.size() == 5);
  CHECK(list[0].find("back")->str().size() <= 300);
  CHECK(list[0].find("back")->str().back() == '.');
  CHECK(list[2].find("back")->str() == "The dense fluid that surrounds the thylakoids.");
  CHECK(list[3].find("back")->str() == "A packet.");
}

TEST_CASE("extract: repair prunes a mindmap's repeated labels and gives every node its children") {
  const std::vector<Chunk> chapter = passages(example_chapter);
  const std::string map =
      R"({"root": {"label": "Photosynthesis", "children": [{"label": "Leaf", "children": [{"label":
        "photosynthesis", "children": []}]},
          {"label": "leaf", "children": []}, {"label": "Stroma"}]}})";
  const std::string after = mended(Kind::mindmap, map, R"({"findings": []})", chapter);
  CHECK(lines(verdict_of("mindmap", after)) == "");
  CHECK(Json(after).root.find("root")->find("children")->array().size() == 2);
}
