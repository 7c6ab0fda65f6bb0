import { appendFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { createAcmeOrg, createProduct, openIssue } from '../support/platform/acme.ts';
import { isExhaustive } from '../support/sample.ts';
import { TestPlatform } from '../support/platform/test-platform.ts';
import { waitUntil } from '../support/platform/wait-until.ts';
import { describeWithTemporal } from '../support/workflows/temporal-client.ts';

async function fillDisk(file: string): Promise<void> {
  for (let bytes = 4 * 1024 ** 2; bytes >= 4096;)
    try {
      await appendFile(file, Buffer.alloc(bytes));
    } catch {
      bytes /= 2;
    }
}

describeWithTemporal('a full disk', () => {
  // The log file and the store have tests of their own, which run always.
  it.runIf(isExhaustive)('is reported, answers every request, and ends with new space', async () => {
    const platform = await TestPlatform.start({}, { diskMiB: 280 });
    onTestFinished(async () => await platform.remove());
    const api = await platform.signInAsRoot();
    await createAcmeOrg(api);
    await createProduct(platform, api, { name: 'shop' });
    const first = await openIssue(api, 'shop', { title: 'Before' });

    const ballast = join(platform.dataDir, 'ballast');
    await fillDisk(ballast);
    await expect(api.post('/v1/orgs', { name: 'umbrella' })).rejects.toThrow('The store is on a full disk.');
    expect((await fetch(`${platform.url}/livez`)).status).toBe(200);
    await expect(openIssue(api, 'shop', { title: 'Meanwhile' })).rejects.toMatchObject({ status: expect.any(Number) });
    expect(await api.get('/v1/orgs')).toMatchObject({ items: [{ name: 'acme' }] });
    await waitUntil(
      async () => platform.output,
      (output) => output.includes('is almost full'),
    );

    await rm(ballast);
    const last = await waitUntil(
      async () => await openIssue(api, 'shop', { title: 'After' }).catch(() => 0),
      (number) => number > first,
    );
    expect(last).toBeGreaterThan(first);
    await waitUntil(
      async () => platform.output,
      (output) => output.includes('has space again'),
    );
    expect(await platform.stop()).toBe(0);
  });
});
