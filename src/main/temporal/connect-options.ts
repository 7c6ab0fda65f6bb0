import { readFile } from 'node:fs/promises';
import type { NativeConnectionOptions } from '@temporalio/worker';
import type { Config } from '../../config.ts';

/** How the server is reached: in the clear, or by TLS with or without a certificate of our own. */
export async function connectOptions({ address, tls, apiKey }: Config['temporal']): Promise<NativeConnectionOptions> {
  const key = apiKey === undefined ? {} : { apiKey };
  if (!tls) return { address, ...key, ...(apiKey !== undefined && { tls: false }) };
  const [crt, privateKey, authority] = await Promise.all([
    tls.certificatePath && readGiven('TEMPORAL_TLS_CLIENT_CERT_PATH', tls.certificatePath),
    tls.keyPath && readGiven('TEMPORAL_TLS_CLIENT_KEY_PATH', tls.keyPath),
    tls.authorityPath && readGiven('TEMPORAL_TLS_SERVER_CA_CERT_PATH', tls.authorityPath),
  ]);
  return {
    address,
    ...key,
    tls: {
      ...(crt && privateKey && { clientCertPair: { crt, key: privateKey } }),
      ...(authority && { serverRootCACertificate: authority }),
      ...(tls.serverName && { serverNameOverride: tls.serverName }),
    },
  };
}

async function readGiven(variable: string, path: string): Promise<Buffer> {
  return await readFile(path).catch((error: Error) => {
    throw new Error(`${variable} names a file that cannot be read: ${error.message}.`);
  });
}
