import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { SecretKind } from '../../../src/rules/core-kinds.ts';
import type { Store } from '../../../src/store/store.ts';
import { signatureOf } from '../../support/deliver.ts';
import { addOrg, startApi } from '../../support/start-api.ts';

const encoded = (text: string): string => Buffer.from(text).toString('base64');
const secretOf = (org: string): string => `the secret of ${org}`;

async function connectOrg(store: Store, org: string, entry: Record<string, string> = {}): Promise<void> {
  await addOrg(store, org);
  const texts = { 'webhook-secret': secretOf(org), 'app-id': `app-${org}`, ...entry };
  const data = Object.fromEntries(Object.entries(texts).map(([key, value]) => [key, encoded(value)]));
  await store.create(SecretKind, { metadata: { namespace: `org-${org}`, name: 'codehost-app' }, data });
}

/** An installation of many orgs; what is sent there starts nothing, so that only the signature decides. */
async function manyOrgs(count = 40) {
  const api = await startApi({ role: 'nobody' });
  for (let at = 0; at < count; at += 1) await connectOrg(api.store, `org${at}`);
  const deliver = async (body: string, signature: string, headers: Record<string, string> = {}): Promise<number> => {
    const response = await api.request('/v1/webhooks/codehost', {
      method: 'POST',
      body,
      headers: {
        'X-GitHub-Event': 'push',
        'X-GitHub-Delivery': randomUUID(),
        'X-Hub-Signature-256': signature,
        ...headers,
      },
    });
    return response.status;
  };
  return { ...api, deliver };
}

const push = (repo: string): string => JSON.stringify({ ref: 'refs/heads/main', repository: { full_name: repo } });
const badSignature = (): string => `sha256=${randomBytes(32).toString('hex')}`;

describe('whose secret signed a delivery', () => {
  it('202: the org that it points at, by account in any letter case, by application, or by nothing at all', async () => {
    const { deliver } = await manyOrgs();
    const ofAccount = push('ORG7/anything');
    expect(await deliver(ofAccount, signatureOf(ofAccount, secretOf('org7')))).toBe(202);
    const ofApp = { 'X-GitHub-Hook-Installation-Target-ID': 'app-org8' };
    expect(await deliver('{}', signatureOf('{}', secretOf('org8')), ofApp)).toBe(202);
    for (const body of ['{}', 'no JSON', '', push('elsewhere/anything')])
      expect(await deliver(body, signatureOf(body, secretOf('org39')))).toBe(202);
  });

  it('202: another org than the one that it points at, since what it says proves nothing', async () => {
    const { deliver } = await manyOrgs();
    const body = push('org7/anything');
    expect(await deliver(body, signatureOf(body, secretOf('org9')))).toBe(202);
    expect(await deliver(body, badSignature())).toBe(401);
  });

  it('202: an org whose secret came, or was changed, while the API runs; 401 with the one that was put aside', async () => {
    const { deliver, store } = await manyOrgs();
    const body = '{"zen": "…"}';
    expect(await deliver(body, signatureOf(body, secretOf('late')))).toBe(401);
    await connectOrg(store, 'late');
    expect(await deliver(body, signatureOf(body, secretOf('late')))).toBe(202);

    const entry = await store.get(SecretKind, { namespace: 'org-late', name: 'codehost-app' });
    const rotated = { 'webhook-secret': encoded('new'), 'webhook-secret-previous': encoded(secretOf('late')) };
    const kept = await store.replace(SecretKind, { ...entry, data: { ...entry.data, ...rotated } });
    expect(await deliver(body, signatureOf(body, 'new'))).toBe(202);
    expect(await deliver(body, signatureOf(body, secretOf('late')))).toBe(202);

    await store.replace(SecretKind, { ...kept, data: { 'webhook-secret': encoded('new') } });
    expect(await deliver(body, signatureOf(body, secretOf('late')))).toBe(401);
    await store.delete(SecretKind, { namespace: 'org-late', name: 'codehost-app' });
    expect(await deliver(body, signatureOf(body, 'new'))).toBe(401);
  });

  it('202: orgs that share a secret are one to the search', async () => {
    const { deliver, store } = await manyOrgs();
    await connectOrg(store, 'twin-a', { 'webhook-secret': 'shared' });
    await connectOrg(store, 'twin-b', { 'webhook-secret': 'shared' });
    expect(await deliver('{}', signatureOf('{}', 'shared'))).toBe(202);
  });

  it('401: an empty secret signs nothing', async () => {
    const { deliver, store } = await manyOrgs(1);
    await connectOrg(store, 'careless', { 'webhook-secret': '' });
    expect(await deliver('{}', signatureOf('{}', ''))).toBe(401);
  });

  it('a flood of wrong signatures is refused, and what is signed in the midst of it is taken', async () => {
    const { deliver } = await manyOrgs(200);
    const flood = Array.from({ length: 600 }, async (_, at) => await deliver(`{"at": ${at % 300}}`, badSignature()));
    const good = Array.from({ length: 50 }, async (_, at) => {
      const body = push(`org${at}/anything`);
      return await deliver(body, signatureOf(body, secretOf(`org${at}`)));
    });
    expect(new Set(await Promise.all(good))).toEqual(new Set([202]));
    expect(new Set(await Promise.all(flood))).toEqual(new Set([401]));
    // Once it is over there is room again, also for what points at nobody.
    expect(await deliver('{}', signatureOf('{}', secretOf('org150')))).toBe(202);
  });

  it('the same wrong claim again is not searched for again, until a secret changes', async () => {
    const { deliver, store } = await manyOrgs(300);
    const body = 'x'.repeat(200_000);
    const signature = signatureOf(body, secretOf('late'));
    const time = async (): Promise<number> => {
      const startedAt = performance.now();
      expect(await deliver(body, signature)).toBe(401);
      return performance.now() - startedAt;
    };
    await time();
    const other = `sha256=${'1'.repeat(64)}`;
    const startedAt = performance.now();
    await deliver(body, other);
    const searched = performance.now() - startedAt;
    expect(Math.min(await time(), await time(), await time())).toBeLessThan(searched / 2);
    await connectOrg(store, 'late');
    expect(await deliver(body, signature)).toBe(202);
  });
});
