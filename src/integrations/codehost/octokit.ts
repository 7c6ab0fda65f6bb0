import { App } from '@octokit/app';
import { ServiceError } from '../../errors.ts';
import { translating } from './octokit-errors.ts';
import type { Codehost, OrgCodehost } from './codehost.ts';
import { type Client, ServiceOctokit } from './octokit-client.ts';
import { deliveryOperations } from './octokit-deliveries.ts';
import { eventOperations } from './octokit-events.ts';
import { issueOperations } from './octokit-issues.ts';
import { askWhetherUnchanged } from './octokit-unchanged.ts';
import { pullOperations } from './octokit-pulls.ts';
import { releaseOperations } from './octokit-releases.ts';
import { repositoryOperations } from './octokit-repositories.ts';

/** What an org's application at the code host needs; `version` changes whenever any of it does. */
export type CodehostCredentials = { appId: string; privateKey: string; account: string; version: string };

export type OctokitOptions = {
  /** The root of the REST API. */
  apiUrl: string;
  credentialsOf(org: string): Promise<CodehostCredentials | undefined>;
  /** Off only where the code host sets no limits of its own: writes are otherwise kept a second apart, as it asks. */
  throttle: boolean;
};

/** Speaks to the code host as each org's own application; connections are kept until the org's credentials change. */
export function octokitCodehost(options: OctokitOptions): Codehost {
  const connections = new Map<string, { version: string; codehost: Promise<OrgCodehost> }>();
  const whetherUnchanged = askWhetherUnchanged();
  return {
    async forOrg(org) {
      const credentials = await options.credentialsOf(org);
      if (!credentials)
        throw new ServiceError(
          'conflict',
          `The org "${org}" is not connected to its code host. Connect it first: POST /v1/orgs/${org}/codehost/connect.`,
        );
      const known = connections.get(org);
      if (known?.version === credentials.version) return await known.codehost;
      const codehost = connect(options, credentials, whetherUnchanged);
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
  const app = new App({ appId: credentials.appId, privateKey: credentials.privateKey, Octokit: configured(options) });
  const { account } = credentials;
  const installation = await translating(
    `the application's installation on "${account}"`,
    app.octokit.request('GET /users/{username}/installation', { username: account }),
  );
  const client = (await app.getInstallationOctokit(installation.data.id)) as Client;
  prepare(client);
  const token = async (): Promise<string> => {
    const auth = (await client.auth({ type: 'installation' })) as { token: string };
    return auth.token;
  };
  const login = `${installation.data.app_slug}[bot]`;
  return {
    ...repositoryOperations(client, token),
    ...issueOperations(client, login),
    ...eventOperations(client, login),
    ...deliveryOperations(app.octokit as Client),
    ...pullOperations(client),
    ...releaseOperations(client),
  };
}

function configured({ apiUrl, throttle }: OctokitOptions) {
  const again = (_after: number, _request: object, _octokit: unknown, retryCount: number): boolean => retryCount < 2;
  return ServiceOctokit.defaults({
    baseUrl: apiUrl,
    userAgent: 'delivery-service',
    throttle: { enabled: throttle, onRateLimit: again, onSecondaryRateLimit: again },
  });
}
