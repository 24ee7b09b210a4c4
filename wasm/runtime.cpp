// What a module has in place of Emscripten's runtime, and how it tells what was broken before it traps.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "core/require.hpp"
#include "wasm/abi.hpp"

namespace plumb::wasm {

namespace {

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

void tell_requirements() { set_requirement_handler(tell_trap); }

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
