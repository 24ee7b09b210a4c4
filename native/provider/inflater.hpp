// Inflater: a body that comes compressed (gzip or deflate), as the bytes that it stands for, piece by piece.
//
//   std::unique_ptr<Inflater> inflater = Inflater::for_coding("gzip");  // nullptr: a coding that is not read
//   inflater->push(bytes);
//   while (inflater->next(piece)) ...                                   // at most piece_bytes_max each
//   inflater->failed(), inflater->whole()                               // broken; all of it has come
//
// What has been pushed and is not asked for stays compressed, so whoever stops asking holds no more than what came.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>

namespace plumb::provider {

class Inflater {
 public:
  static constexpr std::size_t piece_bytes_max = std::size_t{64} << 10;

  // "gzip", "x-gzip", "deflate", in any case.
  static std::unique_ptr<Inflater> for_coding(std::string_view coding);
  virtual ~Inflater() = default;

  virtual void push(std::string_view bytes) = 0;
  // False: nothing more can be had of what was pushed. The view lives until the next call.
  virtual bool next(std::string_view& piece) = 0;
  virtual bool failed() const = 0;
  virtual bool whole() const = 0;
};

}  // namespace plumb::provider
