import { expect, it, vi } from 'vitest';
import { QueryClient } from '@tanstack/react-query';
import { backupsQuery } from '../../../../../src/clients/ui/api/queries/backups.ts';
import { BackupKind } from '../../../../../src/rules/backups/kinds.ts';
import { systemNamespace } from '../../../../../src/rules/resource.ts';
import { startApi } from '../../../../support/start-api.ts';

it('lists all backups that the settings keep, newest first', async () => {
  const { store, request } = await startApi({ role: 'platform-admin' });
  const names = Array.from({ length: 51 }, (_, index) => `backup-20260101120${String(100 + index)}-1a2b3c4d`);
  for (const name of names)
    await store.create(BackupKind, { metadata: { namespace: systemNamespace, name }, spec: { startedBy: 'schedule' } });
  vi.stubGlobal('fetch', async (url: string) => await request(url.replace(/^\/api/, '')));
  try {
    const { items } = await new QueryClient().fetchQuery(backupsQuery);
    expect(items.map(({ name }) => name).toSorted()).toEqual(names);
  } finally {
    vi.unstubAllGlobals();
  }
});
