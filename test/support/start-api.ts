import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { Client, Connection } from '@temporalio/client';
import { onTestFinished } from 'vitest';
import { createApp } from '../../api/app.ts';
import { userName } from '../../api/access/passwords.ts';
import { tokenName } from '../../api/authenticate.ts';
import type { ApiDeps, App } from '../../api/deps.ts';
import { directoryBlobs } from '../../src/integrations/blobs/directory.ts';
import { octokitCodehost } from '../../src/integrations/codehost/octokit.ts';
import { createModels } from '../../src/integrations/models/create-models.ts';
import { codehostCredentials } from '../../src/main/codehost-credentials.ts';
import { modelPricesOf, modelProviderOf } from '../../src/main/model-settings.ts';
import type { DomainSettings } from '../../src/rules/domains/kinds.ts';
import { AccessGroupKind, ApiTokenKind, UserKind } from '../../src/rules/access/kinds.ts';
import { orgRoles, type OrgRole } from '../../src/rules/access/roles.ts';
import { makeToken } from '../../src/rules/access/token.ts';
import { OrganizationKind } from '../../src/rules/catalog/kinds.ts';
import { orgNamespace, systemNamespace } from '../../src/rules/resource.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import type { Store } from '../../src/store/store.ts';

/** Who calls: somebody with that role in the org "acme", with none anywhere, or nobody. */
export type Role = OrgRole | 'platform-admin' | 'no-role' | 'nobody';
const publicUrl = 'http://localhost:8080';
const installation = { kind: 'openai-compatible' as const, baseUrl: 'http://127.0.0.1:1/v1', model: 'installed' };

type Options = {
  role?: Role;
  codehostApiUrl?: string;
  domains?: Partial<DomainSettings>;
  whenDone?: (close: () => Promise<void>) => void;
} & Partial<Pick<ApiDeps, 'store' | 'temporal' | 'telemetry' | 'now' | 'closing' | 'log'>>;
type Init = { method?: string; body?: unknown; headers?: Record<string, string>; role?: Role; signal?: AbortSignal };

export const domainSettings = (given: Partial<DomainSettings> = {}): DomainSettings => ({
  platformDomain: 'apps.example.net',
  managedRoots: ['managed.test'],
  ingress: { host: undefined, addresses: ['192.0.2.1'] },
  certificateAuthorities: ['letsencrypt.org'],
  platformOrg: 'platform',
  ...given,
});

export type StartedApi = {
  app: App;
  store: Store;
  blobs: ApiDeps['blobs'];
  /** Calls a path under `/api` as the role given here or at the start; a body goes as JSON. */
  request: (path: string, init?: Init) => Promise<Response>;
  tokenOf: (role: Role) => Promise<string | undefined>;
};

/** The API over a store of its own, with the org "acme"; nothing listens where its Temporal server would be. */
export async function startApi({
  role: usual = 'platform-admin',
  codehostApiUrl = 'http://127.0.0.1:1',
  ...given
}: Options = {}): Promise<StartedApi> {
  const store = given.store ?? openSqliteStore({ file: ':memory:' });
  const directory = await mkdtemp(join(tmpdir(), 'api-'));
  const whenDone = given.whenDone ?? onTestFinished;
  whenDone(async () => {
    if (!given.store) await store.close();
    await rm(directory, { recursive: true, force: true });
  });
  const blobs = directoryBlobs(directory);
  const deps: ApiDeps = {
    store,
    blobs,
    models: createModels({ providerOf: modelProviderOf(store), pricesOf: modelPricesOf(store), installation }),
    temporal: given.temporal ?? new Client({ connection: Connection.lazy({ address: '127.0.0.1:1' }) }),
    codehost: octokitCodehost({ apiUrl: codehostApiUrl, credentialsOf: codehostCredentials(store), throttle: false }),
    telemetry: given.telemetry ?? { logs: async () => [], series: async () => [] },
    config: {
      publicUrl,
      codehostUrl: 'http://localhost:3000',
      codehostApiUrl,
      zoneAddress: (zone) => `http://${zone}.localhost:8081`,
      domains: domainSettings(given.domains),
      workloadClusters: ['apart'],
      version: 'test',
    },
    now: given.now ?? (() => new Date()),
    log: given.log ?? {
      info: () => {},
      warn: () => {},
      error: (facts, message) => void process.stderr.write(`${message} ${JSON.stringify(facts)}\n`),
    },
    ...(given.closing && { closing: given.closing }),
  };
  const app = createApp(deps);
  await addOrg(store, 'acme');
  const tokens = new Map<Role, Promise<string>>();
  const tokenOf = async (role: Role): Promise<string | undefined> => {
    if (role === 'nobody') return undefined;
    const token = tokens.get(role) ?? addCaller(store, role);
    tokens.set(role, token);
    return token;
  };
  return {
    app,
    store,
    blobs,
    tokenOf,
    request: async (path, { body, headers = {}, role = usual, ...init } = {}) => {
      const token = await tokenOf(role);
      return app.request(path.startsWith('/api') ? path : `/api${path}`, {
        ...init,
        headers: {
          ...(token !== undefined && { Authorization: `Bearer ${token}` }),
          ...(body !== undefined && { 'Content-Type': 'application/json' }),
          ...headers,
        },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      });
    },
  };
}

export async function addOrg(store: Store, name: string): Promise<void> {
  if (await store.find(OrganizationKind, { namespace: systemNamespace, name })) return;
  await store.create(OrganizationKind, {
    metadata: { namespace: systemNamespace, name },
    spec: { codehostAccount: name, gitopsRepo: `${name}/gitops` },
  });
}

async function addCaller(store: Store, role: Exclude<Role, 'nobody'>): Promise<string> {
  const email = `${role}@example.com`;
  const user = userName(email);
  await store.create(UserKind, {
    metadata: { namespace: systemNamespace, name: user },
    spec: { email, platformAdmin: role === 'platform-admin' },
  });
  const held = orgRoles.find((candidate) => candidate === role);
  if (held) {
    const metadata = { namespace: orgNamespace('acme'), name: `${held}s` };
    await store.create(AccessGroupKind, { metadata, spec: { name: `${held}s`, role: held, members: [email] } });
  }
  const token = makeToken(randomBytes(32));
  await store.create(ApiTokenKind, {
    metadata: { namespace: systemNamespace, name: tokenName(token) },
    spec: { use: 'token', user, label: 'test' },
  });
  return token;
}
