#include "tests/extract/marked_items.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/contract/check.hpp"
#include "core/extract/extract.hpp"
#include "core/json/value.hpp"

namespace plumb::extract_texts {
namespace {

using extract::Chunk;
using extract::Kind;

std::string member_text(const json::Value& item, std::string_view key) {
  const json::Value* const value = item.find(key);
  return value != nullptr ? std::string(value->str()) : std::string();
}

std::string on_one_line(std::string text) {
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

void labels_of(const json::Value& node, std::string& out) {
  const json::Value* const children = node.find("children");
  for (const json::Value& child : children != nullptr ? children->array() : std::span<const json::Value>()) {
    out += (out.back() == '[' ? "" : "; ") + member_text(child, "label");
    if (!child.find("children")->array().empty()) {
      out += " [";
      labels_of(child, out);
      out += "]";
    }
  }
}

void read_items(Kind kind, const json::Value& root, std::vector<std::string>& out) {
  if (kind == Kind::quiz) {
    for (const json::Value& question : root.find("questions")->array()) {
      const std::string answer = member_text(question, "correct_answer");
      std::string line = "quiz: " + member_text(question, "question") + " (";
      for (const json::Value& option : question.find("options")->array()) {
        line += (line.back() == '(' ? "" : " | ") + std::string(option.str() == answer ? "*" : "");
        line += option.str();
      }
      out.push_back(on_one_line(line + ")"));
    }
  } else if (kind == Kind::flashcards) {
    for (const json::Value& card : root.find("flashcards")->array()) {
      out.push_back(on_one_line("card: " + member_text(card, "front") + " = " + member_text(card, "back")));
    }
  } else {
    const json::Value& top = *root.find("root");
    for (const json::Value& branch : top.find("children")->array()) {
      std::string line = "map: " + member_text(top, "label") + " > " + member_text(branch, "label") + " [";
      labels_of(branch, line);
      out.push_back(on_one_line(line + "]"));
    }
  }
}

// Why the artifact would be shown to nobody; empty where it would.
std::string failure(Kind kind, std::string_view name, std::string_view artifact, const std::vector<Chunk>& chunks) {
  const auto contract = contract::Contract::read(contract::built_in_contract(name)->text);
  const contract::Verdict verdict = contract::check_text(contract.value(), artifact);
  if (!verdict.valid) {
    return verdict.findings.front().message;
  }
  const std::string claims = extract::judge(kind, artifact, chunks).value();
  return claims.find(R"("holds":false)") != std::string::npos ? "its own judge refuses it: " + claims : "";
}

void read_left_out(std::string_view name, const json::Value& root, std::vector<std::string>& out) {
  const json::Value* const left_out = root.find("left_out");
  for (const json::Value& one : left_out != nullptr ? left_out->array() : std::span<const json::Value>()) {
    out.push_back(std::string(name) + ": " + member_text(one, "name") + ": " + member_text(one, "reason"));
  }
}

Text text_items(const std::string& name, const std::string& source) {
  Text out;
  out.name = name;
  const auto chunks = extract::chunks(source);
  if (!chunks) {
    out.left_out.push_back(chunks.error().message);
    return out;
  }
  constexpr std::pair<Kind, std::string_view> kinds[] = {
      {Kind::quiz, "quiz"}, {Kind::flashcards, "flashcards"}, {Kind::mindmap, "mindmap"}};
  for (const auto& [kind, kind_name] : kinds) {
    const auto plan = extract::plan(kind, chunks.value());
    const auto made = plan ? extract::generate(kind, plan.value(), chunks.value()) : plan;
    if (!made) {
      out.left_out.push_back(std::string(kind_name) + ": " + made.error().message);
      continue;
    }
    const std::string failed = failure(kind, kind_name, made.value(), chunks.value());
    json::Arena arena;
    const json::Value root = json::parse(made.value(), arena).value();
    if (!failed.empty()) {
      out.left_out.push_back(std::string(kind_name) + " fails: " + failed);
    } else {
      read_items(kind, root, out.items);
    }
    read_left_out(kind_name, root, out.left_out);
  }
  return out;
}

}  // namespace

std::vector<Text> items_of(const std::string& folder, const std::string& half) {
  std::vector<std::string> names;
  for (const std::string part : {"dev", "held", "fresh-dev", "fresh-held"}) {
    if (!half.empty() && half != part) {
      continue;
    }
    for (const auto& entry : std::filesystem::directory_iterator(folder + "/" + part)) {
      names.push_back(part + "/" + entry.path().filename().string());
    }
  }
  std::sort(names.begin(), names.end());
  std::vector<Text> out;
  for (const std::string& name : names) {
    std::ostringstream source;
    source << std::ifstream(folder + "/" + name, std::ios::binary).rdbuf();
    out.push_back(text_items(name, source.str()));
  }
  return out;
}

Marks Marks::read(const std::string& file) {
  Marks out;
  std::ifstream in(file);
  std::string text;
  for (std::string line; std::getline(in, line);) {
    const std::size_t blank = line.find(' ');
    if (line.rfind("## ", 0) == 0) {
      text = line.substr(3);
    } else if (!text.empty() && blank != std::string::npos) {
      const std::pair<std::string, std::string> key(text, line.substr(blank + 1));
      out.order_.push_back(key);
      out.marks_[key] = line.substr(0, blank);
    }
  }
  return out;
}

const std::string& Marks::of(const std::string& text, const std::string& item) const {
  static const std::string none = "new";
  const auto found = marks_.find({text, item});
  return found == marks_.end() ? none : found->second;
}

void Marks::write(const std::string& file, const std::vector<Text>& texts) const {
  std::ofstream out(file, std::ios::binary);
  out << "What a teacher who read the text said of each item that extract shows of it: keep, or drop. `new` was not\n"
         "read yet and counts as not kept. Written by `PLUMB_REWRITE=1 ./dev bench extract`; the marks are set by "
         "hand.\n";
  std::string last;
  const auto line = [&](const std::string& text, const std::string& item) {
    if (text != last) {
      out << "\n## " << text << "\n";
      last = text;
    }
    out << of(text, item) << " " << item << "\n";
  };
  for (const Text& text : texts) {
    for (const std::string& item : text.items) {
      line(text.name, item);
    }
  }
  for (const auto& [text, item] : order_) {
    if (std::none_of(texts.begin(), texts.end(), [&t = text](const Text& one) { return one.name == t; })) {
      line(text, item);
    }
  }
}

Counts count(const std::vector<Text>& texts, const Marks& marks) {
  Counts out;
  for (const Text& text : texts) {
    std::size_t told = 0;
    for (const std::string& item : text.items) {
      const std::string& mark = marks.of(text.name, item);
      ++out.shown;
      out.kept += mark == "keep" ? 1 : 0;
      out.unmarked += mark == "new" ? 1 : 0;
      told += item.rfind("map:", 0) != 0 ? 1 : 0;
    }
    ++out.texts;
    out.with_three += told >= 3 ? 1 : 0;
  }
  return out;
}

}  // namespace plumb::extract_texts
