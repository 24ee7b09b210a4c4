// The form is filled from what has arrived, and judged by what has arrived: a finding shows at its field the moment it is
// certain. When somebody corrects a field, the form is the artifact.
const answer = `{
  "question": "Where does photosynthesis take place?",
  "options": ["Mitochondria", "Nucleus", "Cell wall", "Vacuole"],
  "correct_answer": "Chloroplasts",
  "explanation": "Chloroplasts hold the chlorophyll that takes in the light."
}`;

const form = document.querySelector("#form");
const preview = document.querySelector("plumb-preview");
const send = document.querySelector("#send");

// What is readable of an object of texts and lists of texts that has not ended.
function partOf(text) {
  const string = String.raw`"(?:[^"\\]|\\.)*"?`;
  const read = (part) => {
    try {
      return JSON.parse(part.length > 1 && part.endsWith('"') ? part : `${part}"`);
    } catch {
      return "";
    }
  };
  const members = {};
  for (const [, name, value] of text.matchAll(new RegExp(`"(\\w+)"\\s*:\\s*(\\[[^\\]]*|${string})`, "g"))) {
    members[name] = value.startsWith("[")
      ? (value.match(new RegExp(string, "g")) ?? []).map(read).join("\n")
      : read(value);
  }
  return members;
}

function show(findings) {
  for (const why of form.querySelectorAll(".why")) {
    const found = findings.filter(({ at, property }) => `${at}/${property ?? ""}`.startsWith(`${why.dataset.at}/`));
    why.textContent = found.map(({ message, rule }) => message ?? rule).join("; ");
    const missing = findings.find(({ rule, property }) => rule === "required" && `/${property}` === why.dataset.at);
    if (missing) why.textContent = missing.message ?? "missing";
    why.previousElementSibling.setAttribute("aria-invalid", String(why.textContent !== ""));
  }
}

document.querySelector("#ask").addEventListener("click", async () => {
  preview.reset();
  show([]);
  send.disabled = true;
  let text = "";
  for (const piece of answer.match(/[\s\S]{1,5}/g)) {
    preview.push(piece);
    text += piece;
    for (const [name, value] of Object.entries(partOf(text))) form.elements[name].value = value;
    await new Promise((done) => setTimeout(done, 15));
  }
  await preview.end();
});

preview.addEventListener("plumb-finding", () => show(preview.findings));
preview.addEventListener("plumb-verdict", ({ detail }) => {
  show(preview.findings);
  send.disabled = !detail.valid;
});

form.addEventListener("input", () => {
  const { question, options, correct_answer, explanation } = form.elements;
  preview.value = {
    question: question.value,
    options: options.value.split("\n").filter((line) => line !== ""),
    correct_answer: correct_answer.value,
    explanation: explanation.value,
  };
});

form.addEventListener("submit", (event) => {
  event.preventDefault();
  document.querySelector("#sent").textContent = `Sent: ${new FormData(form).get("artifact")}`;
});
