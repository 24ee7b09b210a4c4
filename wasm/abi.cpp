#include "wasm/abi.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "core/json/writer.hpp"
#include "core/require.hpp"

namespace plumb::wasm {

constinit PLUMB_INSTANCE std::array<plumb_word, word_count> frame{};

namespace {

// What the buffers keep between calls.
constexpr std::size_t buffer_kept_max = std::size_t{1} << 20;
// The buffer grows in such steps: texts that are each a little longer than the last do not move it each time.
constexpr std::size_t buffer_step = std::size_t{1} << 16;

// Bytes of no value, which may grow at their end.
class Buffer {
 public:
  Buffer() = default;
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { std::free(data_); }

  char* data() const { return data_; }
  std::size_t size() const { return size_; }

  // Makes it `size` bytes large, of which the first `kept` stay.
  void resize(std::size_t size, std::size_t kept) {
    if (kept == 0) {
      std::free(data_);  // so that nothing is copied
      data_ = nullptr;
    }
    void* moved = std::realloc(data_, size);
    PLUMB_REQUIRE(moved != nullptr, "there is memory for the text");
    data_ = static_cast<char*>(moved);
    size_ = size;
  }

 private:
  char* data_ = nullptr;
  std::size_t size_ = 0;
};

struct Texts {
  Buffer input;
  std::string result;
};

Texts& texts() {
  static PLUMB_INSTANCE Texts one;
  return one;
}

}  // namespace

char* input_room(std::uint32_t from, std::uint32_t size) {
  const Buffer& buffer = texts().input;
  PLUMB_REQUIRE(from <= buffer.size() && size <= buffer.size() - from, "the loader stays inside the buffer");
  return buffer.data() + from;
}

std::string_view input(std::uint32_t from, std::uint32_t size) { return {input_room(from, size), size}; }

json::Value options(std::string_view text, json::Arena& arena) {
  const auto parsed = json::parse(text.empty() ? "{}" : text, arena);
  PLUMB_REQUIRE(parsed && parsed.value().is(json::Kind::object), "the loader's options are a JSON object");
  return parsed.value();
}

std::string& new_result() {
  std::string& result = texts().result;
  if (result.capacity() > buffer_kept_max) {
    std::string().swap(result);
  }
  result.clear();
  return result;
}

void give(const std::string& text) {
  frame[word_result] = address(text.data());
  frame[word_length] = static_cast<std::uint32_t>(text.size());
}

std::uint32_t fail(const Error& error) {
  std::string& out = new_result();
  json::Writer json(out);
  json.begin_object();
  json.member("code", error_code_name(error.code)).member("message", error.message).member("where", error.where);
  json.member_uint("line", error.line).member_uint("column", error.column);
  json.end_object();
  give(out);
  return 0;
}

std::uint32_t answer(std::uint32_t size, Result<std::string> (*call)(const json::Value& request)) {
  json::Arena arena;
  const auto request = json::parse(input(0, size), arena);
  if (!request) {
    return fail(request.error());
  }
  auto text = call(request.value());
  if (!text) {
    return fail(text.error());
  }
  std::string& out = new_result();
  out = std::move(text).value();
  give(out);
  return 1;
}

}  // namespace plumb::wasm

// To be called once, before anything else. Returns the address of the frame.
PLUMB_EXPORT(plumb_frame)()->const plumb_word* {
  plumb::wasm::tell_requirements();
  return plumb::wasm::frame.data();
}

// A buffer of at least `size` bytes for what goes in; the first `kept` bytes of what was in it stay. Memory beyond 1 MB
// is given back with the next request for less.
PLUMB_EXPORT(plumb_buffer)(std::uint32_t size, std::uint32_t kept)->char* {
  using plumb::wasm::buffer_kept_max;
  using plumb::wasm::buffer_step;
  auto& buffer = plumb::wasm::texts().input;
  PLUMB_REQUIRE(kept <= buffer.size() && kept <= size, "the loader keeps what is there");
  if (buffer.data() == nullptr || buffer.size() < size ||
      (buffer.size() > buffer_kept_max && size <= buffer_kept_max)) {
    buffer.resize((std::max(std::size_t{size}, std::size_t{1}) + buffer_step - 1) / buffer_step * buffer_step, kept);
  }
  return buffer.data();
}
