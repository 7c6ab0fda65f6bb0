import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { NativeConnection } from '@temporalio/worker';
import type { Logger } from 'pino';
import type { Config } from '../../config.ts';

type FollowOptions = {
  connection: Pick<NativeConnection, 'setApiKey'>;
  /** The settings of the connection. */
  temporal: Pick<Config['temporal'], 'tls' | 'apiKey'>;
  log: Pick<Logger, 'info' | 'warn'>;
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
  temporal: { tls, apiKey },
  log,
  apiKeyFile = process.env['TEMPORAL_API_KEY_FILE'],
  intervalMs = defaultIntervalMs,
}: FollowOptions): Promise<{ replaced: Promise<void>; stop: () => void }> {
  const certificates = [tls?.certificatePath, tls?.keyPath, tls?.caPath].filter((path) => path !== undefined);
  const known = new Map(await Promise.all(certificates.map(async (path) => [path, await findDigest(path)] as const)));
  let usedKey = apiKey;

  const useCurrentKey = async (): Promise<void> => {
    const key = apiKeyFile && (await readFile(apiKeyFile, 'utf8').catch(() => '')).trim();
    if (!key || key === usedKey) return;
    await connection.setApiKey(key);
    usedKey = key;
    log.info('the API key of the Temporal server was replaced');
  };
  /** A file that is missing or half written is read again in the next round. */
  const isCertificateReplaced = async (): Promise<boolean> => {
    const digests = certificates.map(async (path) => ((await findDigest(path)) ?? known.get(path)) !== known.get(path));
    return (await Promise.all(digests)).includes(true);
  };
  const { promise: replaced, resolve } = Promise.withResolvers<void>();
  const follow = async (): Promise<void> => {
    await useCurrentKey().catch((error: unknown) =>
      log.warn({ error: String(error) }, 'the API key of the Temporal server cannot be used, and is tried again'),
    );
    if (await isCertificateReplaced()) resolve();
  };
  const timer = setInterval(() => void follow(), intervalMs);
  timer.unref();
  return { replaced, stop: () => clearInterval(timer) };
}

async function findDigest(path: string): Promise<string | undefined> {
  const content = await readFile(path).catch(() => undefined);
  return content?.length ? createHash('sha256').update(content).digest('hex') : undefined;
}
