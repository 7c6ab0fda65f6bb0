/** Creates an id that sorts by time. The random part tells the entries of one millisecond apart. */
export const createEntryId = (at: Date, random: string): string => `${toEntryTime(at)}-${random}`;

/** Returns the beginning of the ids of all entries at a time: earlier entries have smaller ids, and others greater ones. */
export const toEntryTime = (at: Date): string => at.toISOString().toLowerCase().replaceAll(/[-:.]/g, '');
