import { verify } from 'node:crypto';
import { HttpError } from './http-error.ts';
import type { Host } from './host.ts';
import type { AppRow } from './tables.ts';

const undecodable = (): HttpError => new HttpError(401, 'A JSON web token could not be decoded');

/** Returns the app that signed the JSON web token. Octokit parses the messages about times to correct clock skew. */
export function verifyAppToken({ database }: Host, token: string): AppRow {
  const [header = '', payload = '', signature = ''] = token.split('.');
  if (decodePart(header)['alg'] !== 'RS256') throw undecodable();
  const claims = decodePart(payload);
  const issuer = claims['iss'];
  if (typeof issuer !== 'string' && typeof issuer !== 'number') throw undecodable();

  const app = database.get<AppRow>(
    'SELECT * FROM apps WHERE id = ? OR clientId = ?',
    Number(issuer) || 0,
    String(issuer),
  );
  if (app === undefined) throw new HttpError(404, 'Integration not found');
  if (!verify('RSA-SHA256', Buffer.from(`${header}.${payload}`), app.publicKey, Buffer.from(signature, 'base64url')))
    throw undecodable();
  assertValidTimes(claims);
  return app;
}

function decodePart(part: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString());
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    throw undecodable();
  }
  throw undecodable();
}

function assertValidTimes({ iat, exp }: Record<string, unknown>): void {
  const nowS = Date.now() / 1000;
  // GitHub tolerates about a minute of clock skew.
  if (!Number.isInteger(iat) || Number(iat) > nowS + 60) {
    throw new HttpError(
      401,
      "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued",
    );
  }
  if (!Number.isInteger(exp) || Number(exp) <= nowS) {
    throw new HttpError(
      401,
      "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires",
    );
  }
  if (Number(exp) > nowS + 600 + 60)
    throw new HttpError(401, "'Expiration time' claim ('exp') is too far in the future");
}
