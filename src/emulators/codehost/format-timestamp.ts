/** GitHub's timestamps have whole seconds. */
export const formatTimestamp = (time: Date | string = new Date()): string =>
  `${new Date(time).toISOString().slice(0, 19)}Z`;
