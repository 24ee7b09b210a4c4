// refused: no matching function|private
// A contract that was never read.
#include "core/contract/contract.hpp"

int main() {
#ifdef RIGHT
  const auto read = plumb::contract::Contract::read("{}");
  return read.value().hash().empty() ? 1 : 0;
#else
  const plumb::contract::Contract contract;
  return contract.hash().empty() ? 1 : 0;
#endif
}
