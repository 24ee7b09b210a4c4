// An artifact that arrives piece by piece, as it would from a model.
const artifact = `{
  "questions": [
    {
      "question": "What do plants take in to build sugar?",
      "options": ["Carbon dioxide", "Nitrogen", "carbon dioxide", "Helium"],
      "correct_answer": "Oxygen",
      "explanation": "Sugar is built of carbon dioxide and water, with light."
    }
  ]
}`;

const preview = document.querySelector("#streamed");
const log = document.querySelector("#log");

preview.addEventListener("plumb-finding", ({ detail }) => {
  log.textContent = `Certain after ${detail.decidedAt} bytes: ${detail.rule} at ${detail.at}`;
});
preview.addEventListener("plumb-verdict", ({ detail }) => {
  log.textContent = `${detail.decision}: ${detail.findings.length} findings`;
});

document.querySelector("#play").addEventListener("click", async () => {
  preview.reset();
  for (const piece of artifact.match(/[\s\S]{1,6}/g)) {
    preview.push(piece);
    await new Promise((done) => setTimeout(done, 20));
  }
  await preview.end();
});
