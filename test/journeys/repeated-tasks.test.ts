import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { type ApiClient, createApiClient } from '../../src/clients/api-client.ts';
// This import declares the values that the global setup provides.
import type {} from '../support/global-setup/temporal.ts';
import {
  approvePending,
  approveRunStep,
  createAcmeOrg,
  getRun,
  startChange,
  toPublicZones,
} from '../support/platform/acme.ts';
import { CodehostReader } from '../support/platform/codehost-reader.ts';
import { Installation } from '../support/platform/installation.ts';
import type { Replica } from '../support/platform/replica.ts';
import { waitUntil } from '../support/platform/wait-until.ts';
import { type RepeatingProxy, startRepeatingProxy } from '../support/servers/repeating-proxy.ts';

const executable = inject('temporalExecutable');
const org = '/v1/orgs/acme';

/** Local activities of an org whose deletion fails, and of a zone that is added again while it is removed. */
const rare = new Set(['isZoneDesired', 'recordOrgDeletion']);

/** Finds the local activities of all workflows in the source code. */
async function listLocalActivities(): Promise<string[]> {
  const names = new Set<string>();
  for await (const file of glob('workflows/**/*.ts'))
    for (const [, list = ''] of (await readFile(file, 'utf8')).matchAll(/const \{([^}]+)\} =\s+proxyLocalActivities/g))
      for (const name of list.split(',')) if (name.trim() !== '') names.add(name.trim());
  return [...names].toSorted();
}

const listSubjects = async (codehost: CodehostReader, repo: string): Promise<string[]> =>
  (await codehost.commits(repo)).map(({ commit }) => commit.message.split('\n')[0] ?? '');

describe.skipIf(executable === undefined)('workflow tasks that the server rejects once', () => {
  let installation: Installation;
  let proxy: RepeatingProxy;
  let api: ApiClient;
  /** Sends the session of each request, because a token may not make backups. */
  let browser: ApiClient;
  let replicas: Replica[];
  beforeAll(async () => {
    installation = await Installation.start(executable ?? '');
    proxy = await startRepeatingProxy(installation.environment['TEMPORAL_ADDRESS'] ?? '');
    const BACKUPS_DIR = join(installation.folder, 'backups');
    replicas = [
      await installation.startApi({ BACKUPS_DIR }),
      await installation.startWorker({ BACKUPS_DIR, TEMPORAL_ADDRESS: proxy.address }),
    ];
    api = await installation.signInAsRoot();
    browser = createApiClient(`${installation.environment['PUBLIC_URL']}/api`, () => undefined);
    await createAcmeOrg(api);
  });
  afterAll(async () => {
    await proxy?.close();
    await installation?.close();
  });
  const waitUntilGone = async (path: string): Promise<void> => {
    const exists = api.get.bind(api, path);
    await waitUntil(
      async () =>
        await exists().then(
          () => true,
          () => false,
        ),
      (isThere) => !isThere,
    );
  };
  const waitUntilPhase = async <T>(path: string, phase: string): Promise<T> => {
    const read = async () => (await api.get<{ status: T & { phase: string } }>(path)).status;
    const status = await waitUntil(read, (current) => [phase, 'Failed'].includes(current.phase));
    expect(status).toMatchObject({ phase });
    return status;
  };
  const enable = async (agentWorkflow: string): Promise<void> => {
    const path = `${org}/agentworkflows/${agentWorkflow}`;
    const { spec, generation } = await api.get<{ spec: object; generation: number }>(path);
    await api.put(path, { spec: { ...spec, enabled: true }, generation });
  };

  it('bring a Change to production with one pull request, one tag and one commit per zone', async () => {
    await api.post(`${org}/products`, {
      name: 'hello',
      spec: { repos: ['acme/hello'], delivery: { zones: toPublicZones('hello') } },
    });
    await enable('go-to-market');
    const run = await startChange(api, 'hello', 'Greet visitors by name');
    const readPhases = async () => (await getRun(api, run)).status.steps.map(({ phase }) => phase);
    await waitUntil(readPhases, (phases) => phases.includes('Waiting'), 100_000);
    await approveRunStep(api, run);
    await waitUntil(
      async () => await approvePending(api, run),
      (phase) => phase === 'Succeeded',
      200_000,
    );
    const codehost = new CodehostReader(installation);
    expect(await codehost.pulls('acme/hello')).toHaveLength(1);
    expect((await codehost.tags('acme/hello')).map(({ name }) => name)).toEqual(['v0.1.0']);
    expect(await listSubjects(codehost, 'acme/gitops')).toEqual([
      expect.stringMatching(/^hello-prod: v0\.1\.0 /),
      expect.stringMatching(/^hello-rc: v0\.1\.0 /),
      expect.any(String),
    ]);
    const { items } = await waitUntil(
      async () => await api.get<{ items: { spec: { agentWorkflow: string } }[] }>(`${org}/agentworkflowruns`),
      (runs) => runs.items.length > 1,
    );
    expect(items.map(({ spec }) => spec.agentWorkflow).toSorted()).toEqual(['change', 'go-to-market']);
  });

  it('freeze, release and remove a zone', async () => {
    const zone = `${org}/products/hello/zones/hello-rc`;
    await api.post(`${zone}/freeze`, { reason: 'A launch' });
    expect(await api.get(zone)).toMatchObject({ status: { freeze: { reason: 'A launch' } } });
    await api.post(`${zone}/unfreeze`, {});
    expect(await api.get(zone)).not.toHaveProperty('status.freeze');
    await api.delete(`${zone}?confirm=hello-rc`);
    await waitUntilGone(zone);
  });

  it('create a Product from a template with one commit and one Release', async () => {
    const delivery = { zones: [{ name: 'fresh-rc', promotionPolicy: 'after-approval' }] };
    await api.post(`${org}/products`, { name: 'fresh', spec: { source: { template: 'static-site' }, delivery } });
    await waitUntil(
      async () => await api.get<{ status: { scaffold: { phase: string } } }>(`${org}/products/fresh`),
      ({ status }) => status.scaffold.phase === 'Succeeded',
    );
    expect(await listSubjects(new CodehostReader(installation), 'acme/fresh')).toEqual([
      'Create fresh from the template static-site',
      'Initial commit',
    ]);
    // The workflow that records the Release begins after the scaffold has succeeded.
    const { items } = await waitUntil(
      async () => await api.get<{ items: { spec: { repo: string } }[] }>(`${org}/releases?product=fresh`),
      (releases) => releases.items.length > 0,
    );
    expect(items).toMatchObject([{ spec: { repo: 'acme/fresh' } }]);
  });

  it('schedule an AgentWorkflow', async () => {
    await api.put(`${org}/scheduling`, { enabled: true, timeZone: 'UTC' });
    const triggers = [{ type: 'cron', schedule: '0 0 29 2 *' }];
    const steps = [{ name: 'tidy', type: 'agent', role: 'implementer', mode: 'report' }];
    await api.post(`${org}/agentworkflows`, { name: 'upkeep', spec: { enabled: true, triggers, steps } });
    await waitUntil(
      async () => await api.get<{ status?: { nextScheduledAt?: string } }>(`${org}/agentworkflows/upkeep`),
      ({ status }) => status?.nextScheduledAt !== undefined,
    );
  });

  it('back up the installation, and restore what was deleted since', async () => {
    const domain = `${org}/domains/lost.example`;
    await api.post(`${org}/domains`, { name: 'lost.example', kind: 'external' });
    const session = await installation.openRootSession();
    const { recoveryKey } = await browser.put<{ recoveryKey: string }>('/v1/backup/key', undefined, session);
    const { name: backup } = await browser.post<{ name: string }>('/v1/backup/backups', undefined, session);
    await waitUntilPhase(`/v1/backup/backups/${backup}`, 'Succeeded');
    await api.delete(domain);

    const body = { backup, recoveryKey };
    const { name } = await browser.post<{ name: string }>('/v1/backup/restores', body, session);
    const restore = `/v1/backup/restores/${name}`;
    const { plan } = await waitUntilPhase<{ plan: Record<string, unknown> }>(restore, 'Ready');
    expect(plan).toMatchObject({ orgs: ['acme'] });
    await browser.post(`${restore}/start`, { digest: plan['digest'] }, session);
    const { progress } = await waitUntilPhase<{ progress: unknown }>(restore, 'Succeeded');
    expect(progress).toEqual(plan['contents']);
    expect(await api.get(domain)).toMatchObject({ name: 'lost.example' });
    expect(await listSubjects(new CodehostReader(installation), 'acme/gitops')).toHaveLength(4);
    await api.delete(domain);
  });

  it('claim, check and delete a domain', async () => {
    const domain = `${org}/domains/shop.example`;
    await api.post(`${org}/domains`, { name: 'shop.example', kind: 'external' });
    await api.post(`${domain}/check`, {});
    await api.delete(domain);
    await expect(api.get(domain)).rejects.toMatchObject({ status: 404 });
  });

  it('delete a Product and an org, and repeat every local activity on the way', async () => {
    await api.post(`${org}/domains`, { name: 'shop.example', kind: 'external' });
    await api.delete(`${org}/products/hello`);
    await waitUntilGone(`${org}/products/hello`);
    await api.delete(`${org}?confirm=acme`);
    await waitUntilGone(org);
    const known = await listLocalActivities();
    // The workflow of the domain ends after the org.
    await expect.poll(() => known.filter((name) => !proxy.repeated.has(name) && !rare.has(name))).toEqual([]);
    for (const replica of replicas) expect(replica.loggedErrors()).toEqual([]);
  });
});
