/** Formats a number of things: "1 zone", "1,204 zones". */
export const formatAmount = (count: number, word: string): string =>
  `${count.toLocaleString('en')} ${word}${count === 1 ? '' : 's'}`;
