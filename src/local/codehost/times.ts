/** The host's times have whole seconds. */
export const hostTime = (time: Date | string = new Date()): string => `${new Date(time).toISOString().slice(0, 19)}Z`;
