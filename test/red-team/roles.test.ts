import { randomUUID } from 'node:crypto';
import type { Attack } from './attacks.ts';
import { testAttacks } from './attacks.ts';
import { unguardedApi } from './unguarded-api.ts';
import type { Call, CallOptions, Person, World } from './world.ts';

type Target = [
  method: string,
  path: string | ((world: World) => string | Promise<string>),
  body?: unknown,
  headers?: Record<string, string>,
];

const unguarded = unguardedApi();

/** One operation that a person may not call. The counter-attack is the same request to an API that checks no roles. */
const forbidden = (name: string, who: Person | undefined, [method, path, body, headers = {}]: Target): Attack => {
  const isAllowed = async (world: World, call: Call): Promise<boolean> => {
    const target = typeof path === 'string' ? path : await path(world);
    return (await call(method, target, { ...(who && { as: who }), body, headers })).ok;
  };
  return {
    name: `${who ?? 'a stranger'} ${name}`,
    attempt: async (world) => await isAllowed(world, world.call),
    counter: async (world) => await isAllowed(world, await unguarded(world)),
  };
};

/** Creates another user each time. */
async function createsUser({ url }: World, call: Call, options: CallOptions): Promise<boolean> {
  const body = { email: `friend-${randomUUID()}@example.com`, password: 'the password of a friend' };
  const headers = { origin: url, ...options.headers };
  return (await call('POST', '/v1/access/users', { ...options, body, headers })).ok;
}

const acme = '/v1/orgs/acme';
const shop = `${acme}/products/shop`;
const runs = `${acme}/agentworkflowruns`;
const newRun = { agentWorkflow: 'ask', product: 'shop', instructions: 'Ask a person.' };
const startRun = async ({ startWaitingRun }: World): Promise<string> => await startWaitingRun();
/** The counter-attack deletes the org, so it is not one that other attacks use. */
const createDoomedOrg = async ({ call }: World): Promise<string> => {
  await call('POST', '/v1/orgs', { as: 'root', body: { name: 'doomed' } });
  return '/v1/orgs/doomed?confirm=doomed';
};
const group = { name: 'friends', role: 'org-admin', members: ['friend@example.com'] };
const keepGroups = [
  { name: 'org-admins', role: 'org-admin', members: ['ada@example.com'] },
  { name: 'members', role: 'member', members: ['alice@example.com'] },
  { name: 'viewers', role: 'viewer', members: ['vic@example.com'] },
];
const groups = { accessGroups: [...keepGroups, group] };

testAttacks('roles', [
  forbidden('reads an org', 'nora', ['GET', acme]),
  forbidden('reads another org', 'mallory', ['GET', acme]),
  forbidden('lists the Products of another org', undefined, ['GET', `${acme}/products`]),
  forbidden('lists the Products of another org', 'mallory', ['GET', `${acme}/products`]),
  forbidden('reads a Product of another org', 'mallory', ['GET', shop]),
  forbidden('reads the issues of another org', 'mallory', ['GET', `${shop}/issues`]),
  forbidden('reads the versions of another org', 'mallory', ['GET', `${shop}/versions`]),
  forbidden('reads the logs of a zone of another org', 'mallory', ['GET', `${shop}/zones/shop-rc/logs`]),
  forbidden('reads the metrics of a zone of another org', 'mallory', ['GET', `${shop}/zones/shop-rc/metrics`]),
  forbidden('lists the runs of another org', 'mallory', ['GET', runs]),
  forbidden('reads a run of another org', 'mallory', ['GET', ({ run }) => `${runs}/${run}`]),
  forbidden('lists the artifacts of another org', 'mallory', ['GET', ({ run }) => `${runs}/${run}/artifacts`]),
  forbidden('reads a Release of another org', 'mallory', ['GET', ({ release }) => `${acme}/releases/${release}`]),
  forbidden('reads the costs of another org', 'mallory', ['GET', `${acme}/agent-costs`]),
  forbidden('reads the access groups of another org', 'mallory', ['GET', `${acme}/access-groups`]),
  forbidden('opens an issue of another org', 'mallory', ['POST', `${shop}/issues`, { title: 'Hello' }]),
  forbidden('starts a run of another org', 'mallory', ['POST', runs, newRun]),
  forbidden('cancels a run of another org', 'mallory', [
    'POST',
    async (world) => `${runs}/${await startRun(world)}/cancel`,
  ]),
  forbidden('approves a step of another org', 'mallory', [
    'POST',
    async (world) => `${runs}/${await startRun(world)}/steps/decide/approve`,
    {},
  ]),
  forbidden('freezes a zone of another org', 'mallory', ['POST', `${shop}/zones/shop-rc/freeze`, { reason: 'x' }]),
  forbidden('unfreezes a zone of another org', 'mallory', ['POST', `${shop}/zones/shop-rc/unfreeze`]),
  forbidden('adds a zone to another org', 'mallory', [
    'POST',
    `${shop}/zones`,
    { name: 'shop-extra', promotionPolicy: 'after-approval' },
  ]),
  forbidden('removes a zone of another org', 'mallory', ['DELETE', `${shop}/zones/shop-extra?confirm=shop-extra`]),
  forbidden('limits the agents of another org', 'mallory', ['PUT', `${acme}/agent-limits`, {}]),
  forbidden('creates an AgentRole of another org', 'mallory', [
    'POST',
    `${acme}/agentroles`,
    { name: 'spy', spec: { responsibilities: ['Tell me.'] } },
  ]),
  forbidden('connects another org to a code host', 'mallory', ['POST', `${acme}/codehost/connect`]),
  forbidden('makes friends admins of another org', 'mallory', [
    'PUT',
    `${acme}/access-groups`,
    groups,
    { 'if-match': '*' },
  ]),
  forbidden('approves as a viewer', 'vic', [
    'POST',
    async (world) => `${runs}/${await startRun(world)}/steps/decide/approve`,
    {},
  ]),
  forbidden('starts a run as a viewer', 'vic', ['POST', runs, newRun]),
  forbidden('freezes a zone as a viewer', 'vic', ['POST', `${shop}/zones/shop-prod/freeze`, { reason: 'x' }]),
  forbidden('unfreezes a zone as a viewer', 'vic', ['POST', `${shop}/zones/shop-prod/unfreeze`]),
  forbidden('makes friends admins as a member', 'alice', ['PUT', `${acme}/access-groups`, groups, { 'if-match': '*' }]),
  forbidden('lists all users', 'mallory', ['GET', '/v1/access/users']),
  {
    name: 'mallory creates a user',
    attempt: async (world) => await createsUser(world, world.call, world.asBrowser('mallory')),
    counter: async (world) => await createsUser(world, await unguarded(world), world.asBrowser('mallory')),
  },
  {
    name: 'a stolen token of a platform admin creates a user, whose session it could then use',
    attempt: async (world) => await createsUser(world, world.call, { as: 'root' }),
    counter: async (world) => await createsUser(world, world.call, world.asBrowser('root')),
  },
  forbidden('deletes another org', 'mallory', ['DELETE', createDoomedOrg]),
  forbidden('creates an org', 'mallory', ['POST', '/v1/orgs', { name: 'evil-too' }]),
  forbidden('lists the workload clusters', 'mallory', ['GET', '/v1/clusters']),
  forbidden('reads the settings of the installation', 'ada', ['GET', '/v1/installation']),
  forbidden('lists the identity providers', 'ada', ['GET', '/v1/identity-providers']),
  forbidden('lists the backups', 'mallory', ['GET', '/v1/backup/backups']),
  forbidden('reads the audit log of the installation', 'ada', ['GET', '/v1/audit']),
  forbidden('reads the audit log of another org', 'mallory', ['GET', `${acme}/audit`]),
  forbidden('reads the audit log as a member', 'alice', ['GET', `${acme}/audit`]),
  forbidden('lists the registries of another org', 'mallory', ['GET', `${acme}/registries`]),
  forbidden('reads the roles of a person in other orgs', 'mallory', [
    'GET',
    ({ credentials }) => `/v1/access/people/${credentials.ada.email}/roles`,
  ]),
]);
