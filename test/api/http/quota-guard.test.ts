import { expect, it } from 'vitest';
import { QuotaGuard } from '../../../api/http/quota-guard.ts';
import { loadConfig } from '../../../src/config.ts';

it('counts what earlier requests are creating, per holder', async () => {
  const guard = new QuotaGuard({ ...loadConfig({}).quotas, productsPerOrg: 2 });
  const { promise: created, resolve: finish } = Promise.withResolvers<void>();
  const create = (holder: string, existing = 0) =>
    guard.create({ quota: 'productsPerOrg', holder, count: async () => existing, create: () => created });
  const accepted = [create('acme'), create('acme'), create('other')];
  await expect(create('acme')).rejects.toMatchObject({ reason: 'quota-reached' });
  await expect(create('full', 2)).rejects.toMatchObject({ reason: 'quota-reached' });
  finish();
  await Promise.all(accepted);
  await create('acme', 1);
});

it('counts the creations that still run after another one has ended', async () => {
  const guard = new QuotaGuard({ ...loadConfig({}).quotas, productsPerOrg: 2 });
  const { promise: created, resolve: finish } = Promise.withResolvers<void>();
  const create = (result: Promise<void>) =>
    guard.create({ quota: 'productsPerOrg', holder: 'acme', count: async () => 0, create: () => result });
  const slow = [create(created)];
  await create(Promise.resolve());
  slow.push(create(created));
  await expect(create(created)).rejects.toMatchObject({ reason: 'quota-reached' });
  finish();
  await Promise.all(slow);
});

it('forgets a creation that failed', async () => {
  const guard = new QuotaGuard({ ...loadConfig({}).quotas, productsPerOrg: 1 });
  const create = (result: Promise<void>) =>
    guard.create({ quota: 'productsPerOrg', holder: 'acme', count: async () => 0, create: () => result });
  await expect(create(Promise.reject(new Error('lost')))).rejects.toThrow('lost');
  await create(Promise.resolve());
});
