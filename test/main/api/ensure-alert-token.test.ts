import { expect, it } from 'vitest';
import { readSecretText, SecretKind } from '../../../src/kinds/kubernetes.ts';
import { ensureAlertToken } from '../../../src/main/api/ensure-alert-token.ts';
import { openMemoryStore } from '../../support/open-test-store.ts';

it('creates one token, although several processes start at once, and keeps it', async () => {
  const store = openMemoryStore();
  await Promise.all([ensureAlertToken(store), ensureAlertToken(store)]);
  const read = async (): Promise<string | undefined> =>
    readSecretText(
      await store.get(SecretKind, { namespace: 'service-system', name: 'service-alert-webhook' }),
      'token',
    );
  const token = await read();
  expect(token).toMatch(/^[\w-]{43}$/);
  await ensureAlertToken(store);
  expect(await read()).toBe(token);
  await store.close();
});
