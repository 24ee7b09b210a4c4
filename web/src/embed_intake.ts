// What other pages take from here as one script: the element `plumb-intake`, and the package beneath it.
export * from "@plumbline/plumbline/intake";
export { load } from "@plumbline/plumbline";
