import { verify } from 'node:crypto';
import { Failure } from './failure.ts';
import type { Host } from './host.ts';
import type { AppRow } from './rows.ts';

const undecodable = (): Failure => new Failure(401, 'A JSON web token could not be decoded');

/** The app that signed the JSON web token; octokit reads the messages about times and corrects its clock by them. */
export function verifyAppToken({ database }: Host, token: string): AppRow {
  const [header = '', payload = '', signature = ''] = token.split('.');
  if (decode(header)['alg'] !== 'RS256') throw undecodable();
  const claims = decode(payload);
  const issuer = claims['iss'];
  if (typeof issuer !== 'string' && typeof issuer !== 'number') throw undecodable();

  const app = database.one<AppRow>(
    'SELECT * FROM apps WHERE id = ? OR clientId = ?',
    Number(issuer) || 0,
    String(issuer),
  );
  if (app === undefined) throw new Failure(404, 'Integration not found');
  if (!verify('RSA-SHA256', Buffer.from(`${header}.${payload}`), app.publicKey, Buffer.from(signature, 'base64url')))
    throw undecodable();
  checkTimes(claims);
  return app;
}

function decode(part: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString());
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    throw undecodable();
  }
  throw undecodable();
}

function checkTimes({ iat, exp }: Record<string, unknown>): void {
  const nowS = Date.now() / 1000;
  // Clocks differ a little: the real host allows for about a minute.
  if (!Number.isInteger(iat) || Number(iat) > nowS + 60) {
    throw new Failure(
      401,
      "'Issued at' claim ('iat') must be an Integer representing the time that the assertion was issued",
    );
  }
  if (!Number.isInteger(exp) || Number(exp) <= nowS) {
    throw new Failure(
      401,
      "'Expiration time' claim ('exp') must be a numeric value representing the future time at which the assertion expires",
    );
  }
  if (Number(exp) > nowS + 600 + 60) throw new Failure(401, "'Expiration time' claim ('exp') is too far in the future");
}
