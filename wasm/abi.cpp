#include "wasm/abi.hpp"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "core/json/writer.hpp"
#include "core/require.hpp"

namespace plumb::wasm {

std::array<std::uint32_t, word_count> frame;

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
  static Texts one;
  return one;
}

void tell_trap(const char* what, const char* file, int line) {
  static std::array<char, 512> text;
  std::size_t used = 0;
  const auto put = [&used](std::string_view part) {
    for (const char c : part.substr(0, text.size() - used)) {
      text[used++] = c;
    }
  };
  put(what);
  put(" (");
  put(file);
  put(":");
  std::array<char, 12> digits{};
  std::size_t first = digits.size();
  auto rest = static_cast<unsigned>(line);
  do {
    digits[--first] = static_cast<char>('0' + rest % 10);
    rest /= 10;
  } while (rest != 0);
  put({digits.data() + first, digits.size() - first});
  put(")");
  frame[word_trap] = address(text.data());
  frame[word_trap_length] = static_cast<std::uint32_t>(used);
}

}  // namespace

char* input_room(std::uint32_t from, std::uint32_t size) {
  const Buffer& buffer = texts().input;
  PLUMB_REQUIRE(from <= buffer.size() && size <= buffer.size() - from, "the loader stays inside the buffer");
  return buffer.data() + from;
}

std::string_view input(std::uint32_t from, std::uint32_t size) { return {input_room(from, size), size}; }

json::Value options(std::string_view text, json::Arena& arena) {
  const auto parsed = json::parse(text, arena);
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

// What Emscripten's runtime would import for memory that grows and for abort(); there is nobody to tell.
extern "C" void emscripten_notify_memory_growth(std::size_t) {}
// In place of the runtime's, which grows memory by what is missing at the moment. Each growth costs the JavaScript
// around the module a new ArrayBuffer, and the collector counts all of it every time: thousands of them took minutes.
extern "C" unsigned char __heap_base;
extern "C" void* sbrk(std::intptr_t increment) {
  constexpr std::uintptr_t page = 65536;
  constexpr std::uintptr_t grow_part = 8;  // of what there is
  static std::uintptr_t end = reinterpret_cast<std::uintptr_t>(&__heap_base);
  const std::uintptr_t from = end;
  const std::uintptr_t to = from + static_cast<std::uintptr_t>((increment + 15) & ~std::intptr_t{15});
  void* const failed = reinterpret_cast<void*>(std::intptr_t{-1});
  if (increment > 0 && to < from) {
    return failed;
  }
  const std::uintptr_t now = __builtin_wasm_memory_size(0);
  const std::uintptr_t wanted = to / page + (to % page != 0 ? 1 : 0);
  if (wanted > now) {
    const std::uintptr_t missing = wanted - now;
    constexpr auto refused = static_cast<std::uintptr_t>(-1);
    if (__builtin_wasm_memory_grow(0, std::max(missing, now / grow_part)) == refused &&
        __builtin_wasm_memory_grow(0, missing) == refused) {
      return failed;
    }
  }
  end = to;
  return reinterpret_cast<void*>(from);
}
extern "C" _Noreturn void __wasi_proc_exit(std::uint32_t) { __builtin_trap(); }

// To be called once, before anything else. Returns the address of the frame.
PLUMB_EXPORT(plumb_frame)()->std::uint32_t {
  plumb::set_requirement_handler(plumb::wasm::tell_trap);
  return plumb::wasm::address(plumb::wasm::frame.data());
}

// A buffer of at least `size` bytes for what goes in; the first `kept` bytes of what was in it stay. Memory beyond 1 MB
// is given back with the next request for less.
PLUMB_EXPORT(plumb_buffer)(std::uint32_t size, std::uint32_t kept)->std::uint32_t {
  using plumb::wasm::buffer_kept_max;
  using plumb::wasm::buffer_step;
  auto& buffer = plumb::wasm::texts().input;
  PLUMB_REQUIRE(kept <= buffer.size() && kept <= size, "the loader keeps what is there");
  if (buffer.size() < size || (buffer.size() > buffer_kept_max && size <= buffer_kept_max)) {
    buffer.resize((std::size_t{size} + buffer_step - 1) / buffer_step * buffer_step, kept);
  }
  return plumb::wasm::address(buffer.data());
}
