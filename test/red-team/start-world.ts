import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import type { ApiClient } from '../../src/clients/api-client.ts';
import type { Scenario } from '../../src/emulators/model/scenario.ts';
import { startModel } from '../../src/emulators/model/start-model.ts';
import { reservePort } from '../support/servers/reserve-ports.ts';
import { connectToCodehost, pushRepo, waitForZonePhase } from '../support/platform/acme.ts';
import { rootUser, TestPlatform } from '../support/platform/test-platform.ts';
import { waitUntil } from '../support/platform/wait-until.ts';
import { buildEvilApp } from './evil-repos.ts';
import { buildProbes, type Probe } from './host-probes.ts';
import { buildScenarios } from './scenarios.ts';
import { type Credentials, createWorld, people, type Person, startWaitingRun, type WorldFacts } from './world.ts';

const groups: Record<'acme' | 'evil', Record<string, Person[]>> = {
  acme: { 'org-admin': ['ada'], member: ['alice'], viewer: ['vic'] },
  evil: { 'org-admin': ['mallory'] },
};

/** Starts the platform with two orgs: acme, which is attacked, and evil, which belongs to mallory. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const scenarios: Scenario[] = [];
  const model = await startModel({ port: 0, scenarios });
  const metricsPort = await reservePort();
  const platform = await TestPlatform.start({
    METRICS_PORT: String(metricsPort),
    MODEL_BASE_URL: model.url,
    MODEL_NAME: 'scripted',
    MODEL_API_KEY: 'none',
    // Every attack can have an address of its own, so that none of them is throttled by another.
    TRUSTED_PROXIES: '127.0.0.1/32,::1/128',
    AGENT_NETWORK: 'public',
    QUOTA_DOMAINS_PER_ORG: '8',
    QUOTA_TOKENS_PER_USER: '12',
    QUOTA_ZONES_PER_ORG: '30',
  });
  const canary = await startCanary(platform.dataDir);
  try {
    const root = await platform.signInAsRoot();
    await createOrgs(root);
    const credentials = await signInAll(platform, root);
    const facts: Omit<WorldFacts, 'run' | 'release'> = {
      port: platform.port,
      url: platform.url,
      metricsPort,
      codehostUrl: platform.codehostUrl,
      dataDir: platform.dataDir,
      pid: platform.pid,
      credentials,
      canary: canary.facts,
    };
    const world = createWorld({ ...facts, run: '', release: '' });
    const probes = buildProbes(facts);
    scenarios.push(...buildScenarios(facts, probes));
    const [release] = await Promise.all([releaseShop(platform, root), deployEvilApp(platform, root, probes)]);
    await world.write('POST', '/v1/orgs/acme/agentworkflows', 'ada', {
      name: 'ask',
      spec: { enabled: true, triggers: [], steps: [{ name: 'decide', type: 'human' }] },
    });
    project.provide('redTeam', { ...facts, release, run: await startWaitingRun(world) });
  } catch (error) {
    await stop();
    throw error;
  }
  return async () => {
    const faults = await readFaults(platform.dataDir);
    await stop();
    if (faults.length > 0) throw new Error(`Attacks made the API fail:\n${faults.join('\n')}`);
  };

  async function stop(): Promise<void> {
    await platform.remove();
    await model.close();
    canary.close();
  }
}

/** Lists the requests that the API answered with 500. */
async function readFaults(dataDir: string): Promise<string[]> {
  const lines = (await readFile(join(dataDir, 'logs', 'service.log'), 'utf8')).split('\n');
  return lines.filter((line) => line.includes('"msg":"Request failed"'));
}

async function createOrgs(root: ApiClient): Promise<void> {
  for (const org of ['acme', 'evil']) {
    await root.post('/v1/orgs', { name: org });
    await connectToCodehost(root, org);
  }
}

/** Creates everybody, and signs each of them in in a browser and with a token. */
async function signInAll(platform: TestPlatform, root: ApiClient): Promise<Record<Person, Credentials>> {
  for (const person of people.filter((one) => one !== 'root')) await platform.createUser(toLogin(person));
  for (const [org, roles] of Object.entries(groups)) {
    const accessGroups = Object.entries(roles).map(([role, members]) => ({
      name: `${role}s`,
      role,
      members: members.map((person) => toLogin(person).email),
    }));
    await root.put(`/v1/orgs/${org}/access-groups`, { accessGroups }, { 'if-match': '*' });
  }
  const entries = await Promise.all(people.map(async (person) => [person, await signIn(platform, person)] as const));
  return Object.fromEntries(entries) as Record<Person, Credentials>;
}

export const toLogin = (person: Person): { email: string; password: string } =>
  person === 'root' ? rootUser : { email: `${person}@example.com`, password: `the long password of ${person}` };

async function signIn({ url }: TestPlatform, person: Person): Promise<Credentials> {
  const post = async (path: string, body: object, headers: Record<string, string>): Promise<Response> =>
    await fetch(`${url}/api/v1${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: url, ...headers },
      body: JSON.stringify(body),
    });
  const login = toLogin(person);
  const signedIn = await post('/auth/sign-in', login, {});
  const cookie = signedIn.headers.getSetCookie()[0]?.split(';')[0] ?? '';
  const { token } = (await (await post('/me/tokens', { label: 'red team' }, { cookie })).json()) as { token: string };
  return { ...login, token, cookie };
}

/** Releases acme's Product "shop" up to the zone that waits for an approval. */
async function releaseShop(platform: TestPlatform, root: ApiClient): Promise<string> {
  await pushRepo(platform, { fullName: 'acme/shop' });
  const zones = [
    { name: 'shop-rc', promotionPolicy: 'automatic', access: 'signed-in' },
    { name: 'shop-prod', promotionPolicy: 'after-approval', access: 'signed-in' },
  ];
  await root.post('/v1/orgs/acme/products', { name: 'shop', spec: { repos: ['acme/shop'], delivery: { zones } } });
  const { name } = await root.post<{ name: string }>('/v1/orgs/acme/releases', { product: 'shop' });
  await waitForZonePhase(root, name, { zone: 'shop-prod', phase: 'WaitingForApproval' });
  return name;
}

async function deployEvilApp(platform: TestPlatform, root: ApiClient, probes: Probe[]): Promise<void> {
  await pushRepo(platform, { fullName: 'evil/app', files: buildEvilApp(probes) });
  const zones = [{ name: 'app-rc', promotionPolicy: 'automatic', access: 'public' }];
  await root.post('/v1/orgs/evil/products', { name: 'app', spec: { repos: ['evil/app'], delivery: { zones } } });
  await root.put('/v1/orgs/evil/agent-limits', { allowNetwork: true });
  const role = { responsibilities: ['Look around.'], network: true };
  await root.post('/v1/orgs/evil/agentroles', { name: 'prober', spec: role });
  const steps = [{ name: 'probe', type: 'agent', role: 'prober', mode: 'report' }];
  await root.post('/v1/orgs/evil/agentworkflows', { name: 'probe', spec: { enabled: true, triggers: [], steps } });
  const { name } = await root.post<{ name: string }>('/v1/orgs/evil/releases', { product: 'app' });
  await waitUntil(
    async () => await root.get<{ status: { phase: string } }>(`/v1/orgs/evil/releases/${name}`),
    ({ status }) => status.phase === 'Succeeded',
  );
}

/** Starts servers and a process of the host that hold a secret. */
async function startCanary(dataDir: string): Promise<{ facts: WorldFacts['canary']; close: () => void }> {
  const secret = `secret-${randomUUID()}`;
  const abstractSocket = `canary-${randomUUID()}`;
  const file = join(dataDir, 'secret.txt');
  await writeFile(file, secret);
  const servers: Server[] = [];
  const listen = async (where: { port: number; host: string } | { path: string }): Promise<Server> => {
    const server = createServer((socket) => {
      socket.on('error', () => {});
      // Clients of HTTP get a response to their request, and clients that send nothing get the secret too.
      const respond = (): unknown =>
        socket.end(`HTTP/1.1 200 OK\r\ncontent-length: ${secret.length}\r\nconnection: close\r\n\r\n${secret}`);
      const timer = setTimeout(respond, 300);
      socket.once('data', () => {
        clearTimeout(timer);
        respond();
      });
    });
    servers.push(server.listen(where));
    await once(server, 'listening');
    return server;
  };
  const tcp = await listen({ port: 0, host: '127.0.0.1' });
  await listen({ path: `${file}.sock` });
  await listen({ path: `\0${abstractSocket}` });
  const bystander: ChildProcess = spawn('sleep', ['3600'], { env: { CANARY: secret }, stdio: 'ignore' });
  const { port } = tcp.address() as AddressInfo;
  return {
    facts: { port, secret, file, pid: bystander.pid ?? 0, abstractSocket },
    close: () => {
      bystander.kill('SIGKILL');
      for (const server of servers) server.close();
    },
  };
}
