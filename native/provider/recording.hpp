// Recordings: what models answered, kept in a file and given again by the hash of the request.
//
// A recording is a text of lines, each a JSON object: `recording` (the format, 1), `hash` of the request, `phase`,
// `request`, and of the reply `status`, `error` and `value`. A request that was made twice has two lines, which are
// given in their order; after the last one, that again. Keys are never in a recording.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/result.hpp"
#include "core/run/effect.hpp"

namespace plumb::provider {

inline constexpr std::uint64_t recording_format = 1;
inline constexpr std::uint64_t recording_bytes_max = std::uint64_t{512} << 20;

class Recording {
 public:
  // Errors carry the file and the line.
  static Result<std::unique_ptr<Recording>> read(const std::string& path);

  // The reply to that request (as JSON text), or an error that names what was nearest. For any number of threads.
  Result<run::Reply> answer(const run::Data& request, std::string_view phase);
  std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    std::size_t line = 0;
    std::string phase;
    std::string request;
    run::Reply reply;
  };
  struct Found {
    std::vector<std::size_t> entries;
    std::size_t next = 0;
  };
  explicit Recording(std::string path) : path_(std::move(path)) {}
  Result<bool> read_line(std::string_view text, std::size_t line);

  std::string path_;
  std::vector<Entry> entries_;
  std::unordered_map<std::string, Found> by_hash_;
  std::mutex mutex_;
};

class Recorder {
 public:
  // Makes the file, or goes on with one that is there. `secrets` are taken out wherever they are.
  static Result<std::unique_ptr<Recorder>> open(const std::string& path, std::vector<std::string> secrets);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  // One line, written at once. For any number of threads.
  Result<bool> add(const run::Data& request, std::string_view phase, const run::Reply& reply);

 private:
  Recorder(std::string path, int descriptor, std::vector<std::string> secrets)
      : path_(std::move(path)), descriptor_(descriptor), secrets_(std::move(secrets)) {}

  std::string path_;
  int descriptor_;
  std::vector<std::string> secrets_;
  std::mutex mutex_;
};

}  // namespace plumb::provider
