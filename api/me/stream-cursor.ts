/** The last seen version of each kind, because every kind has its own sequence of events. */
export type Cursor = Map<string, string>;

export const formatCursor = (cursor: Cursor): string =>
  [...cursor].map(([plural, version]) => `${plural}:${version}`).join(',');

/**
 * Returns an empty cursor for an id that is not of this stream. A cluster answers a watch from version 0 with all objects
 * instead of the changes, and all connections share the watch.
 */
export function parseCursor(text: string | undefined): Cursor {
  const entries = (text ?? '').split(',').map((part) => /^([a-z]+):([1-9]\d{0,18})$/.exec(part));
  return new Map(entries.flatMap((match) => (match ? [[match[1] ?? '', match[2] ?? ''] as const] : [])));
}
