// What every module of ours, and libplumbline.so, has of the C ABI: text goes in through one buffer, results come out
// through one frame. wasm/plumbline.h declares it all; the definitions are compiled against that.
//
// plumb_buffer(size, kept) gives the buffer's address, which stays valid until the next plumb_buffer; plumb_frame()
// that of a frame of 32-bit words, written by every call that says so. The bytes that the frame points to stay valid
// until the next call. A size beyond the buffer is a bug of the loader and traps.
//
// A module imports nothing. A trap (a broken requirement, memory that cannot grow, a stack that overflows) leaves the
// instance unusable; words 8 and 9 then say what was broken, where that is known.
//
// wasm/package/src/instance.ts is the other side. What one module adds is in its own *exports.cpp.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/json/arena.hpp"
#include "core/json/value.hpp"
#include "core/result.hpp"
#include "wasm/plumbline.h"

#ifndef PLUMB_VERSION
#define PLUMB_VERSION "0.0.0"
#endif

#if defined(__wasm__)
#define PLUMB_EXPORT(name) extern "C" __attribute__((export_name(#name))) auto name
#define PLUMB_INSTANCE
#else
#define PLUMB_EXPORT(name) extern "C" auto name
#define PLUMB_INSTANCE thread_local  // an instance of the library for each thread
#endif

namespace plumb::wasm {

// The words of the frame, as wasm/plumbline.h tells them; wasm/package/src/instance.ts and module.ts read them by the
// same numbers.
enum Word : std::size_t {
  word_result = PLUMB_WORD_RESULT,
  word_length = PLUMB_WORD_LENGTH,
  word_valid = PLUMB_WORD_VALID,
  word_decision = PLUMB_WORD_DECISION,
  word_detail = PLUMB_WORD_DETAIL,
  word_findings = PLUMB_WORD_FINDINGS,
  word_signals = PLUMB_WORD_SIGNALS,
  word_certain = PLUMB_WORD_CERTAIN,
  word_trap = PLUMB_WORD_TRAP,
  word_trap_length = PLUMB_WORD_TRAP_LENGTH,
  word_certain_length = PLUMB_WORD_CERTAIN_LENGTH,
  word_text = PLUMB_WORD_TEXT,
  word_text_length = PLUMB_WORD_TEXT_LENGTH,
  word_count = PLUMB_WORD_COUNT,
};
extern constinit PLUMB_INSTANCE std::array<plumb_word, word_count> frame;

inline plumb_word address(const void* p) { return reinterpret_cast<plumb_word>(p); }

// Called at the beginning: a broken requirement is told before the module traps or the process ends.
void tell_requirements();

// `size` bytes of the buffer from `from` on.
char* input_room(std::uint32_t from, std::uint32_t size);
std::string_view input(std::uint32_t from, std::uint32_t size);

// The options that the loader wrote: an object, or nothing, which is {}; else the loader has a bug.
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
