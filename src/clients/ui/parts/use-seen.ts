import { useState } from 'react';

/** The names that were listed at any time since the page was opened. */
export function useSeen(names: readonly string[]): ReadonlySet<string> {
  const [seen, setSeen] = useState<ReadonlySet<string>>(() => new Set(names));
  if (names.every((name) => seen.has(name))) return seen;
  const all = new Set([...seen, ...names]);
  setSeen(all);
  return all;
}
