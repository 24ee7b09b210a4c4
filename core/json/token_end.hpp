// Where tokens end that may be cut: for readers that must know what the bytes so far can still become.
#pragma once

namespace plumb::json {

// The byte after the number at p; `end` where it may go on; null: it is wrong, or has an exponent or more than 1,000
// characters, which take a closer look.
const char* number_end(const char* p, const char* end);

// The byte after the literal at p, which begins with t, f or n; `end` where it is cut; null where it is another word.
const char* literal_end(const char* p, const char* end);

// The size of the escape at p, a surrogate pair as one; 0 where it is cut; -1 where it is wrong, or a lone half.
int escape_size(const char* p, const char* end);

}  // namespace plumb::json
