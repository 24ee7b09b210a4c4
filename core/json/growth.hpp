// The value of a JSON text that is still being written, told by what each piece adds to it.
//
//   Growth growth(depth_max, bytes_max);
//   growth.read(bytes);                    // any number of times, split anywhere
//   growth.take(out);                      // what was added since the last call
//   growth.end();                          // the text is over
//
// take() gives a JSON array: 0, then steps in the order of the text, each a number and what belongs to it:
//
//   1            an object begins           2            an array begins
//   3, KEY       the next member's key      4, VALUE     a string, number, true, false or null, whole
//   5, TEXT      a string begins            6, TEXT      it goes on
//   0            what began last (object, array or string) is complete
//
// The steps say what the text says, a key that occurs twice included. A number, true, false or null is there when it is
// complete, a string grows by whole characters: never by half of an escape, of a surrogate pair or of a sequence of
// UTF-8. Half of a surrogate pair that stays alone is given as JSON writes it, \uD800. How the text is split changes
// what a step holds and not what the steps build.
//
// Bounds: depth_max levels, bytes_max bytes; the scanner's for a number. What is told in one take() is at most four
// times as long as what was read since the last, and a few bytes; work and memory are those of the bytes read.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace plumb::json {

class Growth {
 public:
  enum class State : std::uint8_t {
    growing,
    complete,  // the value is; only white space may follow
    broken,    // the text is no JSON, or ended too early: nothing is added any more
    limit      // a bound was reached: likewise
  };

  Growth(std::uint32_t depth_max, std::uint64_t bytes_max);
  Growth(const Growth&) = delete;
  Growth& operator=(const Growth&) = delete;
  ~Growth();

  void read(std::string_view bytes);
  // The text is over. `lost`: what judged it could make nothing of its end.
  void end(bool lost = false);
  // Puts the steps since the last call in the place of `out`.
  void take(std::string& out);
  State state() const;
  // How many bytes were given to read(), also those that were not looked at any more.
  std::uint64_t bytes() const { return bytes_; }

 private:
  struct Reader;
  std::unique_ptr<Reader> reader_;
  std::uint64_t bytes_max_;
  std::uint64_t bytes_ = 0;
};

}  // namespace plumb::json
