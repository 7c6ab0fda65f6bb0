import { createHash } from 'node:crypto';
import { unusablePage } from './refusals.ts';

/** Where a list goes on: after that object, in the snapshot of that version. */
export type Position = { rv: number; namespace: string; name: string };

/** The `continue` of a list; `query` is what the list was asked for, and the token serves that alone. */
export function writePageToken(query: string, { rv, namespace, name }: Position): string {
  const digest = createHash('sha256')
    .update(JSON.stringify([query, rv, namespace, name]))
    .digest('base64url')
    .slice(0, 16);
  return Buffer.from([rv, namespace, name, digest].join('/')).toString('base64url');
}

export function readPageToken(query: string, token: string): Position {
  const [rv = '', namespace = '', name = ''] = Buffer.from(token, 'base64url').toString().split('/');
  const position = { rv: Number(rv), namespace, name };
  if (writePageToken(query, position) !== token) throw unusablePage('its token is not one of this list');
  return position;
}
