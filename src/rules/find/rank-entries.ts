import { trimSlashes } from '../trim-slashes.ts';

/** Something that can be found, with the texts that name it. */
export type FindEntry = {
  /** Names, numbers, hosts, commits and URLs in lower case; an exact match comes first. */
  keys: readonly string[];
  /** Everything that is shown, in lower case. */
  text: string;
  /** Entries that match equally well are in the order of this text, the last first. */
  order: string;
};

/** Commits are abbreviated in many lengths; fewer characters are words more often than commits. */
const commitLengthMin = 4;

/** Each word is compared with every entry. A person who pastes a sentence finds it by its first words. */
export const wordsMax = 12;

/** Returns the entries that match every word of the query, up to `wordsMax`, the best match first. */
export function rankEntries<T extends FindEntry>(entries: readonly T[], query: string, limit: number): T[] {
  const words = [...new Set(query.toLowerCase().split(/\s+/).filter(Boolean))].slice(0, wordsMax).map(toVariants);
  if (words.length === 0) return [];
  const found = entries.flatMap((entry) => {
    let total = 0;
    for (const variants of words) {
      total += Math.min(...variants.map((word) => score(entry, word)));
      if (total === Infinity) return [];
    }
    return [{ entry, total }];
  });
  return found
    .toSorted((one, other) => one.total - other.total || compare(other.entry.order, one.entry.order))
    .slice(0, limit)
    .map(({ entry }) => entry);
}

/** A URL also names the host and the page that it leads to, and "#418" is a number. */
function toVariants(word: string): string[] {
  if (/^#\d+$/.test(word)) return [word];
  const url = /^https?:\/\/([^/?#]+)([^?#]*)/.exec(word);
  if (!url) return [word];
  const [whole, host = '', path = ''] = url;
  return [trimSlashes(whole), host.replace(/:\d+$/, ''), trimSlashes(path)].filter(Boolean);
}

function score({ keys, text }: FindEntry, word: string): number {
  if (keys.includes(word)) return 0;
  const isCommit = /^[0-9a-f]+$/.test(word) && word.length >= commitLengthMin;
  if (keys.some((key) => key.startsWith(word) && (isCommit || !/^[0-9a-f]{40}$/.test(key)))) return 1;
  const index = text.indexOf(word);
  if (index === -1) return Infinity;
  return index === 0 || /[^a-z0-9]/.test(text[index - 1] ?? '') ? 2 : 3;
}

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);
