// What other pages take from here as one script: the element `plumb-budget`, with plumb-budget.wasm and nothing else.
export * from "@plumbline/plumbline/budget";
