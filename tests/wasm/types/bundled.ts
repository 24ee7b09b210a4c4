// As bundlers resolve it, in a page.
import { load } from "plumbline";
import authorWasm from "plumbline/plumb-author.wasm";
import wasm from "plumbline/plumb-check.wasm";

void load(fetch("plumb-check.wasm")).then((plumb) => plumb.contract({}).check(location.href).valid);
void load(wasm);
void load({ module: wasm, authorModule: authorWasm });
void load({ authorModule: () => fetch("plumb-author.wasm") });
