import { readFile } from 'node:fs/promises';
import type { NativeConnectionOptions } from '@temporalio/worker';
import type { Config } from '../../config.ts';

/** Returns the connection options: plaintext, TLS, or mutual TLS with a client certificate. */
export async function loadConnectionOptions({
  address,
  tls,
  apiKey,
}: Config['temporal']): Promise<NativeConnectionOptions> {
  const key = apiKey === undefined ? {} : { apiKey };
  if (!tls) return { address, ...key, ...(apiKey !== undefined && { tls: false }) };
  const [crt, privateKey, ca] = await Promise.all([
    tls.certificatePath && readPemFile('TEMPORAL_TLS_CLIENT_CERT_PATH', tls.certificatePath),
    tls.keyPath && readPemFile('TEMPORAL_TLS_CLIENT_KEY_PATH', tls.keyPath),
    tls.caPath && readPemFile('TEMPORAL_TLS_SERVER_CA_CERT_PATH', tls.caPath),
  ]);
  return {
    address,
    ...key,
    tls: {
      ...(crt && privateKey && { clientCertPair: { crt, key: privateKey } }),
      ...(ca && { serverRootCACertificate: ca }),
      ...(tls.serverName && { serverNameOverride: tls.serverName }),
    },
  };
}

async function readPemFile(variable: string, path: string): Promise<Buffer> {
  return await readFile(path).catch((error: Error) => {
    throw new Error(`${variable} names a file that cannot be read: ${error.message}.`);
  });
}
