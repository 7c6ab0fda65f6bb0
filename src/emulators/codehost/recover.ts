import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Host } from './host.ts';
import { runPostReceive } from './post-receive.ts';
import { listAllRepositories } from './repositories.ts';
import { sendPendingDeliveries } from './webhooks.ts';

/** Completes the work that a crash interrupted: removes stale locks, processes pushes and sends pending deliveries. */
export async function recover(host: Host): Promise<void> {
  const repositories = join(host.dataDir, 'repos');
  for (const name of await readdir(repositories)) {
    if (name.startsWith('.new-')) await rm(join(repositories, name), { recursive: true, force: true });
  }
  for (const repository of listAllRepositories(host)) {
    await removeStaleLocks(host.directory(repository));
    await host.runExclusive(repository.id, () => runPostReceive(host, repository.id, host.owner));
  }
  sendPendingDeliveries(host);
}

async function removeStaleLocks(directory: string): Promise<void> {
  const refs = await readdir(join(directory, 'refs'), { recursive: true }).catch(() => []);
  const files = [...(await readdir(directory)), ...refs.map((path) => join('refs', path))];
  for (const path of files.filter((name) => /\.lock$|^index-/.test(name)))
    await rm(join(directory, path), { force: true });
}
