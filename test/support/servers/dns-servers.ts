import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createSocket } from 'node:dgram';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from 'vitest';
import { retryLostPort } from '../../../src/main/process/ports.ts';
import { runProgram } from '../../../src/main/tools/run-program.ts';
import { ensureDebianPrograms, type Programs } from './debian-programs.ts';

const { env } = process;
const inSbin = ['knotd', 'knotc', 'keymgr', 'unbound'];
const ensureDnsPrograms = (packages: [string, ...string[]], probe: string) =>
  ensureDebianPrograms({ packages, probe, inSbin, purpose: 'tests of DNS run against' });

function warnIfMissing(found: Programs | { missing: string }): Programs | undefined {
  if (!('missing' in found)) return found;
  if (env['CI']) throw new Error(found.missing);
  process.stderr.write(`\nSKIPPING TESTS THAT NEED A DNS SERVER. ${found.missing}\n\n`);
  return undefined;
}

const knot = warnIfMissing(await ensureDnsPrograms(['knot', 'knot-dnsutils'], 'knotd'));

/** Describes a suite that needs a real Knot server, and skips it with a warning when none is available. */
export const describeWithKnot = knot === undefined ? describe.skip : describe;

export type ZoneFile = { name: string; records: string; signed?: boolean };
export type KnotOptions = {
  zones: ZoneFile[];
  /** Any loopback address. The servers of one test share a port, as name servers on the internet do. */
  address?: string;
  port?: number;
  /** The key that authorizes updates and transfers of the zones; the secret is base64. */
  tsig?: { name: string; secret: string };
};
export type Knot = {
  address: string;
  port: number;
  /** Sends the commands of a dynamic update; `server` and `send` are added. */
  update(zone: string, ...commands: string[]): Promise<void>;
  stop(): Promise<void>;
};

type FindPort = (address: string) => Promise<number>;

/** Starts an authoritative server on loopback. Every zone gets a SOA and a name server at its address. */
export const startKnot = async (options: KnotOptions, findPort: FindPort = getFreeUdpPort): Promise<Knot> =>
  await retryLostPort(async () => await startKnotOnce(options, findPort));

async function startKnotOnce(
  { zones, address = '127.0.0.1', tsig, ...options }: KnotOptions,
  findPort: FindPort,
): Promise<Knot> {
  if (!knot) throw new Error('No Knot server is available. Put the test in describeWithKnot.');
  const folder = await mkdtemp(join(tmpdir(), 'knot-'));
  const port = options.port ?? (await findPort(address));
  await mkdir(join(folder, 'zones'));
  for (const { name, records } of zones)
    await writeFile(join(folder, 'zones', `${name}zone`), formatZoneFile(name, records, address));
  await writeFile(join(folder, 'knot.conf'), formatKnotConfig({ folder, zones, address, port, tsig }));
  const child = spawn(knot.pathTo('knotd'), ['-c', join(folder, 'knot.conf')], {
    env: knot.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  await waitForOutput(child, { text: 'server started in the foreground', folder });
  return {
    address,
    port,
    async update(zone, ...commands) {
      const lines = [`server ${address} ${port}`, `zone ${zone}`, ...commands, 'send', ''];
      const file = join(folder, 'update');
      await writeFile(file, lines.join('\n'));
      const key = tsig ? ['-y', `hmac-sha256:${tsig.name}:${tsig.secret}`] : [];
      const result = await runProgram(knot.pathTo('knsupdate'), [...key, file], { env: knot.env, silenceMs: 60_000 });
      if (!result.ok || result.output.includes('error')) throw new Error(result.output);
    },
    async stop() {
      await killAndWait(child);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function formatZoneFile(name: string, records: string, address: string): string {
  const soa = `@ 300 SOA ns hostmaster 1 3600 600 86400 3600`;
  const nameServer = /^@?\s.*\bNS\b/m.test(records) ? [] : [`@ 300 NS ns`, `ns 300 A ${address}`];
  return [`$ORIGIN ${name}`, '$TTL 300', soa, ...nameServer, records, ''].join('\n');
}

type KnotConfig = {
  folder: string;
  address: string;
  port: number;
  zones: ZoneFile[];
  tsig: KnotOptions['tsig'] | undefined;
};

function formatKnotConfig({ folder, zones, address, port, tsig }: KnotConfig): string {
  const key = tsig ? `key:\n  - id: ${tsig.name}\n    algorithm: hmac-sha256\n    secret: ${tsig.secret}\n` : '';
  const aclSource = tsig ? `key: ${tsig.name}` : 'address: 127.0.0.0/8';
  const zone = ({ name, signed }: ZoneFile): string =>
    `  - domain: ${name}\n    file: ${folder}/zones/${name}zone\n    acl: test\n    zonefile-sync: -1\n    journal-content: all\n` +
    (signed ? '    dnssec-signing: on\n    dnssec-policy: test\n' : '');
  return `server:
    listen: ${address}@${port}
    rundir: ${folder}
    udp-workers: 1
    tcp-workers: 1
    background-workers: 1
log:
  - target: stderr
    any: info
database:
    storage: ${folder}
${key}acl:
  - id: test
    ${aclSource}
    action: [update, transfer]
policy:
  - id: test
    nsec3: on
    single-type-signing: on
zone:
${zones.map(zone).join('')}`;
}

const ensureUnbound = async (): Promise<Programs | undefined> =>
  warnIfMissing(await ensureDnsPrograms(['unbound'], 'unbound'));

type Authority = { address: string; port: number; zone: string };

/** Starts a caching resolver that forwards one DNS zone to an authoritative server. */
export const startResolver = async (authority: Authority, findPort: FindPort = getFreeUdpPort) =>
  await retryLostPort(async () => await startResolverOnce(authority, findPort));

async function startResolverOnce(authority: Authority, findPort: FindPort) {
  const found = await ensureUnbound();
  if (!found) return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'unbound-'));
  const port = await findPort('127.0.0.1');
  const config = `server:
    interface: 127.0.0.1@${port}
    do-daemonize: no
    username: ""
    chroot: ""
    directory: "${folder}"
    pidfile: ""
    use-syslog: no
    logfile: ""
    verbosity: 1
    do-not-query-localhost: no
    module-config: "iterator"
    num-threads: 1
    local-zone: "${authority.zone}" nodefault
remote-control:
    control-enable: no
stub-zone:
    name: "${authority.zone}"
    stub-addr: ${authority.address}@${authority.port}
`;
  await writeFile(join(folder, 'unbound.conf'), config);
  const child = spawn(found.pathTo('unbound'), ['-d', '-c', join(folder, 'unbound.conf')], {
    env: found.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  await waitForOutput(child, { text: 'start of service', folder });
  return {
    address: `127.0.0.1:${port}`,
    async stop() {
      await killAndWait(child);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function waitForOutput(child: ChildProcess, { text, folder }: { text: string; folder: string }): Promise<void> {
  let output = '';
  try {
    await new Promise<void>((resolve, reject) => {
      const readOutput = (chunk: Buffer): void => {
        output += chunk.toString();
        if (output.includes(text)) resolve();
      };
      child.stdout?.on('data', readOutput);
      child.stderr?.on('data', readOutput);
      child.once('error', reject);
      // The output is complete when the process has closed it, which may be after its exit.
      child.once('close', () => reject(new Error(`The server exited: ${output}`)));
    });
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    throw error;
  }
}

async function killAndWait(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

/** Returns a port that is free for UDP and TCP at the given loopback address. */
export async function getFreeUdpPort(address: string): Promise<number> {
  for (;;) {
    const socket = createSocket('udp4');
    socket.bind(0, address);
    await once(socket, 'listening');
    const { port } = socket.address();
    const server = createServer();
    server.listen(port, address);
    const isFree = await once(server, 'listening').then(
      () => true,
      () => false,
    );
    socket.close();
    server.close();
    if (isFree) return port;
  }
}
