import { invalid } from '../../errors.ts';

/** Refuses keys that not every implementation could hold, or that lead elsewhere as a path. */
export function checkKey(key: string): string {
  const parts = key.split('/');
  // A leading dot marks files that are being written.
  if (key.length <= 900 && parts.every((part) => /^[A-Za-z0-9_@=+-][A-Za-z0-9._@=+-]{0,199}$/.test(part))) return key;
  throw invalid(`"${key}" is not a blob's key: use letters, digits and ._@=+- in parts joined by "/".`);
}

/** A prefix is any beginning of a key. */
export function checkPrefix(prefix: string): string {
  checkKey(`${prefix.slice(0, prefix.lastIndexOf('/') + 1)}x`);
  return prefix;
}
