import { randomBytes, randomUUID } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { SecretKind } from '../../../src/kinds/kubernetes.ts';
import type { Store } from '../../../src/store/store.ts';
import { signBody } from '../../support/platform/deliver-webhook.ts';
import { createOrg, startApi } from '../../support/start-api.ts';

const encoded = (text: string): string => Buffer.from(text).toString('base64');
const buildSecret = (org: string): string => `the secret of ${org}`;

async function connectOrg(store: Store, org: string, entry: Record<string, string> = {}): Promise<void> {
  await createOrg(store, org);
  const texts = { 'webhook-secret': buildSecret(org), 'app-id': `app-${org}`, ...entry };
  const data = Object.fromEntries(Object.entries(texts).map(([key, value]) => [key, encoded(value)]));
  await store.create(SecretKind, { metadata: { namespace: `org-${org}`, name: 'codehost-app' }, data });
}

/** Creates many orgs. Deliveries are push events, which start no runs, so only the signature decides. */
async function withManyOrgs(count = 40, now = () => new Date()) {
  const api = await startApi({ role: 'anonymous', now });
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

describe('createWebhookSecretMatcher', () => {
  it('202: finds the org by account in any letter case, by app, or without any hint', async () => {
    const { deliver } = await withManyOrgs();
    const accountBody = push('ORG7/anything');
    expect(await deliver(accountBody, signBody(accountBody, buildSecret('org7')))).toBe(202);
    const appHeader = { 'X-GitHub-Hook-Installation-Target-ID': 'app-org8' };
    expect(await deliver('{}', signBody('{}', buildSecret('org8')), appHeader)).toBe(202);
    for (const body of ['{}', 'no JSON', '', push('elsewhere/anything')])
      expect(await deliver(body, signBody(body, buildSecret('org39')))).toBe(202);
  });

  it('202: finds the signing org although the hints name another org', async () => {
    const { deliver } = await withManyOrgs();
    const body = push('org7/anything');
    expect(await deliver(body, signBody(body, buildSecret('org9')))).toBe(202);
    expect(await deliver(body, badSignature())).toBe(401);
  });

  it('202: follows new and rotated secrets; 401: rejects a retired secret', async () => {
    const { deliver, store } = await withManyOrgs();
    const body = '{"zen": "…"}';
    expect(await deliver(body, signBody(body, buildSecret('late')))).toBe(401);
    await connectOrg(store, 'late');
    expect(await deliver(body, signBody(body, buildSecret('late')))).toBe(202);

    const entry = await store.get(SecretKind, { namespace: 'org-late', name: 'codehost-app' });
    const rotated = {
      'webhook-secret': encoded('new'),
      'webhook-secret-previous': encoded(buildSecret('late')),
      'webhook-secret-previous-expires': encoded(new Date(Date.now() + 60_000).toISOString()),
    };
    const rotatedEntry = await store.replace(SecretKind, { ...entry, data: { ...entry.data, ...rotated } });
    expect(await deliver(body, signBody(body, 'new'))).toBe(202);
    expect(await deliver(body, signBody(body, buildSecret('late')))).toBe(202);

    await store.replace(SecretKind, { ...rotatedEntry, data: { 'webhook-secret': encoded('new') } });
    expect(await deliver(body, signBody(body, buildSecret('late')))).toBe(401);
    await store.delete(SecretKind, { namespace: 'org-late', name: 'codehost-app' });
    expect(await deliver(body, signBody(body, 'new'))).toBe(401);
  });

  it('401: rejects the previous secret after its day, and one without a date', async () => {
    let now = new Date('2026-01-02T00:00:00Z');
    const { deliver, store } = await withManyOrgs(1, () => now);
    const expires = '2026-01-02T00:00:10Z';
    await connectOrg(store, 'rotated', {
      'webhook-secret-previous': 'old',
      'webhook-secret-previous-expires': expires,
    });
    await connectOrg(store, 'undated', { 'webhook-secret-previous': 'older' });
    const hints = [{}, { 'X-GitHub-Hook-Installation-Target-ID': 'app-rotated' }];
    for (const headers of hints) expect(await deliver('{}', signBody('{}', 'old'), headers)).toBe(202);
    now = new Date(expires);
    for (const headers of hints) {
      expect(await deliver('{}', signBody('{}', 'old'), headers)).toBe(401);
      expect(await deliver('{}', signBody('{}', buildSecret('rotated')), headers)).toBe(202);
    }
    expect(await deliver('{}', signBody('{}', 'older'))).toBe(401);
  });

  it('202: finds the org of a large body by its account', async () => {
    const { deliver } = await withManyOrgs();
    const body = JSON.stringify({ repository: { full_name: 'org7/anything' }, text: 'x'.repeat(1024 * 1024) });
    expect(await deliver(body, signBody(body, buildSecret('org7')))).toBe(202);
    expect(await deliver(body, badSignature())).toBe(401);
  });

  it('202: accepts a secret that two orgs share', async () => {
    const { deliver, store } = await withManyOrgs();
    await connectOrg(store, 'twin-a', { 'webhook-secret': 'shared' });
    await connectOrg(store, 'twin-b', { 'webhook-secret': 'shared' });
    expect(await deliver('{}', signBody('{}', 'shared'))).toBe(202);
  });

  it('401: rejects a signature with an empty secret', async () => {
    const { deliver, store } = await withManyOrgs(1);
    await connectOrg(store, 'unset', { 'webhook-secret': '' });
    expect(await deliver('{}', signBody('{}', ''))).toBe(401);
  });

  it('rejects a flood of wrong signatures and accepts valid deliveries meanwhile', async () => {
    const { deliver } = await withManyOrgs(200);
    const flood = Array.from({ length: 600 }, async (_, at) => await deliver(`{"at": ${at % 300}}`, badSignature()));
    const good = Array.from({ length: 50 }, async (_, at) => {
      const body = push(`org${at}/anything`);
      return await deliver(body, signBody(body, buildSecret(`org${at}`)));
    });
    expect(new Set(await Promise.all(good))).toEqual(new Set([202]));
    expect(new Set(await Promise.all(flood))).toEqual(new Set([401]));
    // After the flood the queue has space again, also for a delivery without hints.
    expect(await deliver('{}', signBody('{}', buildSecret('org150')))).toBe(202);
  });

  it('caches a rejected body until a secret changes', async () => {
    const { deliver, store } = await withManyOrgs(300);
    const body = 'x'.repeat(200_000);
    const signature = signBody(body, buildSecret('late'));
    // The processor time includes that of the search thread, and is the same on a busy machine.
    const measureCpu = async (signed: string): Promise<number> => {
      const before = process.cpuUsage();
      expect(await deliver(body, signed)).toBe(401);
      const { user, system } = process.cpuUsage(before);
      return user + system;
    };
    await measureCpu(signature);
    const searched = await measureCpu(`sha256=${'1'.repeat(64)}`);
    const cached = [await measureCpu(signature), await measureCpu(signature), await measureCpu(signature)];
    expect(Math.min(...cached)).toBeLessThan(searched / 2);
    await connectOrg(store, 'late');
    expect(await deliver(body, signature)).toBe(202);
  });
});
