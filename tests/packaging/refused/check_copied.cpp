// refused: deleted|implicitly
// A check is in the middle of one artifact, and two cannot go on with it.
#include <utility>

#include "core/contract/check.hpp"

void go_on(plumb::contract::Check& check) {
#ifdef RIGHT
  plumb::contract::Check other = std::move(check);
#else
  plumb::contract::Check other = check;
#endif
  other.reset();
}

int main() {}
