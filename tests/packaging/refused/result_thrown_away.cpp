// refused: nodiscard
// An error that nobody looks at.
#include "core/contract/contract.hpp"

int main() {
#ifdef RIGHT
  return plumb::contract::Contract::read("{}") ? 0 : 1;
#else
  plumb::contract::Contract::read("{}");
#endif
}
