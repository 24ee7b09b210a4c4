#include "core/story/plain_book.hpp"

#include <utility>

namespace plumb::story {

namespace {

void asked_words(const Condition& condition, std::set<std::string>& into) {
  for (const Clause& one : condition) {
    into.insert(one.held.begin(), one.held.end());
    into.insert(one.lacking.begin(), one.lacking.end());
  }
}

}  // namespace

std::set<std::string> asked_words(const Book& book) {
  std::set<std::string> out;
  for (const BookPassage& passage : book.passages) {
    for (const Way& way : passage.ways) {
      for (const Route& route : way.routes) {
        asked_words(route.when, out);
        for (const Condition& one : route.unless) {
          asked_words(one, out);
        }
      }
    }
  }
  return out;
}

PlainBook plain_of(const Book& book, const std::set<std::string>& words) {
  PlainBook out;
  for (const std::string& word : words) {
    out.word_numbers.emplace(word, out.words.size());
    out.words.push_back(word);
  }
  for (const BookPassage& passage : book.passages) {
    out.numbers.emplace(passage.id, static_cast<std::uint32_t>(out.numbers.size()));
  }
  const auto number = [&](const std::string& id) {
    const auto at = out.numbers.find(id);
    return at == out.numbers.end() ? none : at->second;
  };
  out.start = number(book.start);
  out.begin = out.bits(book.begin);
  for (const BookPassage& passage : book.passages) {
    out.add.push_back(out.bits(passage.grants));
    out.take.push_back(out.bits(passage.clears));
    out.ways.emplace_back();
    out.forced.emplace_back();
    for (const Way& way : passage.ways) {
      out.forced.back().push_back(way.forced);
      out.ways.back().emplace_back();
      for (const Route& route : way.routes) {
        PlainRoute plain{number(route.to),       out.masks(route.when),  {},
                         out.bits(route.grants), out.bits(route.clears), route.unread};
        for (const Condition& one : route.unless) {
          plain.unless.push_back(out.masks(one));
        }
        out.ways.back().back().push_back(std::move(plain));
      }
    }
  }
  return out;
}

}  // namespace plumb::story
