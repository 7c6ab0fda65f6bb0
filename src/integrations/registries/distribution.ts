import type { Dispatcher } from 'undici';
import { fetchWithTimeout } from '../network/fetch-with-timeout.ts';
import { toApiHost } from '../../rules/registries/registry-address.ts';
import type { RegistryAccess, RegistrySettings } from '../../rules/registries/registry.ts';
import { openRegistrySession, type RegistrySession } from './registry-session.ts';
import { type Registries } from './registries.ts';
import { settingError } from './registry-error.ts';
import { resolveRegistryUrl } from './resolve-registry-url.ts';

/** A person waits while the settings are saved. */
const timeoutMs = 15_000;
const bytesMax = 256 * 1024;

/** The repository that a check asks about. It gets no image. */
const checkedRepository = 'connection-check';

/** Registries that implement the distribution API of the Open Container Initiative. */
export function distributionRegistries({ judged }: { judged: Dispatcher }): Registries {
  const send = fetchWithTimeout({ timeoutMs, bytesMax, dispatcher: judged });
  return {
    async check(settings) {
      const { host, repositoryPrefix } = settings;
      const repository = repositoryPrefix === undefined ? undefined : `${repositoryPrefix}/${checkedRepository}`;
      const signal = AbortSignal.timeout(timeoutMs);
      // A redirect could lead the credentials to another server.
      const request: typeof send = async (url, init) => await send(url, { ...init, redirect: 'manual', signal });
      const found = await resolveRegistryUrl(request, toApiHost(host));
      const session = await openRegistrySession(request, { ...found, settings, repository });
      return repository === undefined ? 'signed-in' : await tryRepository(session, settings, repository);
    },
  };
}

/** An upload that is begun and cancelled shows whether the account may push; nothing else does at every registry. */
async function tryRepository(
  session: RegistrySession,
  { username }: RegistrySettings,
  repository: string,
): Promise<RegistryAccess> {
  const tags = await session.send('GET', `/v2/${repository}/tags/list`);
  // Most registries do not know the repository before its first image.
  if (tags.status !== 200 && tags.status !== 404) {
    const detail = `is not open to the account "${username}" (${tags.status})`;
    throw settingError(
      '/repositoryPrefix',
      `The registry accepts the account, but the repository prefix ${detail}.`,
      detail,
    );
  }
  const upload = await session.send('POST', `/v2/${repository}/blobs/uploads/`);
  if (upload.status !== 202) return 'pull';
  const location = upload.headers.get('location');
  if (location !== null) await session.send('DELETE', location).catch(() => undefined);
  return 'pull-and-push';
}
