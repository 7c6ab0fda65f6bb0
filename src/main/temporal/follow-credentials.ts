import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { NativeConnection } from '@temporalio/worker';
import type { Logger } from 'pino';
import type { Config } from '../../config.ts';

type FollowOptions = {
  connection: Pick<NativeConnection, 'setApiKey'>;
  tls: Config['temporal']['tls'];
  log: Pick<Logger, 'info'>;
  apiKeyFile?: string | undefined;
  intervalMs?: number;
};

/** A cluster replaces the files of a Secret within about a minute. */
const defaultIntervalMs = 30_000;

/**
 * Follows the files of the credentials for the Temporal server, which are replaced before they expire. A new API key is
 * used from the next call. A connection cannot take a new certificate, so `replaced` resolves when there is one, and the
 * process must restart.
 */
export async function followCredentials({
  connection,
  tls,
  log,
  apiKeyFile = process.env['TEMPORAL_API_KEY_FILE'],
  intervalMs = defaultIntervalMs,
}: FollowOptions): Promise<{ replaced: Promise<void>; stop: () => void }> {
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
      log.info('the API key of the Temporal server was replaced');
    }
    return false;
  };
  const { promise: replaced, resolve } = Promise.withResolvers<void>();
  const timer = setInterval(() => void findReplaced().then((isReplaced) => isReplaced && resolve()), intervalMs);
  timer.unref();
  return { replaced, stop: () => clearInterval(timer) };
}

async function findDigest(path: string): Promise<string | undefined> {
  const content = await readFile(path).catch(() => undefined);
  return content?.length ? createHash('sha256').update(content).digest('hex') : undefined;
}
