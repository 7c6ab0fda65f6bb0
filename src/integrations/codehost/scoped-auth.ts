import { setTimeout as sleep } from 'node:timers/promises';
import { RequestError } from '@octokit/request-error';
import { ServiceError } from '../../errors.ts';
import { findHttpStatus } from './octokit-errors.ts';

/** The permissions of one installation token; every token is for one repo, unless it creates repos. */
export const scopes = {
  read: { contents: 'read', issues: 'read', pull_requests: 'read', metadata: 'read' },
  clone: { contents: 'read', metadata: 'read' },
  push: { contents: 'write', metadata: 'read' },
  pushCi: { contents: 'write', workflows: 'write', metadata: 'read' },
  issues: { issues: 'write', pull_requests: 'write', metadata: 'read' },
  code: { contents: 'write', issues: 'read', pull_requests: 'write', metadata: 'read' },
  /** The approved commit may change CI files; `checks` and `statuses` say what a protected branch waits for. */
  merge: {
    contents: 'write',
    pull_requests: 'write',
    workflows: 'write',
    checks: 'read',
    statuses: 'read',
    metadata: 'read',
  },
  createRepository: { administration: 'write', metadata: 'read' },
} as const satisfies Record<string, Record<string, 'read' | 'write'>>;
export type Scope = keyof typeof scopes;

type InstallationToken = { token: string; createdAt: string };
type Request = {
  (endpoint: object): Promise<unknown>;
  endpoint: { merge(route: string, parameters: object): { headers: Record<string, string> } };
};

/** The code host needs a moment until all of its servers know a new token. */
const replicationMs = 5_000;

/** Authenticates the requests of an Octokit client with tokens that `getToken` limits to one scope. */
export function scopedAuth(getToken: (options?: { refresh?: boolean }) => Promise<InstallationToken>) {
  const hook = async (request: Request, route: string, parameters: object): Promise<unknown> => {
    const endpoint = request.endpoint.merge(route, parameters);
    let isRefreshed = false;
    let { token, createdAt } = await getToken();
    for (;;) {
      endpoint.headers['authorization'] = `token ${token}`;
      try {
        return await request(endpoint);
      } catch (error) {
        refuseLastingDenial(error);
        if (findHttpStatus(error) !== 401) throw error;
        if (Date.now() - Date.parse(createdAt) <= replicationMs) await sleep(1_000);
        else if (isRefreshed) throw error;
        else {
          // The code host revokes the tokens of an application that is removed, also if it is installed again.
          ({ token, createdAt } = await getToken({ refresh: true }));
          isRefreshed = true;
        }
      }
    }
  };
  return () => Object.assign(getToken, { hook });
}

/** The code host rejects a token for a repo that does not exist with 422, but a request for that repo with 404. */
export function translateTokenError(error: unknown): never {
  refuseLastingDenial(error);
  if (error instanceof RequestError && error.status === 422 && error.message.includes('permissions requested'))
    throw new ServiceError(
      'codehost-access-denied',
      "The org's application lacks a permission of its manifest. Accept its permissions on the code host, or connect the org again.",
    );
  if (!(error instanceof RequestError) || error.status !== 422 || !error.message.includes('repository')) throw error;
  throw new RequestError('Not Found', 404, { request: error.request, cause: error });
}

/** The denials that only a person ends; any other 403, such as that of a rate limit, may pass. */
const lastingDenials: readonly [pattern: RegExp, message: string][] = [
  [
    /\bsuspended\b/i,
    "The code host has suspended the org's application. Unsuspend its installation on the code host, then retry.",
  ],
  [/\bwas archived\b/i, 'The repo is archived and read-only. Unarchive it on the code host, then retry.'],
  [/\bissue is locked\b/i, 'The conversation is locked. Unlock it on the code host, then retry.'],
  [
    /\bIP allow list\b/i,
    "The code host's account allows only some IP addresses. Add the address of the service to its IP allow list, then retry.",
  ],
];

function refuseLastingDenial(error: unknown): void {
  if (!(error instanceof RequestError) || error.status !== 403) return;
  const message = lastingDenials.find(([pattern]) => pattern.test(error.message))?.[1];
  if (message !== undefined) throw new ServiceError('codehost-access-denied', message);
}
