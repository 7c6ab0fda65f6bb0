import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';
import { keyReused } from '../temporal/idempotency.ts';

type StoredResponse = { status: number; headers: [string, string][]; body: string };

const algorithm = 'aes-256-gcm';
const ivLength = 12;
const tagLength = 16;

/**
 * Encrypts a response with a key that only the caller's own token or session yields, because a response may contain a
 * secret and the store keeps none in clear.
 */
export async function sealResponse(response: Response, token: string, name: string): Promise<string> {
  const stored: StoredResponse = {
    status: response.status,
    headers: [...response.headers],
    body: await response.text(),
  };
  const iv = randomBytes(ivLength);
  const cipher = createCipheriv(algorithm, deriveKey(token, name), iv, { authTagLength: tagLength });
  const sealed = Buffer.concat([cipher.update(JSON.stringify(stored)), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url');
}

/** Decrypts the response, marked as replayed; throws when another token or session sent the first request. */
export function openResponse(sealed: string, token: string, name: string): Response {
  const bytes = Buffer.from(sealed, 'base64url');
  const iv = bytes.subarray(0, ivLength);
  const decipher = createDecipheriv(algorithm, deriveKey(token, name), iv, { authTagLength: tagLength });
  decipher.setAuthTag(bytes.subarray(ivLength, ivLength + tagLength));
  const { status, headers, body } = parse(() =>
    Buffer.concat([decipher.update(bytes.subarray(ivLength + tagLength)), decipher.final()]),
  );
  const replayed = new Headers(headers);
  replayed.set('Idempotent-Replayed', 'true');
  return new Response(body === '' ? null : body, { status, headers: replayed });
}

function parse(decrypt: () => Buffer): StoredResponse {
  try {
    return JSON.parse(decrypt().toString()) as StoredResponse;
  } catch {
    throw keyReused();
  }
}

const deriveKey = (token: string, name: string): Buffer =>
  Buffer.from(hkdfSync('sha256', token, name, 'idempotent response', 32));
