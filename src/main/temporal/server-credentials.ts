import { chmod, mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TLSConfig } from '@temporalio/common/lib/internal-non-workflow/index.js';

/** The PEM files with which the owner of the data directory connects to the server of this start. */
export type TemporalCredentials = { caPath: string; certificatePath: string; keyPath: string };

/** The name in the server's certificate. */
export const temporalServerName = 'localhost';

export const toCredentials = (folder: string): TemporalCredentials => ({
  caPath: join(folder, 'ca.pem'),
  certificatePath: join(folder, 'client.pem'),
  keyPath: join(folder, 'client.key'),
});

/** Creates the folder, readable by its owner only, and restricts an existing one. */
export async function createPrivateFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
}

export async function readTls({ caPath, certificatePath, keyPath }: TemporalCredentials): Promise<TLSConfig> {
  const [ca, crt, key] = await Promise.all([readFile(caPath), readFile(certificatePath), readFile(keyPath)]);
  return {
    serverRootCACertificate: ca,
    clientCertPair: { crt, key },
    serverNameOverride: temporalServerName,
  };
}

/** Builds the address of the Web UI with the secret that it demands. */
export async function buildUiUrl(port: number, folder: string): Promise<string> {
  const secret = (await readFile(join(folder, 'ui-secret'), 'utf8')).trim();
  return `http://127.0.0.1:${port}/?secret=${secret}`;
}
