// The first object that is linked: the linker takes a template's function from the first object that has it, and
// objects that are built small copy bytes by `rep movsb`, a slow way for the short texts of a proxied call. C++20 has
// these functions in no library.
#include <string>

template class std::basic_string<char>;
