/** The text of a search parameter; nothing for an empty one or one of another type. */
export const toText = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;
