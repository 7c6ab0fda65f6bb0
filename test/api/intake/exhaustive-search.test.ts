import { createHmac, createSecretKey } from 'node:crypto';
import { expect, it, onTestFinished } from 'vitest';
import { createExhaustiveSearch } from '../../../api/intake/exhaustive-search.ts';

it('fails only the search whose thread fails, and starts another thread for the next one', async () => {
  const shutdown = new AbortController();
  onTestFinished(() => shutdown.abort());
  const search = createExhaustiveSearch({ shutdownSignal: shutdown.signal });
  const signer = { org: 'acme', appSlug: undefined, secrets: [createSecretKey(Buffer.from('secret'))] };
  const signers = { all: [signer], candidates: () => [] };
  const body = Buffer.from('{}');
  const digest = createHmac('sha256', 'secret').update(body).digest();
  // The comparison throws for a digest of another length, which no request can have.
  await expect(search(signers, { body, digest: digest.subarray(1) })).rejects.toThrow('exited');
  expect(await search(signers, { body, digest })).toBe(signer);
});
