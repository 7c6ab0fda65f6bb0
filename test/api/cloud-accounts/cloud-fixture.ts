import { expect, onTestFinished } from 'vitest';
import { startHttpServer } from '../../../src/main/process/start-http-server.ts';
import { issuerPath } from '../../../src/rules/cloud-accounts/identity-token.ts';
import { type CloudCheck, CloudAccountKind, type CloudAccountSpec } from '../../../src/rules/cloud-accounts/kinds.ts';
import { reservePort } from '../../support/servers/reserve-ports.ts';
import { startTestCloud } from '../../support/servers/test-cloud.ts';
import { createTestDispatcher } from '../../support/servers/test-dispatcher.ts';
import { createOrg, startApi } from '../../support/start-api.ts';

export const accountsPath = '/v1/orgs/acme/cloud-accounts';
export type AccountBody = { status?: { lastCheck?: CloudCheck } };

type Options = {
  apiNow?: () => Date;
  cloudNow?: () => Date;
  keysCacheMs?: number;
  api?: Parameters<typeof startApi>[0];
};

/** Serves the API over HTTP, and clouds that read its discovery document and its keys there. */
export async function startWithCloud({ apiNow, cloudNow, keysCacheMs, api: options }: Options = {}) {
  const port = await reservePort();
  const publicUrl = `http://127.0.0.1:${port}`;
  const issuer = `${publicUrl}${issuerPath}`;
  const cloud = await startTestCloud({
    issuer,
    ...(cloudNow && { now: cloudNow }),
    ...(keysCacheMs !== undefined && { keysCacheMs }),
  });
  const judged = createTestDispatcher('127.0.0.1');
  onTestFinished(async () => await judged.destroy());
  const lines: string[] = [];
  const keepLine = (fields: object, message: string): void => void lines.push(JSON.stringify([fields, message]));
  const api = await startApi({
    role: 'org-admin',
    judged,
    cloudEndpoints: cloud.endpoints,
    config: { publicUrl },
    log: { debug: keepLine, info: keepLine, warn: keepLine, error: keepLine },
    ...(apiNow && { now: apiNow }),
    ...options,
  });
  const server = await startHttpServer(api.app, { port, host: '127.0.0.1' });
  // The first request compiles the schemas, which takes longer than a cloud waits.
  await (await fetch(`${issuer}/jwks`)).text();
  let isServed = true;
  const stopServer = async (): Promise<void> => {
    if (isServed) await server.stop(0);
    isServed = false;
  };
  onTestFinished(stopServer);
  const addAccount = async (spec: CloudAccountSpec, org = 'acme'): Promise<void> => {
    await createOrg(api.store, org);
    await api.store.create(CloudAccountKind, { metadata: { namespace: `org-${org}`, name: 'cloud' }, spec });
  };
  /** Checks the account "cloud" of an org, and returns the result. */
  const check = async (org = 'acme'): Promise<CloudCheck | undefined> => {
    const role = org === 'acme' ? 'org-admin' : 'platform-admin';
    const response = await api.request(`/v1/orgs/${org}/cloud-accounts/cloud/check`, { method: 'POST', role });
    expect(response.status).toBe(200);
    return ((await response.json()) as AccountBody).status?.lastCheck;
  };
  return { ...api, cloud, issuer, publicUrl, lines, addAccount, check, stopServer };
}
