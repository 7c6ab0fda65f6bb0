import { createHmac, randomUUID } from 'node:crypto';
import { matchTriggers } from '../../src/rules/intake/match-triggers.ts';
import type { IssueEvent } from '../../src/rules/intake/events.ts';
import { readSecretText, SecretKind, toSecretData } from '../../src/kinds/kubernetes.ts';
import { startApi } from '../support/start-api.ts';
import { waitUntil } from '../support/platform/wait-until.ts';
import { deliverWebhook, signBody } from '../support/platform/deliver-webhook.ts';
import { type Attack, testAttacks } from './attacks.ts';
import { sendBytes, type World } from './world.ts';

const ping = JSON.stringify({ zen: 'Hello.' });
const secretRef = (org: string) => ({ namespace: `org-${org}`, name: 'codehost-app' });

const readSecret = async ({ withStore }: World, org: string, key = 'webhook-secret'): Promise<string> =>
  await withStore(async (store) => readSecretText(await store.get(SecretKind, secretRef(org)), key) ?? '');

const deliver = async ({ url }: World, headers: Record<string, string>, body = ping): Promise<number> => {
  const target = `${url}/api/v1/webhooks/codehost`;
  const named = { 'x-github-event': 'ping', 'x-github-delivery': randomUUID(), 'content-type': 'application/json' };
  return (await fetch(target, { method: 'POST', body, headers: { ...named, ...headers } })).status;
};

/** A delivery with a forged proof. The counter-attack has the right signature. */
const forgery = (name: string, headers: (world: World) => Promise<Record<string, string>>): Attack => ({
  name: `a stranger sends ${name}`,
  attempt: async (world) => (await deliver(world, await headers(world))) === 202,
  counter: async (world) =>
    (await deliver(world, { 'x-hub-signature-256': signBody(ping, await readSecret(world, 'acme')) })) === 202,
});

const header = 'x-hub-signature-256';
const digest = (algorithm: string, secret: string): string => createHmac(algorithm, secret).update(ping).digest('hex');

/** An event that would start a run of acme. It is routed when acme's workflow tells of it. */
const openedIssue = (repo: string, number: number): string =>
  JSON.stringify({
    action: 'opened',
    issue: { number, labels: [{ name: 'go' }], user: { login: 'ada', type: 'User' }, author_association: 'MEMBER' },
    repository: { full_name: repo },
    sender: { login: 'ada', type: 'User' },
  });

const issue: IssueEvent = {
  event: 'issues',
  action: 'opened',
  repo: 'acme/shop',
  number: 1,
  labels: [],
  at: '2026-01-01T00:00:00Z',
  senderIsBot: false,
  senderIsOwnApp: false,
  isPullRequest: false,
};
const eager = {
  enabled: true,
  triggers: [{ type: 'event' as const, event: 'issue.opened' as const }],
  steps: [{ name: 'decide', type: 'human' as const }],
};
/** An event that must start no run. The counter-attack is the same event without what gives it away. */
const unwanted = (name: string, event: Partial<IssueEvent>): Attack => ({
  name,
  attempt: async () => matchTriggers(eager, { ...issue, authorIsMember: true, ...event })?.starts === true,
  counter: async () => matchTriggers(eager, { ...issue, authorIsMember: true })?.starts === true,
});

testAttacks('webhooks', [
  forgery('no signature', async () => ({})),
  forgery('an empty signature', async () => ({ [header]: '' })),
  forgery('a signature of zeros', async () => ({ [header]: `sha256=${'0'.repeat(64)}` })),
  forgery('a signature with an empty secret', async () => ({ [header]: signBody(ping, '') })),
  forgery('a signature with the word undefined', async () => ({ [header]: signBody(ping, 'undefined') })),
  forgery('a signature of another body', async (world) => ({
    [header]: signBody(`${ping} `, await readSecret(world, 'acme')),
  })),
  forgery('a SHA-1 signature', async (world) => ({
    'x-hub-signature': `sha1=${digest('sha1', await readSecret(world, 'acme'))}`,
  })),
  forgery('a SHA-1 digest as SHA-256', async (world) => ({
    [header]: `sha256=${digest('sha1', await readSecret(world, 'acme'))}`,
  })),
  forgery('a prefix of the signature', async (world) => ({
    [header]: signBody(ping, await readSecret(world, 'acme')).slice(0, -2),
  })),
  forgery('two signatures, one of them right', async (world) => ({
    [header]: `${signBody(ping, await readSecret(world, 'acme'))}, sha256=${'0'.repeat(64)}`,
  })),
  forgery('the public id of the app as the secret', async (world) => ({
    [header]: signBody(ping, await readSecret(world, 'acme', 'app-id')),
  })),
  {
    name: 'mallory signs an event of a repo of acme with the secret of evil',
    attempt: async (world) => await startsRunOfAcme(world, 'evil'),
    counter: async (world) => await startsRunOfAcme(world, 'acme'),
  },
  {
    name: 'a thief uses the webhook secret from before a change, days later',
    attempt: async () => await acceptsPreviousSecret(3 * 24 * 3_600_000),
    counter: async () => await acceptsPreviousSecret(-3_600_000),
  },
  {
    name: 'a stranger sends a body that is too large',
    attempt: async ({ port }) => await isAwaited({ port, bodyBytes: 6 * 1024 ** 2, silenceMs: 60_000 }),
    counter: async ({ port }) => await isAwaited({ port, bodyBytes: 1024 ** 2, silenceMs: 3_000 }),
  },
  unwanted('an issue of a stranger starts a paid run', { authorIsMember: false }),
  unwanted('a bot starts a run by opening an issue', { senderIsBot: true, authorIsBot: true }),
  unwanted('our own app starts a run of itself', { senderIsOwnApp: true }),
]);

/** Delivers an issue of acme's repo, signed by the org, and returns whether acme's workflow told of it. */
async function startsRunOfAcme(world: World, org: 'acme' | 'evil'): Promise<boolean> {
  const name = `watch-${org}`;
  const triggers = [{ type: 'event', event: 'issue.opened', labels: ['go'] }];
  const spec = { enabled: true, triggers, steps: [{ name: 'decide', type: 'human' }] };
  await world.write('POST', '/v1/orgs/acme/agentworkflows', 'ada', { name, spec });
  const send = async (signer: string, number: number): Promise<string> => {
    const delivery = randomUUID();
    const body = openedIssue('acme/shop', number);
    await deliverWebhook(world.url, body, { secret: await readSecret(world, signer), delivery });
    return delivery;
  };
  const first = await send(org, org.length);
  // The first one had its chance when a later one of acme arrived.
  const last = org === 'acme' ? first : await send('acme', 100);
  const path = `/v1/orgs/acme/agentworkflows/${name}/deliveries`;
  const { items } = await waitUntil(
    async () => await world.read<{ items: { deliveryId: string }[] }>(path),
    (list) => list.items.some(({ deliveryId }) => deliveryId === last),
  );
  return items.some(({ deliveryId }) => deliveryId === first);
}

/** Time cannot pass on the platform, so this attack is on an API with a clock of its own. */
async function acceptsPreviousSecret(nowMs: number): Promise<boolean> {
  const { request, store } = await startApi({ role: 'anonymous', now: () => new Date(nowMs) });
  const data = toSecretData({
    'webhook-secret': 'new',
    'webhook-secret-previous': 'old',
    'webhook-secret-previous-expires': new Date(0).toISOString(),
  });
  await store.create(SecretKind, { metadata: secretRef('acme'), data });
  const headers = { [header]: signBody(ping, 'old'), 'x-github-event': 'ping', 'content-type': 'application/json' };
  return (await request('/v1/webhooks/codehost', { method: 'POST', body: ping, headers })).status === 202;
}

/** Begins a delivery of the length. Returns whether the API waits for the rest of it. */
type Begun = { port: number; bodyBytes: number; silenceMs: number };

async function isAwaited({ port, bodyBytes, silenceMs }: Begun): Promise<boolean> {
  const head = [
    'POST /api/v1/webhooks/codehost HTTP/1.1',
    `host: localhost:${port}`,
    `content-length: ${bodyBytes}`,
    `${header}: sha256=${'0'.repeat(64)}`,
  ];
  const bytes = [...head, '', '{'].join('\r\n');
  return (await sendBytes({ port, bytes, silenceMs, expected: 'HTTP/1.1' })) === '';
}
