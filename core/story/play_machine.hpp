// What play walks: a machine whose states are passages with what is held there, and whose moves are what a reader can
// do next. A book is one (BookMachine); the script of another tool's story is another (core/story/script_machine.hpp).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/story/book.hpp"
#include "core/story/plain_book.hpp"

namespace plumb::story {

struct PlayPlace {
  std::uint32_t passage = none;
  std::uint64_t held = 0;  // what the machine makes of it
};

struct PlayMove {
  std::uint32_t site = none;  // by which it is offered
  PlayPlace to;               // no passage: it is offered, and leads out of the story
  bool sure = true;           // without a condition that could not be read
};

// Where the text offers a move. `passage`, `way` and `route` are those of the book; none: it is in no passage of it.
struct PlaySite {
  std::uint32_t passage = none, way = 0, route = 0;
  std::string label;
};

class PlayMachine {
 public:
  PlayMachine() = default;
  PlayMachine(const PlayMachine&) = delete;
  PlayMachine& operator=(const PlayMachine&) = delete;
  virtual ~PlayMachine() = default;

  virtual void begin(std::vector<PlayMove>& into) = 0;
  virtual void moves(const PlayPlace& from, std::vector<PlayMove>& into) = 0;
  // Whether it has a way out that could not be read.
  virtual bool doubtful(const PlayPlace& at) const = 0;
  virtual Texts held_texts(std::uint64_t held) const = 0;  // for people
  const std::vector<PlaySite>& sites() const { return sites_; }

 protected:
  std::vector<PlaySite> sites_;
};

class BookMachine final : public PlayMachine {
 public:
  BookMachine(const Book& book, const PlainBook& plain);

  void begin(std::vector<PlayMove>& into) override;
  void moves(const PlayPlace& from, std::vector<PlayMove>& into) override;
  bool doubtful(const PlayPlace& at) const override { return book_.passages[at.passage].doubtful; }
  Texts held_texts(std::uint64_t held) const override;

 private:
  enum class Open : unsigned char { no, maybe, yes };
  Open offer(const PlayPlace& from, std::uint32_t way, bool sure, std::vector<PlayMove>& into) const;

  const Book& book_;
  const PlainBook& plain_;
  std::vector<std::vector<std::uint32_t>> first_site_;  // of a passage's way
};

}  // namespace plumb::story
