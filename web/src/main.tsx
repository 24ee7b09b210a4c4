import { render } from "preact";

import { App } from "./app";
import "./style/tokens.css";
import "./style/page.css";
import "./style/editor.css";
import "./style/verdict.css";
import "./style/stream.css";
import "./style/tree.css";
import "./style/dialogs.css";
import "./style/authoring.css";

const root = document.getElementById("app");
if (root) {
  root.replaceChildren();
  render(<App />, root);
}
