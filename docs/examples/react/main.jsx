// React 19 sets the properties of an element and listens to its events by name: nothing has to be wrapped.
import "@plumbline/plumbline/preview";
import { useState } from "react";
import { createRoot } from "react-dom/client";

const first = `{
  "root": {
    "label": "Photosynthesis",
    "children": [
      { "label": "Light reactions", "children": [] },
      { "label": "light reactions", "children": [] }
    ]
  }
}`;

function App() {
  const [text, setText] = useState(first);
  const [verdict, setVerdict] = useState(null);
  const [chosen, setChosen] = useState(null);
  const problems = verdict?.findings.filter((finding) => finding.shadowedBy === undefined) ?? [];
  return (
    <main style={{ maxWidth: "46rem", margin: "2rem auto", padding: "0 1rem", fontFamily: "system-ui, sans-serif" }}>
      <h1>A mindmap in React</h1>
      <label style={{ display: "block" }}>
        Artifact
        <textarea
          rows={10}
          style={{ boxSizing: "border-box", width: "100%", font: "0.85rem/1.5 monospace" }}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </label>
      <plumb-preview
        contract="mindmap"
        show="head problems"
        value={text}
        onplumb-verdict={(event) => setVerdict(event.detail)}
        onplumb-select={(event) => setChosen(event.detail)}
      />
      <p role="status">
        {verdict === null ? "Not judged yet" : `${verdict.decision}, ${problems.length} problems`}
        {chosen && `; chosen: ${chosen.at}`}
      </p>
    </main>
  );
}

createRoot(document.getElementById("root")).render(<App />);
