import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inject } from 'vitest';
import { pushRepo } from '../support/platform/acme.ts';
import { waitUntil } from '../support/platform/wait-until.ts';
import { type Attack, testAttacks } from './attacks.ts';
import { findProbes, probeAttacks } from './host-probes.ts';
import { sendRequest, type World } from './world.ts';

const facts = inject('redTeam');

async function readBuiltOutput(probe: string): Promise<string> {
  const headers = { host: `app-rc.localhost:${facts.port + 1}` };
  const { body } = await sendRequest({ port: facts.port + 1, path: '/built', headers });
  return (JSON.parse(body) as Record<string, string>)[probe] ?? 'GOT no output';
}

type Repo = Record<string, string>;
/** Builds the repo of an app with one dependency. The port is that of a server inside the network. */
type BuildRepo = (port: number) => Repo;

const withDependency = (source: string, files: Repo = {}): Repo => ({
  'package.json': JSON.stringify({
    name: 'trap',
    private: true,
    scripts: { start: 'node server.js' },
    dependencies: { x: source },
  }),
  'package-lock.json': JSON.stringify({
    name: 'trap',
    lockfileVersion: 3,
    requires: true,
    packages: {
      '': { name: 'trap', dependencies: { x: source } },
      'node_modules/x': { version: '1.0.0', resolved: source },
    },
  }),
  ...files,
});

/** Runs with a server inside the network. Returns whether anything asked it. */
async function reachesInside(use: (port: number) => Promise<unknown>): Promise<boolean> {
  let requests = 0;
  const server = createServer((_, response) => {
    requests += 1;
    response.writeHead(404).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  try {
    await use((server.address() as AddressInfo).port);
    return requests > 0;
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

/** Releases the repo as a Product of evil. Returns whether the build came to its end, instead of being refused. */
async function builds({ write, read, codehostUrl, dataDir }: World, name: string, files: Repo): Promise<boolean> {
  const codehostToken = async () => (await readFile(join(dataDir, 'codehost', 'token'), 'utf8')).trim();
  await pushRepo({ codehostUrl, codehostToken }, { fullName: `evil/${name}`, files });
  const zones = [{ name: `${name}-rc`, promotionPolicy: 'after-approval' }];
  await write('POST', '/v1/orgs/evil/products', 'mallory', {
    name,
    spec: { repos: [`evil/${name}`], delivery: { zones } },
  });
  const { name: release } = await write<{ name: string }>('POST', '/v1/orgs/evil/releases', 'mallory', {
    product: name,
  });
  const { status } = await waitUntil(
    async () =>
      await read<{ status: { phase: string; zones: { phase: string }[] } }>(`/v1/orgs/evil/releases/${release}`),
    (view) => view.status.phase === 'Failed' || view.status.zones.some(({ phase }) => phase === 'WaitingForApproval'),
  );
  return status.phase !== 'Failed';
}

/** Installs the packages of the repo with the network and the settings that npm finds. Returns whether its program ran. */
async function installOnHost(files: Repo): Promise<boolean> {
  const folder = await mkdtemp(join(tmpdir(), 'trap-'));
  try {
    for (const [path, content] of Object.entries(files)) await writeFile(join(folder, path), content);
    if (files['evil.sh'] !== undefined) await chmod(join(folder, 'evil.sh'), 0o755);
    const command = promisify(execFile)('npm', ['ci', '--ignore-scripts', '--no-audit', '--fetch-retries=0'], {
      cwd: folder,
    });
    await command.catch(() => undefined);
    return existsSync(join(folder, 'owned'));
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

const evilGit = { '.npmrc': 'git=./evil.sh\nallow-git=all\n', 'evil.sh': '#!/bin/sh\ntouch owned\nexit 1\n' };
const commit = 'a'.repeat(40);

/** The install step must neither run a program of the repo nor reach an address that the repo names. */
const trap = (name: string, product: string, build: BuildRepo): Attack => ({
  name: `the install step of a build ${name}`,
  attempt: async (world) => {
    let isBuilt = false;
    const isReached = await reachesInside(async (port) => (isBuilt = await builds(world, product, build(port))));
    return isBuilt || isReached;
  },
  counter: async () => {
    let isRun = false;
    const isReached = await reachesInside(async (port) => (isRun = await installOnHost(build(port))));
    return isRun || isReached;
  },
});

testAttacks('builds', [
  ...probeAttacks(
    'a build script',
    findProbes(
      facts,
      /store of|a file of the host|code host$|environment|loopback server$|Temporal server$|writes|abstract/,
    ),
    async ({ name }) => await readBuiltOutput(name),
  ),
  trap('runs a program of the repo as git', 'trap-git', () =>
    withDependency(`git+https://127.0.0.1:1/x.git#${commit}`, evilGit),
  ),
  trap('downloads a package from inside', 'trap-tarball', (port) => withDependency(`http://127.0.0.1:${port}/x.tgz`)),
  trap('clones a package from inside', 'trap-clone', (port) =>
    withDependency(`git+http://127.0.0.1:${port}/x.git#${commit}`, { '.npmrc': 'allow-git=all\n' }),
  ),
]);
