import type { KeyObject } from 'node:crypto';
import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Tracer } from '@opentelemetry/api';
import type { Client } from '@temporalio/client';
import type { Context } from 'hono';
import type { Registry } from 'prom-client';
import type { Blobs } from '../src/integrations/blobs/blobs.ts';
import type { Clouds } from '../src/integrations/clouds/clouds.ts';
import type { Codehost } from '../src/integrations/codehost/codehost.ts';
import type { Dns } from '../src/integrations/dns/dns.ts';
import type { IdentityProviders } from '../src/integrations/identity/identity-providers.ts';
import type { Models } from '../src/integrations/models/models.ts';
import type { Registries } from '../src/integrations/registries/registries.ts';
import type { Monitoring } from '../src/integrations/telemetry/monitoring.ts';
import type { Clusters } from '../src/integrations/clusters/clusters.ts';
import type { WorkloadClusters } from '../src/integrations/telemetry/zone-cluster.ts';
import type { ZoneTelemetry } from '../src/integrations/telemetry/zone-telemetry.ts';
import type { DecisionProof, SignedDecision } from '../src/rules/access/decisions.ts';
import type { ApiToken, User } from '../src/rules/access/kinds.ts';
import type { ProviderGroup } from '../src/rules/access/provider-group.ts';
import type { Caller, OrgRole } from '../src/rules/access/roles.ts';
import type { TokenLifetime } from '../src/rules/access/token-lifetime.ts';
import type { CloudIdentity } from '../src/rules/cloud-accounts/identity-token.ts';
import type { DomainSettings } from '../src/rules/domains/kinds.ts';
import type { AgentNetwork } from '../src/rules/network/agent-network-violation.ts';
import type { Organization } from '../src/rules/orgs/kinds.ts';
import type { MissingLanguages } from '../src/rules/products/templates.ts';
import type { Quotas } from '../src/rules/quotas.ts';
import type { SharedWatches } from '../src/store/shared-watches.ts';
import type { Store } from '../src/store/store.ts';
import type { IssueIndex } from './find/issue-index.ts';
import type { ResponseCache } from './http/response-cache.ts';
import type { SignInGuards } from './auth/sign-in-guards.ts';
import type { VerifiedDelivery } from './intake/signer.ts';
import type { QuotaGuard } from './http/quota-guard.ts';
import type { RateLimiter } from './http/rate-limiter.ts';
import type { StreamCounter } from './http/stream-counter.ts';
import type { UiFiles } from './ui/ui-files.ts';

export type ApiConfig = {
  /** The public origin of the installation, without a path: `https://delivery.example.com`. */
  publicUrl: string;
  /** The web pages of the code host; the manifest form of an org's app is posted to them. */
  codehostUrl: string;
  codehostApiUrl: string;
  /** The token for conversions of manifests, at a code host that demands one. */
  codehostManifestToken?: string | undefined;
  /** Returns the URL that a zone's app is served at. */
  zoneAddress: (zone: string) => string;
  /** Returns the image repository that receives a Product's builds. */
  imageRepository: (org: string, product: string) => string;
  domains: DomainSettings;
  /** The workload clusters of the operator, by their names in the deployment controller; platform admins add others. */
  workloadClusters?: readonly string[];
  /** The proxies whose X-Forwarded-For names the address of a caller, as CIDRs. */
  trustedProxies: readonly string[];
  passwordSignIn: 'everyone' | 'platform-admins';
  tokenLifetime: TokenLifetime;
  /** The file of this process with the setup token. */
  setupTokenFile?: string | undefined;
  webhooks: { bodyBytesMax: number; unverifiedBytesMax: number };
  quotas: Quotas;
  /** The time for which Prometheus keeps metrics, which bounds the windows of SLOs. */
  metricsRetentionMs: number;
  agentNetwork: AgentNetwork;
  /** The vendor's keys that verify the license of the installation. */
  licenseKeys: readonly KeyObject[];
  /** The bucket or directory of backups, as people name it. */
  backupDestination: string;
  version: string;
};

type LogLine = (fields: object, message: string) => void;
type Log = { debug: LogLine; info: LogLine; warn: LogLine; error: LogLine };

/** All dependencies of the API; routes have no other way to reach another system. */
export type ApiDeps = {
  store: Store;
  temporal: Client;
  codehost: Codehost;
  blobs: Blobs;
  /** The destination of backups. */
  backups: Blobs;
  models: Models;
  registries: Registries;
  clouds: Clouds;
  cloudIdentity: CloudIdentity;
  identityProviders: IdentityProviders;
  dns: Dns;
  telemetry: ZoneTelemetry;
  workloadClusters: WorkloadClusters;
  /** Checks workload clusters that platform admins add. */
  clusters: Clusters;
  monitoring: Monitoring;
  /** Absent if a registry holds the images, which the service neither lists nor deletes. */
  isImageDeleted?: (digest: string) => Promise<boolean>;
  /** The languages that this machine cannot build; absent in a cluster, whose builder contains every language. */
  missingLanguages?: MissingLanguages;
  /** Signs a decision that the caller was authorized to make; workers refuse decisions without it. */
  signDecision: (decision: Omit<SignedDecision, 'at'>) => DecisionProof;
  config: ApiConfig;
  now: () => Date;
  log: Log;
  /** True when no other process serves the API of this store, so that an unfinished request is of a process that ended. */
  isOnlyProcess?: boolean;
  /** Aborted when the process begins to stop: it is not ready any more, and event streams end, so that their clients reconnect elsewhere. */
  stopSignal?: AbortSignal;
  /** Aborted after the last response: the watches that requests read from end. */
  shutdownSignal?: AbortSignal;
  /** The interval at which open event streams are authorized again; by default 15 s. */
  streamHeartbeatMs?: number;
  /** The time after which a client that does not read its event stream is disconnected; by default 30 s. */
  streamStallMs?: number;
  /** The clock by which status pages are read again, in milliseconds; by default that of the process. */
  statusPageClock?: () => number;
  /** The registry that counts requests. */
  metrics?: Registry;
  /** Records the spans of requests; absent if no collector is named. */
  tracer?: Tracer;
  /** Shared with the HTTP server, which verifies deliveries before they reach the app. */
  deliveries?: { verify: (c: Context<ApiEnv>) => Promise<VerifiedDelivery> };
  /** The build of the web UI; absent in a process that serves the API only. */
  ui?: UiFiles;
  /** Replaces guards of `createSignInGuards`. */
  signInGuards?: Partial<SignInGuards>;
};

/** Authenticates callers and resolves their roles. It reads the store at every request, so a revocation takes effect at once. */
export type Authenticator = {
  /** Records the use of the credential, which keeps a session from ending, unless `isUse` is false. */
  authenticate: (
    c: Context<ApiEnv>,
    options?: { isUse?: boolean },
  ) => Promise<{ caller: Caller; credential: ApiToken; token: string }>;
  /**
   * Throws when the installation no longer accepts how the owner of a credential signed in. Returns the groups of the user
   * at identity providers, which it asks again when its knowledge is old.
   */
  assertSignInAccepted: (user: User, spec: ApiToken['spec']) => Promise<ProviderGroup[]>;
  findRole: (caller: Caller, org: string) => Promise<OrgRole | undefined>;
  /** Returns undefined for an org that does not exist. */
  findOrganization: (org: string) => Promise<Organization | undefined>;
  assertSetupToken: (token: string | undefined) => Promise<void>;
};

export type ApiEnv = {
  Variables: {
    requestId: string;
    /** The headers of every response. */
    defaultHeaders: Record<string, string>;
    /** Set by a handler that created its response with the default headers. */
    hasDefaultHeaders?: boolean;
    authenticator: Authenticator;
    signInGuards: SignInGuards;
    streamCounter: StreamCounter;
    sharedWatches: SharedWatches;
    quotaGuard: QuotaGuard;
    rateLimiter: RateLimiter;
    responseCache: ResponseCache;
    issueIndex: IssueIndex;
    /** Set by `requireRole`, except for operations that need no credentials. */
    caller: Caller;
    /** A caller that is not a person, such as the code host. */
    otherCaller?: 'setup-token' | 'codehost' | 'alertmanager';
    /** The org that the request concerns, once it is known to exist. */
    knownOrg?: string;
    /** The token or session that authenticated the caller. */
    credential: ApiToken;
    /** The text of that token or session, which no store contains. */
    token: string;
    /** The caller's role in the org that the path names. */
    role: OrgRole | undefined;
    /** True when the handler runs, which records the change that it makes. */
    isRecorded?: boolean;
    /** True when responses must not be shared by callers with the same role. */
    isPersonal?: boolean;
    /** Throws when the caller has lost the required role; called while a response is streaming. */
    reauthorize: () => Promise<void>;
  };
};

export type App = OpenAPIHono<ApiEnv>;
