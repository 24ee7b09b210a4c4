// A story as a reader goes through it: passages, ways between them, and what is held. Made of a graph, or read from a
// file; what exports write, readers read and play walks.
//
// On arrival at a passage its codewords are granted. A way is one choice for the reader: the first of its routes whose
// codewords are held; none: it is not offered. Stories of other tools may ask for codewords not to be held, take them
// back, or hold conditions that nobody here can read (`unread`).
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/result.hpp"
#include "core/story/graph.hpp"

namespace plumb::story {

// All of `held` and none of `lacking`.
struct Clause {
  Texts held, lacking;
  bool operator==(const Clause&) const = default;
};
using Condition = std::vector<Clause>;  // any of them

struct Route {
  std::string label;
  std::string to;                 // passage id
  Condition when;                 // empty: always
  std::vector<Condition> unless;  // none of them
  Texts grants, clears;           // by taking it
  bool unread = false;            // may or may not be open
  std::uint64_t at = 0;           // byte in the file it was read from
  bool operator==(const Route& other) const {
    return label == other.label && to == other.to && when == other.when && unless == other.unless &&
           grants == other.grants && clears == other.clears && unread == other.unread;
  }
};

struct Way {
  std::vector<Route> routes;
  std::uint64_t at = 0;  // byte in the file it was read from
  bool forced = false;   // taken as soon as it is open: no other way is offered then
  bool operator==(const Way& other) const { return routes == other.routes && forced == other.forced; }
};

// A place of another tool's story that was not read, and may change where a reader can go.
struct Unread {
  std::uint64_t at = 0;  // byte in the file
  std::string passage;
  std::string reason;
};

struct BookPassage {
  std::string id, text;
  bool ending = false;
  bool draft = false;     // the text is the author's summary
  bool residue = false;   // comes before a passage, for one path
  bool fallback = false;  // comes after its variants, and need not be reached
  bool doubtful = false;  // has a way out that could not be read
  Texts grants, clears;   // on arrival
  Texts entities;
  std::vector<Way> ways;
  std::uint64_t at = 0, to = 0;  // bytes in the file
};

struct BookCodeword {
  std::string name, word;  // `word` is what readers of a gamebook write down
  std::string group;       // its dilemma: of one group only one is ever held
};

struct BookOverlay {
  Texts when;
  std::vector<std::pair<std::string, std::string>> details;
};

struct BookEntity {
  std::string id, category, name;
  std::vector<BookOverlay> overlays;
};

struct Book {
  std::string title, author, language = "en", ifid, graph_hash, start;
  std::vector<BookPassage> passages;  // sorted by id when made of a graph, else as in the file
  std::vector<BookCodeword> codewords;
  std::vector<BookEntity> entities;
  Texts begin;                 // held before the first passage
  std::vector<Unread> unread;  // of other tools' stories, in the order of the file

  const BookPassage* find(std::string_view id) const;
};

Book book_of(const Graph& graph);

// story.json: the whole book in one order, with format, graph hash and IFID.
std::string book_json(const Book& book);
// Reads story.json; the error says what is missing, with line and column.
Result<Book> read_book(std::string_view text);
// SHA-256 of what readers see and do; saves are kept under it.
std::string book_hash(const Book& book);

}  // namespace plumb::story
