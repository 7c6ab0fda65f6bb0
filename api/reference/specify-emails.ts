import { emailPattern } from '../../src/rules/names.ts';

/** Adds the pattern of e-mail addresses: the format alone allows addresses that no request may contain. */
export function specifyEmails<T>(part: T): T {
  if (Array.isArray(part)) return part.map(specifyEmails) as T;
  if (typeof part !== 'object' || part === null) return part;
  const specified = Object.fromEntries(Object.entries(part).map(([key, value]) => [key, specifyEmails(value)]));
  return (
    'format' in part && part.format === 'email' ? { ...specified, pattern: emailPattern.source } : specified
  ) as T;
}
