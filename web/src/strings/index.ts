// Every text that the page shows to people, by view: strings, and functions where a text has numbers or names in it. A
// translation is another set of these modules with the same exports.
export * as page from "./page_text";
export * as messages from "./messages_text";
export * as checking from "./checking_text";
export * as states from "./states_text";
export * as runList from "./run_list_text";
export * as journal from "./journal_text";
export * as runs from "./runs_text";
export * as research from "./research_text";
export * as discovery from "./discovery_text";
export * as story from "./story_text";
export * as server from "./server_text";
export * as budget from "./budget_text";
export * as intake from "./intake_text";
export * as worker from "./worker_text";
