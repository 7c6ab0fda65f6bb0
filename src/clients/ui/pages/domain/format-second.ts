const format = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });

/** Formats a moment to the second, because the checks follow each other by minutes. */
export const formatSecond = (at: string): string => format.format(new Date(at));
