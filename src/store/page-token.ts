import { createHash } from 'node:crypto';
import { invalidPageError } from './store-errors.ts';

/** The next page starts after this object, in the snapshot of this version. */
export type PagePosition = {
  version: number;
  namespace: string;
  name: string;
  /** The token of the API server for the objects after this one. */
  next?: string;
};

/** Encodes the `continue` of a list. The token is valid only for a list with the same `query`. */
export function encodePageToken(query: string, { version, namespace, name, next }: PagePosition): string {
  const after = next === undefined ? [] : [encodeURIComponent(next)];
  const digest = createHash('sha256')
    .update(JSON.stringify([query, version, namespace, name, ...after]))
    .digest('base64url')
    .slice(0, 16);
  return Buffer.from([version, namespace, name, digest, ...after].join('/')).toString('base64url');
}

export function decodePageToken(query: string, token: string): PagePosition {
  const [version = '', namespace = '', name = '', , next] = Buffer.from(token, 'base64url').toString().split('/');
  const position = { version: Number(version), namespace, name, ...(next !== undefined && { next: decode(next) }) };
  if (encodePageToken(query, position) !== token) throw invalidPageError('the token belongs to another list');
  return position;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw invalidPageError('the token belongs to another list');
  }
}
