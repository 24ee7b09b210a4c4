// What every module of ours has of the C ABI: text goes in through one buffer, results come out through one frame.
//
// plumb_buffer(size, kept) gives the buffer's address, which stays valid until the next plumb_buffer; plumb_frame()
// that of a frame of 32-bit words, written by every call that says so. The bytes that the frame points to stay valid
// until the next call. A size beyond the buffer is a bug of the loader and traps.
//
// Nothing is imported. A trap (a broken requirement, memory that cannot grow, a stack that overflows) leaves the
// instance unusable; words 8 and 9 then say what was broken, where that is known.
//
// wasm/package/src/instance.ts is the other side. What one module adds stands in its own *exports.cpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/json/arena.hpp"
#include "core/json/value.hpp"
#include "core/result.hpp"

#ifndef PLUMB_VERSION
#define PLUMB_VERSION "0.0.0"
#endif

#define PLUMB_EXPORT(name) extern "C" __attribute__((export_name(#name))) auto name

namespace plumb::wasm {

// The words of the frame; wasm/package/src/instance.ts and module.ts read them by the same numbers.
enum Word : std::size_t {
  word_result = 0,  // address and length of the result
  word_length = 1,
  word_valid = 2,     // of the verdict: 1 or 0
  word_decision = 3,  // Decision as a number
  word_detail = 4,    // Detail bits; with detail_json the result is the verdict's JSON
  word_findings = 5,  // findings that became certain in this call
  word_signals = 6,   // signals raised so far
  word_certain = 7,   // plumb_check_end: address and length of the findings that became certain at the end
  word_trap = 8,      // after a trap: address and length of what was broken
  word_trap_length = 9,
  word_certain_length = 10,
  word_text = 11,  // plumb_check_end: address and length of the edited text; length 0: no edit was made
  word_text_length = 12,
  word_count = 13,
};
extern std::array<std::uint32_t, word_count> frame;

inline std::uint32_t address(const void* p) { return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(p)); }

// `size` bytes of the buffer from `from` on.
char* input_room(std::uint32_t from, std::uint32_t size);
std::string_view input(std::uint32_t from, std::uint32_t size);

// The options that the loader wrote: always an object, else the loader has a bug.
json::Value options(std::string_view text, json::Arena& arena);

// The text that is the next result, empty; give() puts what it then holds, or another text that lives on, into the
// frame.
std::string& new_result();
void give(const std::string& text);

// The error as the result, {code, message, where, line, column}. Returns 0.
std::uint32_t fail(const Error& error);

// One call of a module that is a function of its request: reads the request, a JSON object of `size` bytes in the
// buffer, and gives the text that `call` makes of it. Returns 1; 0 with the error.
std::uint32_t answer(std::uint32_t size, Result<std::string> (*call)(const json::Value& request));

}  // namespace plumb::wasm
