import { createHash } from 'node:crypto';
import { invalidPageError } from './store-errors.ts';

/** The next page starts after this object, in the snapshot of this version. */
export type PagePosition = { version: number; namespace: string; name: string };

/** Encodes the `continue` of a list. The token is valid only for a list with the same `query`. */
export function encodePageToken(query: string, { version, namespace, name }: PagePosition): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([query, version, namespace, name]))
    .digest('base64url')
    .slice(0, 16);
  return Buffer.from([version, namespace, name, digest].join('/')).toString('base64url');
}

export function decodePageToken(query: string, token: string): PagePosition {
  const [version = '', namespace = '', name = ''] = Buffer.from(token, 'base64url').toString().split('/');
  const position = { version: Number(version), namespace, name };
  if (encodePageToken(query, position) !== token) throw invalidPageError('the token belongs to another list');
  return position;
}
