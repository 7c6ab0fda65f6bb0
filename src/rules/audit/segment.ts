/** Entries that were moved from the store to one blob. Its key tells their range, so that readers skip it unread. */
export type Segment = { key: string; first: string; last: string };

export const auditBlobPrefix = 'audit/';
export const scopePrefix = (scope: string): string => `${auditBlobPrefix}${scope}/`;

/** The hash of the content makes the key unique, so that no segment is ever overwritten. */
export const segmentKey = (scope: string, { first, last }: Pick<Segment, 'first' | 'last'>, hash: string): string =>
  `${scopePrefix(scope)}${first}_${last}_${hash}`;

export function parseSegmentKey(key: string): Segment | undefined {
  const [, first, last] = /^audit\/[^/]+\/([^_/]+)_([^_/]+)_[^_/]+$/.exec(key) ?? [];
  return first === undefined || last === undefined ? undefined : { key, first, last };
}
