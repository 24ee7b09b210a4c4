// Whether a module has what rules about texts need: wasm/roles_exports.cpp says yes, wasm/without_text.cpp no.
#pragma once

namespace plumb::wasm {

bool reads_texts();

// What to say where something wants them: the line that loads them.
inline constexpr char texts_wanted[] =
    "reads texts, which this module does not: load({ parts: [\"text\"] }) has what it needs";

}  // namespace plumb::wasm
