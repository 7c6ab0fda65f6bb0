import { createHmac, createSecretKey } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { createExhaustiveSearch } from '../../../api/intake/exhaustive-search.ts';

const mib = 1024 * 1024;

const buildSigner = (org: string, ...secrets: string[]) => ({
  org,
  appSlug: undefined,
  secrets: secrets.map((secret) => createSecretKey(Buffer.from(secret))),
});
const sign = (body: Buffer, secret = 'secret') => ({
  body,
  digest: createHmac('sha256', secret).update(body).digest(),
});

function startSearch(...all: ReturnType<typeof buildSigner>[]) {
  const shutdown = new AbortController();
  onTestFinished(() => shutdown.abort());
  const search = createExhaustiveSearch({ shutdownSignal: shutdown.signal });
  const signers = { all, candidates: () => [] };
  return {
    search,
    signers,
    find: async (body: Buffer, secret?: string) => (await search(signers, sign(body, secret)))?.org,
  };
}

it('finds the org of every secret, the first of those that share one, and the same again', async () => {
  const { find } = startSearch(
    buildSigner('acme', 'new', 'old'),
    buildSigner('beta', 'new'),
    buildSigner('till', 'own'),
  );
  const body = Buffer.from('{}');
  for (const [secret, org] of [
    ['new', 'acme'],
    ['old', 'acme'],
    ['own', 'till'],
    ['none', undefined],
  ] as const)
    for (const time of ['first', 'second']) expect([time, await find(body, secret)]).toEqual([time, org]);
});

it('finds the org of a body after another body came with the same signature', async () => {
  const { search, signers } = startSearch(buildSigner('acme', 'secret'));
  const { body, digest } = sign(Buffer.from('{}'));
  expect(await search(signers, { body: Buffer.from('{"forged":true}'), digest })).toBeUndefined();
  expect(await search(signers, { body, digest })).toBe(signers.all[0]);
});

it('holds 32 MiB of bodies at once, each once, and accepts others afterwards', async () => {
  const { find } = startSearch(buildSigner('acme', 'secret'));
  const [one, other, more] = [Buffer.alloc(16 * mib, 1), Buffer.alloc(16 * mib, 2), Buffer.alloc(16 * mib, 3)];
  const searches = [find(one), find(other), find(other), find(more)];
  expect(await Promise.all(searches)).toEqual(['acme', 'acme', 'acme', undefined]);
  expect(await find(more)).toBe('acme');
});

it('refuses more than 64 searches at once', async () => {
  const { find } = startSearch(buildSigner('acme', 'secret'));
  const searches = Array.from({ length: 64 }, async (_, index) => await find(Buffer.from(`${index}`)));
  expect(await find(Buffer.from('one more'))).toBeUndefined();
  await Promise.all(searches);
  expect(await find(Buffer.from('another'))).toBe('acme');
});

it('fails only the search whose thread fails, and starts another thread for the next one', async () => {
  const { search, signers } = startSearch(buildSigner('acme', 'secret'));
  const { body, digest } = sign(Buffer.from('{}'));
  // The comparison throws for a digest of another length, which no request can have.
  await expect(search(signers, { body, digest: digest.subarray(1) })).rejects.toThrow('exited');
  expect(await search(signers, { body, digest })).toBe(signers.all[0]);
});
