// refused: core/contract/compiler.hpp: No such file
// What is not promised is not installed.
#ifdef RIGHT
#include "core/contract/contract.hpp"
#else
#include "core/contract/compiler.hpp"
#endif

int main() {}
