// What is used of Node's module `events`, for browsers.

/** They warn of no number of listeners. */
export function setMaxListeners(): void {}
