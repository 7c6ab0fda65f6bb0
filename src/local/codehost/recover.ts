import { readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Host } from './host.ts';
import { noteRefChanges } from './note-ref-changes.ts';
import { allRepositories } from './repositories.ts';
import { sendUnsent } from './webhooks.ts';

/** Finishes what a death left half done: locks that nobody holds, pushes that nothing followed from, events not sent. */
export async function recover(host: Host): Promise<void> {
  const repositories = join(host.dataDir, 'repos');
  for (const name of await readdir(repositories)) {
    if (name.startsWith('.new-')) await rm(join(repositories, name), { recursive: true, force: true });
  }
  for (const repository of allRepositories(host)) {
    await removeLocks(host.directory(repository));
    await host.exclusively(repository.id, () => noteRefChanges(host, repository.id, host.owner));
  }
  sendUnsent(host);
}

async function removeLocks(directory: string): Promise<void> {
  const refs = await readdir(join(directory, 'refs'), { recursive: true }).catch(() => []);
  const files = [...(await readdir(directory)), ...refs.map((path) => join('refs', path))];
  for (const path of files.filter((name) => /\.lock$|^index-/.test(name)))
    await rm(join(directory, path), { force: true });
}
