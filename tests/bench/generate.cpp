// Writes the files that benchmarks read: plumb_bench_data FOLDER.
//
// quiz_N, flashcards_N and mindmap_N.json, pretty-printed, some escapes and non-ASCII, all valid under their contracts;
// quiz_8kb.json, an artifact of about 8 KB; schema_1mb.json, a contract of about 1 MB. The same bytes on every machine:
// the generator is its own (splitmix64), seeded by the file's name.
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

namespace {

class Numbers {
 public:
  explicit Numbers(std::string_view seed) {
    for (const char c : seed) {
      state_ = (state_ ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
    }
  }
  std::uint64_t next() {
    state_ += 0x9e3779b97f4a7c15ULL;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
    z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
    return z ^ (z >> 31U);
  }
  std::uint64_t below(std::uint64_t bound) { return next() % bound; }

 private:
  std::uint64_t state_ = 0xcbf29ce484222325ULL;
};

constexpr std::string_view words[] = {
    "the",      "process",  "energy",    "light",    "of",     "cell",        "membrane", "in",       "a",
    "protein",  "converts", "molecule",  "glucose",  "and",    "oxygen",      "carbon",   "dioxide",  "water",
    "enzyme",   "which",    "produces",  "under",    "plant",  "stem",        "leaf",     "root",     "is",
    "absorbed", "by",       "pigment",   "reaction", "rate",   "temperature", "because",  "electron", "transport",
    "chain",    "gradient", "synthesis", "storage",  "starch", "structure",   "with",     "nucleus",  "from"};
constexpr std::string_view rare_words[] = {"résumé",  "Zürich", "naïve", "光合作用",   "葉緑体", "μm",     "Ångström",
                                           "energía", "😀",      "–",     "фотосинтез", "H₂O",    "C₆H₁₂O₆"};
constexpr std::string_view escaped_words[] = {"\\\"chlorophyll\\\"", "a\\\\b",  "line\\nbreak",   "\\u00e9tude",
                                              "tab\\tstop",          "\\u5149", "\\ud83c\\udf31", "km\\/h"};

// One word in 25 is not ASCII, one in 80 holds an escape.
void append_words(std::string& out, Numbers& numbers, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    if (i > 0) {
      out += ' ';
    }
    const std::uint64_t kind = numbers.below(400);
    if (kind < 5) {
      out += escaped_words[numbers.below(std::size(escaped_words))];
    } else if (kind < 21) {
      out += rare_words[numbers.below(std::size(rare_words))];
    } else {
      out += words[numbers.below(std::size(words))];
    }
  }
}

std::string text_of(Numbers& numbers, std::size_t words_min, std::size_t words_max) {
  std::string text;
  append_words(text, numbers, words_min + numbers.below(words_max - words_min + 1));
  return text;
}

std::string quiz(std::string_view seed, std::size_t questions, std::size_t bytes_min) {
  Numbers numbers(seed);
  std::string out = "{\n  \"questions\": [";
  for (std::size_t i = 0; i < questions || out.size() < bytes_min; ++i) {
    out += i == 0 ? "\n" : ",\n";
    out += "    {\n      \"question\": \"" + text_of(numbers, 6, 16) + "?\",\n      \"options\": [";
    const std::size_t count = 4 + numbers.below(2);
    const std::size_t correct = numbers.below(count);
    std::string correct_text;
    for (std::size_t option = 0; option < count; ++option) {
      // The letter keeps options apart whatever the words are.
      const std::string text = text_of(numbers, 2, 6) + " " + static_cast<char>('A' + static_cast<char>(option));
      out += option == 0 ? "\n" : ",\n";
      out += "        \"" + text + "\"";
      if (option == correct) {
        correct_text = text;
      }
    }
    out += "\n      ],\n      \"correct_answer\": \"" + correct_text + "\",\n      \"explanation\": \"" +
           text_of(numbers, 8, 24) + ".\"\n    }";
  }
  return out + "\n  ]\n}\n";
}

std::string flashcards(std::string_view seed, std::size_t cards) {
  Numbers numbers(seed);
  std::string out = "{\n  \"flashcards\": [";
  for (std::size_t i = 0; i < cards; ++i) {
    out += i == 0 ? "\n" : ",\n";
    out += "    {\n      \"front\": \"" + text_of(numbers, 1, 4) + " " + std::to_string(i) + "\",\n      \"back\": \"" +
           text_of(numbers, 6, 22) + ".\"\n    }";
  }
  return out + "\n  ]\n}\n";
}

// Level by level: node i has the children [first[i], first[i] + count[i]).
std::string mindmap(std::string_view seed, std::size_t nodes) {
  Numbers numbers(seed);
  std::vector<std::size_t> first(nodes, nodes);
  std::vector<std::size_t> count(nodes, 0);
  for (std::size_t i = 0, next = 1; i < nodes && next < nodes; ++i) {
    first[i] = next;
    count[i] = std::min<std::size_t>(3 + numbers.below(6), nodes - next);
    next += count[i];
  }
  std::string out = "{\n  \"root\": ";
  struct Open {
    std::size_t node;
    std::size_t given;
  };
  std::vector<Open> open;
  const auto begin = [&](std::size_t node) {
    const std::string indent(2 + open.size() * 4, ' ');
    out += "{\n" + indent + "  \"label\": \"" + text_of(numbers, 1, 4) + " " + std::to_string(node) + "\",\n" + indent +
           "  \"children\": [";
    open.push_back({node, 0});
  };
  begin(0);
  while (!open.empty()) {
    Open& top = open.back();
    const std::string indent(2 + (open.size() - 1) * 4, ' ');
    if (top.given < count[top.node]) {
      out += top.given == 0 ? "\n" : ",\n";
      out += indent + "    ";
      begin(first[top.node] + top.given++);
    } else {
      out += count[top.node] == 0 ? "]\n" : "\n" + indent + "  ]\n";
      out += indent + "}";
      open.pop_back();
    }
  }
  return out + "\n}\n";
}

// A contract as tools write them: many definitions that refer to each other, and an object that uses them all.
std::string large_schema(std::size_t bytes_min) {
  Numbers numbers("schema_1mb");
  std::string definitions;
  std::string properties;
  for (std::size_t i = 0; definitions.size() + properties.size() < bytes_min; ++i) {
    const std::string name = "record_" + std::to_string(i);
    if (i > 0) {
      definitions += ",\n";
      properties += ",\n";
    }
    definitions +=
        "    \"" + name + "\": {\n      \"title\": \"" + text_of(numbers, 2, 5) +
        "\",\n      \"type\": \"object\",\n      \"required\": [\"id\", \"name\", \"state\"],\n"
        "      \"additionalProperties\": false,\n      \"properties\": {\n"
        "        \"id\": { \"type\": \"string\", \"pattern\": \"^[a-z][a-z0-9_]{2,40}$\" },\n"
        "        \"name\": { \"type\": \"string\", \"minLength\": 1, \"maxLength\": " +
        std::to_string(20 + numbers.below(200)) +
        " },\n        \"state\": { \"enum\": [\"open\", \"closed\", \"state_" + std::to_string(i) +
        "\"] },\n        \"size\": { \"type\": \"number\", \"minimum\": 0, \"maximum\": " +
        std::to_string(1 + numbers.below(1000000)) +
        ".5 },\n        \"tags\": { \"type\": \"array\", \"maxItems\": 20, \"uniqueItems\": true, "
        "\"items\": { \"type\": \"string\" } }" +
        (i == 0 ? std::string()
                : ",\n        \"parent\": { \"$ref\": \"#/$defs/record_" + std::to_string(numbers.below(i)) + "\" }") +
        "\n      }\n    }";
    properties += "    \"field_" + std::to_string(i) + "\": { \"$ref\": \"#/$defs/" + name + "\" }";
  }
  return "{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n  \"type\": \"object\",\n"
         "  \"properties\": {\n" +
         properties + "\n  },\n  \"$defs\": {\n" + definitions + "\n  }\n}\n";
}

bool write(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) {
    std::cerr << path << ": cannot be written\n";
    return false;
  }
  return true;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: plumb_bench_data FOLDER\n";
    return 2;
  }
  const std::string folder = std::string(argv[1]) + "/";
  bool good = write(folder + "quiz_8kb.json", quiz("quiz_8kb", 0, 8000));
  good = write(folder + "schema_1mb.json", large_schema(1000000)) && good;
  for (const std::size_t size : {10U, 1000U, 20000U}) {
    const std::string number = std::to_string(size);
    good = write(folder + "quiz_" + number + ".json", quiz("quiz_" + number, size, 0)) && good;
    good = write(folder + "flashcards_" + number + ".json", flashcards("flashcards_" + number, size)) && good;
  }
  for (const std::size_t size : {50U, 5000U, 100000U}) {
    const std::string number = std::to_string(size);
    good = write(folder + "mindmap_" + number + ".json", mindmap("mindmap_" + number, size)) && good;
  }
  return good ? 0 : 1;
}
