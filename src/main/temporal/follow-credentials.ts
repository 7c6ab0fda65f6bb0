import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { NativeConnection } from '@temporalio/worker';
import type { Config } from '../../config.ts';

type FollowOptions = {
  connection: Pick<NativeConnection, 'setApiKey'>;
  tls: Config['temporal']['tls'];
  apiKeyFile: string | undefined;
  signal: AbortSignal;
  onRotatedKey: () => void;
  intervalMs?: number;
};

/** A cluster replaces the files of a Secret within about a minute. */
const defaultIntervalMs = 30_000;

/**
 * Follows the files of the credentials for the Temporal server, which are replaced before they expire. A new API key is
 * used from the next call. A connection cannot take a new certificate, so `replaced` resolves when there is one, and the
 * process must restart.
 */
export async function followCredentials(options: FollowOptions): Promise<{ replaced: Promise<void> }> {
  const { connection, tls, apiKeyFile, signal, onRotatedKey, intervalMs = defaultIntervalMs } = options;
  const certificates = [tls?.certificatePath, tls?.keyPath, tls?.caPath].filter((path) => path !== undefined);
  const paths = [...certificates, ...(apiKeyFile ? [apiKeyFile] : [])];
  const known = new Map(await Promise.all(paths.map(async (path) => [path, await findDigest(path)] as const)));

  const findReplaced = async (): Promise<boolean> => {
    for (const path of paths) {
      const digest = await findDigest(path);
      // A file that is missing or half written is read again in the next round.
      if (digest === undefined || digest === known.get(path)) continue;
      if (path !== apiKeyFile) return true;
      known.set(path, digest);
      await connection.setApiKey((await readFile(path, 'utf8')).trim());
      onRotatedKey();
    }
    return false;
  };
  const replaced = new Promise<void>((resolve) => {
    const timer = setInterval(() => void findReplaced().then((isReplaced) => isReplaced && resolve()), intervalMs);
    timer.unref();
    signal.addEventListener('abort', () => clearInterval(timer));
  });
  return { replaced };
}

async function findDigest(path: string): Promise<string | undefined> {
  const content = await readFile(path).catch(() => undefined);
  return content?.length ? createHash('sha256').update(content).digest('hex') : undefined;
}
