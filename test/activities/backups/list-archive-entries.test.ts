import { expect, it } from 'vitest';
import { listArchiveEntries, takeSnapshot } from '../../../activities/backups/list-archive-entries.ts';
import { ServiceError } from '../../../src/errors.ts';
import type { Store } from '../../../src/store/store.ts';
import { createInstallation, fill } from './backup-fixture.ts';

it('lists owners before what they own, then the blobs, also in a cluster without the other systems', async () => {
  const { store, blobs } = await createInstallation();
  await fill({ store, blobs });
  const incomplete: Store = {
    ...store,
    list: async (kind, options) => {
      if (kind.kind === 'DNSEndpoint') throw new ServiceError('not-found', 'no such kind');
      return await store.list(kind, options);
    },
  };
  const counted: string[] = [];
  const entries = listArchiveEntries(
    { store: incomplete, blobs },
    await takeSnapshot(store),
    async (what) => void counted.push(what),
  );
  const names = (await Array.fromAsync(entries)).map(({ name }) => name);
  const at = (text: string): number => names.findIndex((name) => name.includes(text));
  expect(at('Product/org-acme/hello')).toBeLessThan(at('Release/org-acme/hello-v0.1.0'));
  expect(at('Release/org-acme/hello-v0.1.0')).toBeLessThan(at('Promotion/'));
  expect(at('AgentWorkflowRun/')).toBeLessThan(at('ConfigMap/org-acme/artifact-1'));
  expect(names.at(-1)).toMatch(/^blobs\/runs\//);
  expect(names).toContain('objects/Namespace/_/hello-rc.json');
  expect(names.filter((name) => /token-1|service-setup|request-1|\/default/.test(name))).toEqual([]);
  expect(counted).toHaveLength(names.length);
});
