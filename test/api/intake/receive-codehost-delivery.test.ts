import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { SecretKind } from '../../../src/rules/core-kinds.ts';
import type { Store } from '../../../src/store/store.ts';
import { addOrg, startApi } from '../../support/start-api.ts';

const keepSecret = async (store: Store, org: string, keys: Record<string, string>): Promise<void> => {
  const data = Object.fromEntries(
    Object.entries(keys).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
  );
  await store.create(SecretKind, { metadata: { namespace: `org-${org}`, name: 'codehost-app' }, data });
};
const signed = (body: string, secret: string): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`;
const opened = JSON.stringify({
  action: 'opened',
  issue: { number: 7, labels: [{ name: 'service' }] },
  repository: { full_name: 'acme/shop' },
  sender: { type: 'User' },
});

async function intake() {
  const api = await startApi({ role: 'nobody' });
  await addOrg(api.store, 'umbrella');
  await keepSecret(api.store, 'acme', { 'webhook-secret': 'new', 'webhook-secret-previous': 'old' });
  await keepSecret(api.store, 'umbrella', { 'webhook-secret': 'theirs' });
  const deliver = async (body: string, headers: Record<string, string>) =>
    api.request('/v1/webhooks/codehost', {
      method: 'POST',
      body,
      headers: { 'X-GitHub-Event': 'issues', 'X-GitHub-Delivery': 'guid-1', ...headers },
    });
  return { ...api, deliver };
}

describe('a delivery of the code host', () => {
  it('401: whose signature matches no org is refused, whatever it says', async () => {
    const { deliver } = await intake();
    const signatures = [
      '',
      'sha256=',
      'sha1=abc',
      `sha256=${'0'.repeat(64)}`,
      signed(opened, ''),
      signed(`${opened} `, 'new'),
    ];
    const answers = signatures.map(
      async (signature) => (await deliver(opened, { 'X-Hub-Signature-256': signature })).status,
    );
    expect(await Promise.all(answers)).toEqual(signatures.map(() => 401));
    expect((await deliver('not json', {})).status).toBe(401);
  });

  it.each(['new', 'old', 'theirs'])('202: is taken when it is signed with the secret "%s"', async (secret) => {
    const { deliver } = await intake();
    const body = '{"zen": "…"}';
    const response = await deliver(body, { 'X-GitHub-Event': 'ping', 'X-Hub-Signature-256': signed(body, secret) });
    expect(response.status).toBe(202);
    expect(await response.json()).toEqual({
      delivery: 'guid-1',
      started: 'ignored',
      reason: 'events of type "ping" start nothing',
    });
  });

  it.each([
    ['{"action": "opened"', 'the body is not an event of type "issues"'],
    ['{"action": "opened"}', 'the body is not an event of type "issues"'],
    [opened.replace('opened', 'closed'), '"closed" of "issues" starts nothing'],
  ])('202: that says %s is ignored, with the reason', async (body, reason) => {
    const { deliver } = await intake();
    const response = await deliver(body, { 'X-Hub-Signature-256': signed(body, 'new') });
    expect(response.status).toBe(202);
    expect(await response.json()).toMatchObject({ started: 'ignored', reason });
  });

  it('413: is not larger than 25 MiB', async () => {
    const { deliver } = await intake();
    const large = 'x'.repeat(25 * 1024 * 1024 + 1);
    expect((await deliver(large, { 'X-Hub-Signature-256': signed(large, 'new') })).status).toBe(413);
    const fits = JSON.stringify({ text: 'x'.repeat(2 * 1024 * 1024) });
    expect((await deliver(fits, { 'X-GitHub-Event': 'push', 'X-Hub-Signature-256': signed(fits, 'new') })).status).toBe(
      202,
    );
  });

  it('503: is not answered as taken while it cannot be kept', async () => {
    const { deliver } = await intake();
    expect((await deliver(opened, { 'X-Hub-Signature-256': signed(opened, 'new') })).status).toBe(503);
  });
});
