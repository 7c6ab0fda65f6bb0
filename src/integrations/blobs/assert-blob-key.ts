import { invalid } from '../../errors.ts';

/** Returns whether every implementation can store the key, and it does not escape the folder as a path. */
export function isBlobKey(key: string): boolean {
  const parts = key.split('/');
  // A leading dot is reserved for files that are being written.
  return key.length <= 900 && parts.every((part) => /^[A-Za-z0-9_@=+-][A-Za-z0-9._@=+-]{0,199}$/.test(part));
}

export function assertBlobKey(key: string): string {
  if (isBlobKey(key)) return key;
  throw invalid(`"${key}" is not a valid blob key. Use letters, digits and ._@=+- in parts separated by "/".`);
}

/** A prefix may end within a part of a key. */
export function assertBlobPrefix(prefix: string): string {
  assertBlobKey(`${prefix.slice(0, prefix.lastIndexOf('/') + 1)}x`);
  return prefix;
}
