import { MockActivityEnvironment } from '@temporalio/testing';
import type { Client } from '@temporalio/client';
import { expect, inject, onTestFinished } from 'vitest';
import type { Activities } from '../../../activities/index.ts';
import { createEnvironmentActivities } from '../../../activities/environments/environment-activities.ts';
import { createRegistryAccessActivities } from '../../../activities/environments/registry-access-activities.ts';
import { createRepositoryAccessActivities } from '../../../activities/environments/repository-access-activities.ts';
import { createReleaseActivities } from '../../../activities/releases/release-activities.ts';
import { loadConfig } from '../../../src/config.ts';
import { octokitCodehost } from '../../../src/integrations/codehost/octokit.ts';
import { distributionRegistries } from '../../../src/integrations/registries/distribution.ts';
import { ApplicationKind } from '../../../src/kinds/argo-cd.ts';
import { readSecretText, SecretKind, toSecretData } from '../../../src/kinds/kubernetes.ts';
import { BuildRunKind } from '../../../src/kinds/shipwright.ts';
import { zoneValuesPath } from '../../../src/rules/environments/zone-values.ts';
import { OrganizationKind } from '../../../src/rules/orgs/kinds.ts';
import { ProductKind } from '../../../src/rules/products/kinds.ts';
import { ReleaseKind } from '../../../src/rules/releases/kinds.ts';
import { orgNamespace, systemNamespace } from '../../../src/rules/resource.ts';
import type { Store } from '../../../src/store/store.ts';
import { promoteReleaseStart } from '../../../workflows/releases/messages.ts';
import { createFolder, startShopFixture } from '../../emulators/codehost/codehost-fixture.ts';
import { runGit } from '../run-git.ts';
import { startRegistry } from '../servers/registry.ts';
import { createTestDispatcher } from '../servers/test-dispatcher.ts';
import { buildDomainSettings, startApi } from '../start-api.ts';
import { trustingJudge } from '../trusting-judge.ts';
import { startWorkflowHarness, type WorkflowHarness } from '../workflows/workflow-harness.ts';
import { buildWorkloadClusters } from '../workload-clusters.ts';
import { type DockerConfig, pullImage, pushImage } from './image-client.ts';

const repo = 'acme/hidden';
const [oldPassword, newPassword] = ['correct-horse', 'battery-staple'] as const;

export type RegistryWorld = {
  /** The stores of the API and of a worker, each with the permissions of its account. */
  stores: { api: Store; worker: Store };
  /** The store with the permissions of builders, nodes and operators. */
  admin: Store;
  org: string;
  product: string;
  zone: string;
};
type World = Awaited<ReturnType<typeof startWorld>>;

/**
 * Tells the story of a private repo and a private registry: the registry is connected, a Release is built, pushed and
 * pulled, the password changes, the registry is deleted. The workflows, the registry and the code host are real.
 */
export async function tellRegistryStory(started: RegistryWorld): Promise<void> {
  const world = await startWorld(started);
  await connectRegistry(world);
  const image = await buildAndPush(world);
  await deployAndPull(world, image);
  await changePassword(world, image);
  await deleteRegistry(world);
  await assertNothingLeaks(world);
}

async function startWorld({ stores, admin, org, product, zone }: RegistryWorld) {
  const namespace = orgNamespace(org);
  const metadata = { namespace: systemNamespace, name: org };
  await admin.create(OrganizationKind, { metadata, spec: { codehostAccount: 'acme', gitopsRepo: 'acme/gitops' } });
  const { codehost: server, octokit, app } = await startShopFixture();
  await octokit.request('POST /orgs/{org}/repos', { org: 'acme', name: 'hidden', private: true, auto_init: true });
  const credentials = { appId: String(app.id), privateKey: app.pem, account: 'acme', version: '1' };
  const codehost = octokitCodehost({
    apiUrl: server.apiUrl,
    findCredentials: async () => credentials,
    throttle: false,
  });
  const registryServer = await startRegistry();
  const judged = createTestDispatcher('127.0.0.1');
  onTestFinished(async () => await judged.destroy());
  const { imageRepository, buildStrategy, network, quotas } = loadConfig({});
  const now = () => new Date();
  const deps = {
    store: stores.worker,
    codehost,
    imageRepository,
    buildStrategy,
    registry: {
      push: '{"auths":{"registry.local":{"auth":"aW5zdGFsbGF0aW9uLXB1c2g="}}}',
      pull: '{"auths":{"registry.local":{"auth":"aW5zdGFsbGF0aW9uLXB1bGw="}}}',
    },
    registries: distributionRegistries({ judged }),
    network,
    quotas,
    argoCdNamespace: 'argocd',
    now,
  };
  const environment = createEnvironmentActivities({
    ...deps,
    zoneAddress: (name) => `http://${name}.localhost:1`,
    domains: buildDomainSettings(),
    zoneService: (name) => `http://${name}.localhost:1`,
    allowedInside: [],
    zoneChart: { 'Chart.yaml': 'apiVersion: v2\nname: zone\nversion: 0.1.0\n' },
    workloadClusters: buildWorkloadClusters({}),
    healthRecheckDelayMs: 1,
    decisions: trustingJudge,
  });
  const releases = createReleaseActivities(deps);
  const activities: Partial<Activities> = {
    ...releases,
    // The zone is promoted to by hand, because no controller deploys it here.
    openRelease: async (input) => ({ ...(await releases.openRelease(input)), zones: [] }),
    ...createRegistryAccessActivities(deps),
    ...createRepositoryAccessActivities(deps),
  };
  const harness = await startWorkflowHarness({ address: inject('temporalAddress') ?? '', activities });
  onTestFinished(async () => await harness.close());
  const texts: string[] = [];
  const write = (...line: unknown[]): void => void texts.push(JSON.stringify(line));
  const api = await startApi({
    role: 'org-admin',
    org,
    store: stores.api,
    judged,
    temporal: onHarness(harness),
    log: { debug: write, info: write, warn: write, error: write },
  });
  const call = async (method: string, path: string, body?: object): Promise<{ status: number; text: string }> => {
    const response = await api.request(`/v1/orgs/${org}${path}`, { method, ...(body && { body }) });
    const text = await response.text();
    texts.push(text);
    return { status: response.status, text };
  };
  const readConfig = async (secret: string, where = namespace): Promise<DockerConfig> =>
    readSecretText(await admin.find(SecretKind, { namespace: where, name: secret }), '.dockerconfigjson') ?? '{}';
  return {
    stores,
    admin,
    org,
    namespace,
    product,
    zone,
    environment,
    harness,
    registryServer,
    texts,
    call,
    readConfig,
    host: await codehost.forOrg(org),
    repository: `${registryServer.host}/acme/${product}`,
    readRelease: async () => await admin.get(ReleaseKind, { namespace, name: `${product}-v0.1.0` }),
  };
}

/** The API starts workflows on the task queue of all workers; those of a test have one of their own. */
function onHarness({ client, taskQueue, track }: WorkflowHarness): Client {
  const signalWithStart = async (type: string, options: { workflowId: string }) => {
    const workflowId = `${options.workflowId}/${taskQueue}`;
    const handle = await client.workflow.signalWithStart(type, { ...options, workflowId, taskQueue } as never);
    track({ workflowId, firstExecutionRunId: handle.signaledRunId });
    return handle;
  };
  return {
    workflow: { signalWithStart },
    withDeadline: async (_: unknown, run: () => unknown) => await run(),
  } as never;
}

async function connectRegistry({ call, registryServer, admin, namespace, product, zone }: World): Promise<void> {
  const body = { name: 'images', host: registryServer.host, repositoryPrefix: 'acme', username: 'ada' };
  const refused = await call('POST', '/registries', { ...body, password: newPassword });
  expect(refused.status, refused.text).toBe(422);
  expect((await call('POST', '/registries', { ...body, password: oldPassword })).status).toBe(201);
  await admin.create(ProductKind, {
    metadata: { namespace, name: product },
    spec: {
      repos: [repo],
      delivery: { registry: 'images', zones: [{ name: zone, promotionPolicy: 'automatic' }] },
    },
  });
}

async function findBuild({ admin, namespace, product }: World, count: number) {
  const list = async () => {
    const { items } = await admin.list(BuildRunKind, { namespace });
    return items.filter(({ metadata }) => metadata.name.startsWith(`${product}-`));
  };
  await expect.poll(list).toHaveLength(count);
  const build = (await list()).find(({ status }) => !status?.conditions);
  if (!build) throw new Error('No build is in progress.');
  return build;
}

const toCondition = (status: 'True' | 'False', reason: string, message: string) => ({
  type: 'Succeeded',
  status,
  reason,
  message,
  lastTransitionTime: new Date().toISOString(),
});

/** Builds as a builder does: with the Secrets that the BuildRun names, and nothing else. */
async function buildAndPush(world: World): Promise<{ repository: string; digest: string }> {
  const { admin, harness, org, namespace, product, host, readConfig, readRelease, repository } = world;
  const commit = (await host.findBranchHead(repo, 'main')) ?? '';
  const { type, options } = promoteReleaseStart({ org, product, repo, commit, startedBy: 'ada' });
  const workflowId = `${options.workflowId}/${harness.taskQueue}`;
  const running = await harness.start({ type, options: { ...options, workflowId } });
  const build = await findBuild(world, 1);
  const { source, output } = build.spec.build.spec;
  expect(output).toEqual({ image: `${repository}:v0.1.0`, pushSecret: 'registry-push-org' });

  await expect(clone(source.git.url)).rejects.toThrow('could not read Username');
  expect(await clone(source.git.url, await readClone(world))).toBe(commit);

  const config = await readConfig('registry-push-org');
  const { auths } = JSON.parse(config) as { auths: Record<string, { auth: string }> };
  expect(auths['registry.local']?.auth).toBe('aW5zdGFsbGF0aW9uLXB1bGw=');
  expect(await admin.find(SecretKind, { namespace, name: 'registry-push' })).toBeUndefined();
  const image = { repository, tag: 'v0.1.0', text: 'first' };
  expect(await pushImage('{}', image)).toBe(401);
  const digest = await pushImage(config, image);
  expect(digest).toMatch(/^sha256:/);
  await admin.updateStatus(BuildRunKind, build.metadata, () => ({
    conditions: [toCondition('True', 'Succeeded', 'It is built.')],
    output: { digest: String(digest) },
  }));
  await running.result();
  expect((await readRelease()).status).toMatchObject({ phase: 'Succeeded', digest, imageRepository: repository });
  return { repository, digest: String(digest) };
}

const readClone = async ({ admin, namespace }: World): Promise<{ username: string; password: string }> => {
  const { items } = await admin.list(SecretKind, { namespace });
  const secret = items.find(({ metadata }) => Object.values(metadata.annotations ?? {}).includes(repo));
  return {
    username: readSecretText(secret, 'username') ?? '',
    password: readSecretText(secret, 'password') ?? '',
  };
};

/** Clones a repo into a new folder, and returns the commit. */
async function clone(url: string, account?: { username: string; password: string }): Promise<string> {
  const folder = await createFolder();
  const target = new URL(url);
  if (account) Object.assign(target, account);
  await runGit(folder, 'clone', '--quiet', target.href, 'clone');
  return await runGit(`${folder}/clone`, 'rev-parse', 'HEAD');
}

async function promote(
  { environment, org, product, zone, readRelease }: World,
  image: { digest: string },
): Promise<void> {
  const { spec, metadata } = await readRelease();
  const { version, commit } = spec;
  const promotion = { org, product, zone, release: metadata.name, version, commit, digest: image.digest };
  // The second one is that of an activity whose worker died before it reported.
  for (let round = 0; round < 2; round += 1)
    expect(await new MockActivityEnvironment().run(environment.writePromotion, promotion)).toMatchObject({
      outcome: 'promoted',
    });
}

async function deployAndPull(world: World, image: { repository: string; digest: string }): Promise<void> {
  const { admin, namespace, product, zone, readConfig } = world;
  await promote(world, image);
  const config = await readConfig('registry-pull', zone);
  const { host } = world.registryServer;
  expect(Object.keys((JSON.parse(config) as { auths: object }).auths)).toEqual([
    'registry.local',
    host,
    `${host}/acme`,
  ]);
  expect(await pullImage('{}', image)).toBe(401);
  expect(await pullImage(config, image)).toBe(200);
  const { status } = await admin.get(ProductKind, { namespace, name: product });
  expect(status?.zones).toMatchObject([{ name: zone, imageRepository: image.repository }]);
}

async function changePassword(world: World, image: { repository: string; digest: string }): Promise<void> {
  const { admin, org, namespace, zone, registryServer, call, harness, readConfig, readRelease, host, product } = world;
  const old = { push: await readConfig('registry-push-org'), pull: await readConfig('registry-pull', zone) };
  // A build that began before the change finds the new Secrets too.
  const base = (await host.findBranchHead(repo, 'main')) ?? '';
  const changes = [{ path: 'more.txt', content: 'more\n' }];
  const commit = (await host.commitFiles(repo, { branch: 'main', base, message: 'feat: more', changes })) ?? '';
  const { type, options } = promoteReleaseStart({ org, product, repo, commit, startedBy: 'ada' });
  const start = async (attempt: string) =>
    await harness.start({
      type,
      options: { ...options, workflowId: `${options.workflowId}/${attempt}/${harness.taskQueue}` },
    });
  const during = await start('during');
  const build = await findBuild(world, 2);
  const before = await readClone(world);
  await registryServer.setPassword(newPassword);
  await expect.poll(() => pullImage(old.pull, image)).toBe(401);
  expect(await pushImage(old.push, { ...image, tag: 'v0.2.0', text: 'second' })).toBe(401);

  // The build fails, and the Release says that the registry refuses the credentials.
  await admin.updateStatus(BuildRunKind, build.metadata, () => ({
    conditions: [toCondition('False', 'Failed', 'UNAUTHORIZED')],
  }));
  await during.result();
  const failed = await admin.get(ReleaseKind, { namespace, name: `${product}-v0.2.0` });
  expect(failed.status).toMatchObject({
    phase: 'Failed',
    failure: {
      message: expect.stringMatching(/cannot push to the registry "images".*rejected the account "ada"/),
      fix: expect.stringContaining('Settings, Registries'),
    },
  });

  const again = await start('again');
  await again.result();
  expect((await admin.list(BuildRunKind, { namespace })).items.filter(belongsTo(product))).toHaveLength(2);

  // While a build is in progress, its clone Secret is renewed too.
  await admin.updateStatus(BuildRunKind, build.metadata, () => ({}));
  const settings = { host: registryServer.host, repositoryPrefix: 'acme', username: 'ada' };
  expect((await call('PUT', '/registries/images', settings)).status).toBe(422);
  expect((await call('PUT', '/registries/images', { ...settings, password: newPassword })).status).toBe(200);
  await expect.poll(async () => await pullImage(await readConfig('registry-pull', zone), image)).toBe(200);
  await expect.poll(async () => (await readClone(world)).password).not.toBe(before.password);
  expect(await clone(build.spec.build.spec.source.git.url, await readClone(world))).toBe(commit);
  const push = await readConfig('registry-push-org');
  expect(await pushImage(push, { ...image, tag: 'v0.2.0', text: 'second' })).toMatch(/^sha256:/);
  expect(await pullImage(old.pull, image)).toBe(401);
  expect((await readRelease()).status?.phase).toBe('Succeeded');
}

const belongsTo =
  (product: string) =>
  ({ metadata }: { metadata: { name: string } }): boolean =>
    metadata.name.startsWith(`${product}-`);

async function deleteRegistry(world: World): Promise<void> {
  const { admin, stores, namespace, zone, registryServer, call, readConfig, product } = world;
  const refused = await call('DELETE', '/registries/images');
  expect(refused.status).toBe(409);
  expect(refused.text).toContain(`(${product})`);
  const operators = { namespace, name: 'operators-own' };
  await admin.create(SecretKind, { metadata: operators, data: toSecretData({ key: 'value' }) });

  // The Product goes back to the registry of the installation, and a Release from there runs.
  const ref = { namespace, name: product };
  const found = await stores.api.get(ProductKind, ref);
  const { registry: _, ...delivery } = found.spec.delivery;
  await stores.api.replace(ProductKind, { ...found, spec: { ...found.spec, delivery } });
  await stores.worker.updateStatus(ProductKind, ref, (current) => ({
    ...current.status,
    zones: [{ name: zone, imageRepository: `registry.local/acme/${product}` }],
  }));
  expect((await call('DELETE', '/registries/images')).status).toBe(204);
  for (const [secret, where] of [
    ['registry-pull', zone],
    ['registry-push-org', namespace],
  ] as const)
    await expect.poll(async () => await readConfig(secret, where)).not.toContain(registryServer.host);
  expect(await admin.find(SecretKind, operators)).toBeDefined();
}

/** Collects the strings and the payloads of a history. */
function collectText(value: unknown): string {
  if (typeof value === 'string') return `${value}\n`;
  if (value instanceof Uint8Array) return `${Buffer.from(value).toString()}\n`;
  if (value === null || typeof value !== 'object') return '';
  return Object.values(value).map(collectText).join('');
}

async function assertNothingLeaks(world: World): Promise<void> {
  const { admin, call, harness, host, namespace, product, zone, texts } = world;
  for (const path of [
    '/registries',
    `/products/${product}`,
    `/products/${product}/zones/${zone}`,
    `/releases?product=${product}`,
    `/releases/${product}-v0.1.0`,
    `/releases/${product}-v0.2.0`,
    '/audit',
    '/activity',
  ])
    await call('GET', path);
  const histories = await harness.fetchHistories();
  expect(histories.map(({ type }) => type)).toEqual(expect.arrayContaining(['promoteRelease', 'keepRepositoryAccess']));
  const kinds = [ProductKind, ReleaseKind, BuildRunKind, ApplicationKind] as const;
  for (const kind of kinds) texts.push(JSON.stringify(await admin.list(kind as typeof ProductKind, { namespace })));
  texts.push((await host.readFile('acme/gitops', zoneValuesPath(product, zone), 'main')) ?? '');
  texts.push(...histories.map(({ history }) => collectText(history)));
  const all = texts.join('\n');
  // A text that must be there shows that the search would find one.
  expect(all).toContain('rejected the account');
  const tokens = [(await readClone(world)).password];
  for (const secret of [oldPassword, newPassword, ...tokens]) {
    const forms = [secret, `ada:${secret}`].flatMap((text) => [text, Buffer.from(text).toString('base64')]);
    for (const form of forms) expect(all.includes(form), `${form} is shown`).toBe(false);
  }
}
