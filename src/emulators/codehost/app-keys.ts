import { generateKeyPair } from 'node:crypto';
import { promisify } from 'node:util';

/** The key pair of an app, in PEM. */
export type AppKeys = { publicKey: string; privateKey: string };

export const createAppKeys = async (): Promise<AppKeys> =>
  await promisify(generateKeyPair)('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
  });
