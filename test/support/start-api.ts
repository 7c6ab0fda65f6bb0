import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import type { Dispatcher } from 'undici';
import { onTestFinished } from 'vitest';
import { createApp } from '../../api/app.ts';
import { userName } from '../../src/rules/access/user-name.ts';
import { sessionCookie } from '../../api/auth/authenticate.ts';
import { cookieName } from '../../api/http/cookies.ts';
import { issueToken, tokenHolder } from '../../api/auth/issue-token.ts';
import type { ApiDeps, App } from '../../api/deps.ts';
import { loadConfig } from '../../src/config.ts';
import type { CloudEndpoints } from '../../src/integrations/clouds/clouds.ts';
import { createClouds } from '../../src/integrations/clouds/create-clouds.ts';
import { kubernetesClusters } from '../../src/integrations/clusters/kubernetes-clusters.ts';
import { type Judge, judgedDispatcher } from '../../src/integrations/http/judged-dispatcher.ts';
import { directoryBlobs } from '../../src/integrations/blobs/directory.ts';
import { octokitCodehost } from '../../src/integrations/codehost/octokit.ts';
import { createDns } from '../../src/integrations/dns/create-dns.ts';
import { createIdentityProviders } from '../../src/integrations/identity/create-identity-providers.ts';
import { fetchWithTimeout } from '../../src/integrations/network/fetch-with-timeout.ts';
import { createModels } from '../../src/integrations/models/create-models.ts';
import { distributionRegistries } from '../../src/integrations/registries/distribution.ts';
import { createCloudIdentity } from '../../src/main/wiring/cloud-identity.ts';
import { createDecisionSigner } from '../../src/main/wiring/decision-keys.ts';
import { findCodehostCredentials } from '../../src/main/wiring/find-codehost-credentials.ts';
import { createMonitoring } from '../../src/main/wiring/telemetry/create-monitoring.ts';
import { listModelPrices, findModelProvider } from '../../src/main/wiring/model-settings.ts';
import { toIssuer } from '../../src/rules/cloud-accounts/identity-token.ts';
import type { DomainSettings } from '../../src/rules/domains/kinds.ts';
import { AccessGroupKind, UserKind, type User } from '../../src/rules/access/kinds.ts';
import { orgRoles, type Caller, type OrgRole } from '../../src/rules/access/roles.ts';
import { OrganizationKind } from '../../src/rules/orgs/kinds.ts';
import { orgNamespace, systemNamespace } from '../../src/rules/resource.ts';
import { openMemoryStore } from './open-test-store.ts';
import type { Store } from '../../src/store/store.ts';
import { assertDocumented } from './assert-documented.ts';
import { createTestDispatcher } from './servers/test-dispatcher.ts';
import { buildWorkloadClusters } from './workload-clusters.ts';

/** The role of the caller in the org that `startApi` creates; `no-role` is a user without one, `anonymous` sends no credentials. */
export type CallerRole = OrgRole | 'platform-admin' | 'no-role' | 'anonymous';
const publicUrl = 'http://localhost:8080';
const installed = loadConfig({});
const { trustedProxies, passwordSignIn, tokenLifetime, quotas, webhooks, metricsRetentionMs, imageRepository } =
  installed;
const limits = {
  trustedProxies,
  passwordSignIn,
  tokenLifetime,
  quotas,
  webhooks,
  metricsRetentionMs,
  imageRepository,
  licenseKeys: [],
  backupDestination: 's3://backups/delivery/',
  agentNetwork: 'public' as const,
};
const installation = { kind: 'openai-compatible' as const, baseUrl: 'http://127.0.0.1:1/v1', model: 'installed' };

type StartApiOptions = {
  role?: CallerRole;
  /** The org that the API has from the start. */
  org?: string;
  codehostApiUrl?: string;
  domains?: Partial<DomainSettings>;
  /** Settings that differ from the defaults. */
  config?: Partial<ApiDeps['config']>;
  /** Whether the installation has no model for orgs without a provider of their own. */
  isWithoutModel?: boolean;
  /** Connects to model providers and registries of orgs, and to identity providers. */
  judged?: Dispatcher;
  /** The servers of clouds; by default those of the internet. */
  cloudEndpoints?: CloudEndpoints;
  /** Decides which API servers of workload clusters may be reached; by default none. */
  judge?: Judge;
  /** Whether each response is compared with the OpenAPI document, which a measurement would measure too. */
  isDocumented?: boolean;
  onCleanup?: (close: () => Promise<void>) => void;
} & Partial<
  Pick<
    ApiDeps,
    | 'signInGuards'
    | 'dns'
    | 'streamHeartbeatMs'
    | 'streamStallMs'
    | 'statusPageClock'
    | 'store'
    | 'blobs'
    | 'temporal'
    | 'telemetry'
    | 'workloadClusters'
    | 'monitoring'
    | 'isImageDeleted'
    | 'missingLanguages'
    | 'now'
    | 'stopSignal'
    | 'log'
    | 'ui'
    | 'deliveries'
  >
>;
type ApiRequestOptions = {
  method?: string;
  body?: unknown;
  headers?: Record<string, string>;
  role?: CallerRole;
  /** The credential of the role: a token, or the session of a browser in which the person signed in with a password. */
  via?: Caller['via'];
  signal?: AbortSignal;
  /** The address of the connection; by default the call has none. */
  remoteAddress?: string;
};

export const buildDomainSettings = (overrides: Partial<DomainSettings> = {}): DomainSettings => ({
  platformDomain: 'apps.example.net',
  ownHosts: ['delivery.example.com'],
  managedBaseDomains: ['managed.test'],
  ingress: { host: undefined, addresses: ['192.0.2.1'] },
  certificateAuthorities: ['letsencrypt.org'],
  platformOrg: 'platform',
  ...overrides,
});

export type ApiHarness = {
  app: App;
  store: Store;
  blobs: ApiDeps['blobs'];
  backups: ApiDeps['backups'];
  /** Calls a path under `/api` with the given role, or else the role of `startApi`; a body is sent as JSON. */
  request: (path: string, init?: ApiRequestOptions) => Promise<Response>;
  tokenFor: (role: CallerRole, via?: Caller['via']) => Promise<string | undefined>;
};

/** Creates the API with its own store and an org. Unless given, its Temporal server is unreachable. */
export async function startApi({
  role: defaultRole = 'platform-admin',
  org = 'acme',
  codehostApiUrl = 'http://127.0.0.1:1',
  isDocumented = true,
  ...options
}: StartApiOptions = {}): Promise<ApiHarness> {
  const store = options.store ?? openMemoryStore();
  const directory = await mkdtemp(join(tmpdir(), 'api-'));
  const onCleanup = options.onCleanup ?? onTestFinished;
  onCleanup(async () => {
    if (!options.store) await store.close();
    await rm(directory, { recursive: true, force: true });
  });
  const blobs = options.blobs ?? directoryBlobs(join(directory, 'blobs'));
  const backups = directoryBlobs(join(directory, 'backups'));
  // No server answers there.
  const dns =
    options.dns ?? createDns({ resolvers: ['127.0.0.1:1'], timeoutMs: 100, allowedInside: [], now: () => new Date() });
  if (!options.dns) onCleanup(async () => await dns.close());
  const deps: ApiDeps = {
    store,
    blobs,
    backups,
    models: createModels({
      findProvider: findModelProvider(store),
      listPrices: listModelPrices(store),
      judged: options.judged ?? createTestDispatcher(),
      defaultProvider: options.isWithoutModel ? undefined : installation,
    }),
    registries: distributionRegistries({ judged: options.judged ?? createTestDispatcher() }),
    clouds: createClouds({
      endpoints: options.cloudEndpoints ?? installed.cloudEndpoints,
      judged: options.judged ?? createTestDispatcher(),
      now: options.now ?? (() => new Date()),
    }),
    cloudIdentity: createCloudIdentity(store, {
      issuer: toIssuer(options.config?.publicUrl ?? publicUrl),
      now: options.now ?? (() => new Date()),
    }),
    identityProviders: createIdentityProviders({
      fetch: fetchWithTimeout({
        timeoutMs: 10_000,
        bytesMax: 1024 * 1024,
        dispatcher: options.judged ?? createTestDispatcher(),
      }),
    }),
    dns,
    temporal: options.temporal ?? createUnreachableTemporal(),
    codehost: octokitCodehost({
      apiUrl: codehostApiUrl,
      findCredentials: findCodehostCredentials(store),
      throttle: false,
    }),
    signDecision: await createDecisionSigner(store, options.now ?? (() => new Date())),
    workloadClusters: options.workloadClusters ?? buildWorkloadClusters({}),
    clusters: kubernetesClusters({
      createDispatcher: (tls) =>
        judgedDispatcher(options.judge ?? (() => 'No cluster may be reached.'), undefined, { tls }),
      ingress: { ingressClass: undefined, hasGateway: false },
    }),
    monitoring: options.monitoring ?? createMonitoring({ prometheus: undefined, alertmanager: undefined }),
    telemetry: options.telemetry ?? { queryLogs: async () => [], querySeries: async () => [] },
    config: {
      publicUrl,
      codehostUrl: 'http://localhost:3000',
      codehostApiUrl,
      zoneAddress: (zone) => `http://${zone}.localhost:8081`,
      domains: buildDomainSettings(options.domains),
      workloadClusters: ['apart'],
      ...limits,
      ...options.config,
      version: 'test',
    },
    now: options.now ?? (() => new Date()),
    log: options.log ?? {
      debug: () => {},
      info: () => {},
      warn: () => {},
      error: (fields, message) => void process.stderr.write(`${message} ${JSON.stringify(fields)}\n`),
    },
    ...(options.streamHeartbeatMs !== undefined && { streamHeartbeatMs: options.streamHeartbeatMs }),
    ...(options.missingLanguages && { missingLanguages: options.missingLanguages }),
    ...(options.streamStallMs !== undefined && { streamStallMs: options.streamStallMs }),
    ...(options.statusPageClock && { statusPageClock: options.statusPageClock }),
    ...(options.isImageDeleted && { isImageDeleted: options.isImageDeleted }),
    ...(options.signInGuards && { signInGuards: options.signInGuards }),
    ...(options.stopSignal && { stopSignal: options.stopSignal }),
    ...(options.ui && { ui: options.ui }),
    ...(options.deliveries && { deliveries: options.deliveries }),
  };
  const app = isDocumented ? assertDocumented(createApp(deps)) : createApp(deps);
  await createOrg(store, org);
  const callers = new Map<CallerRole, Promise<User>>();
  const tokens = new Map<string, Promise<string>>();
  const tokenFor = async (role: CallerRole, via: Caller['via'] = 'token'): Promise<string | undefined> => {
    if (role === 'anonymous') return undefined;
    const caller = callers.get(role) ?? createCaller(store, role, org);
    callers.set(role, caller);
    const key = `${role} ${via}`;
    const token = tokens.get(key) ?? caller.then(async (user) => await createCredential(store, user, via));
    tokens.set(key, token);
    return await token;
  };
  return {
    app,
    store,
    blobs,
    backups,
    tokenFor,
    request: async (path, { body, headers = {}, role = defaultRole, via = 'token', remoteAddress, ...init } = {}) => {
      const token = await tokenFor(role, via);
      return app.request(
        path.startsWith('/api') ? path : `/api${path}`,
        {
          ...init,
          headers: {
            ...(token !== undefined &&
              (via === 'token'
                ? { Authorization: `Bearer ${token}` }
                : { Cookie: `${cookieName(sessionCookie, options.config?.publicUrl ?? publicUrl)}=${token}` })),
            ...(body !== undefined && { 'Content-Type': 'application/json' }),
            ...headers,
          },
          ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
        },
        remoteAddress === undefined ? undefined : { incoming: { socket: { remoteAddress } } },
      );
    },
  };
}

/** Without the interceptors that retry, a call fails at once. */
export const createUnreachableTemporal = (): Client =>
  new Client({ connection: Connection.lazy({ address: '127.0.0.1:1', interceptors: [] }) });

export async function createOrg(store: Store, name: string): Promise<void> {
  if (await store.find(OrganizationKind, { namespace: systemNamespace, name })) return;
  await store.create(OrganizationKind, {
    metadata: { namespace: systemNamespace, name },
    spec: { codehostAccount: name, gitopsRepo: `${name}/gitops` },
  });
}

async function createCaller(store: Store, role: Exclude<CallerRole, 'anonymous'>, org: string): Promise<User> {
  const email = `${role}@example.com`;
  const user = await store.create(UserKind, {
    metadata: { namespace: systemNamespace, name: userName(email) },
    spec: { email, platformAdmin: role === 'platform-admin' },
  });
  const orgRole = orgRoles.find((candidate) => candidate === role);
  if (orgRole) {
    const metadata = { namespace: orgNamespace(org), name: `${orgRole}s` };
    await store.create(AccessGroupKind, { metadata, spec: { name: `${orgRole}s`, role: orgRole, members: [email] } });
  }
  return user;
}

async function createCredential(store: Store, user: User, use: Caller['via']): Promise<string> {
  const signIn = use === 'session' ? { signInMethod: 'password' as const } : {};
  return (await issueToken(store, { use, ...tokenHolder(user), ...signIn, label: 'test' }, user)).token;
}
