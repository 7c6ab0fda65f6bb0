import type { OpenAPIHono } from '@hono/zod-openapi';
import type { Client } from '@temporalio/client';
import type { Context } from 'hono';
import type { Registry } from 'prom-client';
import type { Blobs } from '../src/integrations/blobs/blobs.ts';
import type { Codehost } from '../src/integrations/codehost/codehost.ts';
import type { Models } from '../src/integrations/models/models.ts';
import type { ZoneTelemetry } from '../src/integrations/telemetry/zone-telemetry.ts';
import type { Caller, OrgRole } from '../src/rules/access/roles.ts';
import type { DomainSettings } from '../src/rules/domains/kinds.ts';
import type { Store } from '../src/store/store.ts';
import type { KeptAnswers } from './show-list.ts';
import type { SignInThrottle } from './access/sign-in-throttle.ts';

export type ApiConfig = {
  /** Where people reach this install, without a path: `https://delivery.example.com`. */
  publicUrl: string;
  /** The code host's pages, for the form that makes an org's application there. */
  codehostUrl: string;
  codehostApiUrl: string;
  /** Where a zone's app answers, as a URL. */
  zoneAddress: (zone: string) => string;
  domains: DomainSettings;
  /** The workload clusters that zones may run in, as the deployment controller knows them. */
  workloadClusters?: readonly string[];
  version: string;
};

type LogLine = (facts: object, message: string) => void;
type Log = { info: LogLine; warn: LogLine; error: LogLine };

/** What the API needs of the world; nothing else reaches it. */
export type ApiDeps = {
  store: Store;
  temporal: Client;
  codehost: Codehost;
  blobs: Blobs;
  models: Models;
  telemetry: ZoneTelemetry;
  config: ApiConfig;
  now: () => Date;
  log: Log;
  /** Aborted when the process stops: whoever follows something is told to come back. */
  closing?: AbortSignal;
  /** Where requests are counted, and whether the API tells it itself. */
  metrics?: { registry: Registry; isServed: boolean };
};

/** Who calls, and what they may: read from the store at every request, so that what was revoked bites at once. */
export type Access = {
  identify: (c: Context<ApiEnv>) => Promise<Caller>;
  roleIn: (caller: Caller, org: string) => Promise<OrgRole | undefined>;
  checkSetupToken: (given: string | undefined) => Promise<void>;
};

export type ApiEnv = {
  Variables: {
    requestId: string;
    /** What every answer carries; one that was made with them says so. */
    usualHeaders: Record<string, string>;
    hasUsualHeaders?: true;
    access: Access;
    throttle: SignInThrottle;
    kept: KeptAnswers;
    /** Set by `needs` for every operation but those that anyone may call. */
    caller: Caller;
    /** The caller's role in the org of the path. */
    role: OrgRole | undefined;
    /** Throws once the caller may not do this any more: asked while an answer is still streaming. */
    admitAgain: () => Promise<void>;
  };
};

export type App = OpenAPIHono<ApiEnv>;
