// refused: could not convert|cannot convert|no viable conversion|conversion from
// The value of an operation that may have failed, without a look at the error.
#include "core/contract/contract.hpp"

int main() {
#ifdef RIGHT
  const auto read = plumb::contract::Contract::read("{}");
  const plumb::contract::Contract& contract = read.value();
#else
  const plumb::contract::Contract contract = plumb::contract::Contract::read("{}");
#endif
  return contract.hash().empty() ? 1 : 0;
}
