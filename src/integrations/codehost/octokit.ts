import { App } from '@octokit/app';
import { LRUCache } from 'lru-cache';
import { ServiceError } from '../../errors.ts';
import { findHttpStatus, mapErrors } from './octokit-errors.ts';
import type { Codehost, OrgCodehost } from './codehost.ts';
import { branchOperations } from './octokit-branches.ts';
import { type Client, parseRepo, ServiceOctokit } from './octokit-client.ts';
import { comparisonOperations } from './octokit-comparisons.ts';
import { deliveryOperations } from './octokit-deliveries.ts';
import { diffOperations } from './octokit-diffs.ts';
import { eventOperations } from './octokit-events.ts';
import { issueOperations } from './octokit-issues.ts';
import { conditionalRequests } from './octokit-etag-cache.ts';
import { retryOptions, toThrottleOptions } from './octokit-rate-limits.ts';
import { pullOperations } from './octokit-pulls.ts';
import { pushOperations } from './octokit-pushes.ts';
import { releaseOperations } from './octokit-releases.ts';
import { repositoryOperations, type TokenSource } from './octokit-repositories.ts';
import { type RepoOperations, scopedOperations } from './scoped-operations.ts';
import { scopedAuth, scopes, translateTokenError, type Scope } from './scoped-auth.ts';

/** A client holds one token; most orgs have fewer repos than this. */
const scopedClientsMax = 500;

/** The credentials of an org's application at the code host. `version` changes with every other field. */
export type CodehostCredentials = { appId: string; privateKey: string; account: string; version: string };

export type OctokitOptions = {
  /** The root of the REST API. */
  apiUrl: string;
  findCredentials(org: string): Promise<CodehostCredentials | undefined>;
  /** Keeps writes one second apart, as the code host requires. Only an emulator without rate limits turns it off. */
  throttle: boolean;
};

/** Connects as each org's own application. A connection is reused until the credentials of the org change. */
export function octokitCodehost(options: OctokitOptions): Codehost {
  const connections = new Map<string, { version: string; codehost: Promise<OrgCodehost> }>();
  const addConditionalRequests = conditionalRequests();
  return {
    async forOrg(org) {
      const credentials = await options.findCredentials(org);
      if (!credentials)
        throw new ServiceError(
          'codehost-not-connected',
          `The org "${org}" is not connected to its code host. Connect it first (Settings, Code host).`,
        );
      const existing = connections.get(org);
      if (existing?.version === credentials.version) return await existing.codehost;
      const codehost = connect(options, credentials, addConditionalRequests);
      connections.set(org, { version: credentials.version, codehost });
      codehost.catch(() => connections.delete(org));
      return await codehost;
    },
  };
}

async function connect(
  options: OctokitOptions,
  credentials: CodehostCredentials,
  prepare: (client: Client) => void,
): Promise<OrgCodehost> {
  const Octokit = configureOctokit(options, credentials.appId);
  const app = new App({ appId: credentials.appId, privateKey: credentials.privateKey, Octokit });
  const { account } = credentials;
  const findInstallation = async () =>
    await mapErrors(
      `the application's installation on "${account}"`,
      app.octokit.request('GET /users/{username}/installation', { username: account }),
    );
  let installation = await findInstallation();
  const login = `${installation.data.app_slug}[bot]`;
  const clients = new LRUCache<string, RepoOperations>({ max: scopedClientsMax });
  const connectRepo = (repo: string, scope: Scope): RepoOperations => {
    const key = `${scope} ${repo.toLowerCase()}`;
    const existing = clients.get(key);
    if (existing) return existing;
    const createToken = async ({ id: installationId, refresh }: { id: number; refresh: boolean }) =>
      (await app.octokit.auth({
        type: 'installation',
        refresh,
        installationId,
        permissions: scopes[scope],
        // A repo that is about to be created has no name yet that a token could be limited to.
        ...(scope !== 'createRepository' && { repositoryNames: [parseRepo(repo).repo] }),
      })) as { token: string; createdAt: string };
    const requestToken = async ({ refresh = false } = {}) => {
      const { id } = installation.data;
      try {
        return await createToken({ id, refresh });
      } catch (error) {
        if (findHttpStatus(error) !== 404) throw error;
        // An application that was removed and installed again has another installation.
        if (installation.data.id === id) installation = await findInstallation();
        if (installation.data.id === id) throw error;
        return await createToken({ id: installation.data.id, refresh });
      }
    };
    const getToken: typeof requestToken = async (request) => await requestToken(request).catch(translateTokenError);
    const client: Client = new Octokit({ authStrategy: scopedAuth(getToken) });
    prepare(client);
    const operations = repoOperations(client, { login, getToken });
    clients.set(key, operations);
    return operations;
  };
  return { ...scopedOperations(connectRepo), ...deliveryOperations(app.octokit as Client) };
}

function repoOperations(client: Client, { login, getToken }: { login: string; getToken: TokenSource }): RepoOperations {
  return {
    ...repositoryOperations(client, getToken),
    ...branchOperations(client),
    ...comparisonOperations(client),
    ...diffOperations(client),
    ...issueOperations(client, login),
    ...eventOperations(client, login),
    ...pullOperations(client),
    ...pushOperations(client),
    ...releaseOperations(client),
  };
}

function configureOctokit({ apiUrl, throttle }: OctokitOptions, appId: string) {
  return ServiceOctokit.defaults({
    baseUrl: apiUrl,
    userAgent: 'delivery-service',
    retry: retryOptions,
    throttle: toThrottleOptions(appId, { enabled: throttle }),
  });
}
