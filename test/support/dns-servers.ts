import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createSocket } from 'node:dgram';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from 'vitest';
import { runProgram } from '../../src/main/tools/run-program.ts';
import { debianPrograms, type Programs } from './debian-programs.ts';

const { env } = process;
const inSbin = ['knotd', 'knotc', 'keymgr', 'unbound'];
const dnsPrograms = (packages: [string, ...string[]], probe: string) =>
  debianPrograms({ packages, probe, inSbin, purpose: 'tests of DNS run against' });

function orLoudly(found: Programs | { missing: string }): Programs | undefined {
  if (!('missing' in found)) return found;
  if (env['CI']) throw new Error(found.missing);
  process.stderr.write(`\nSKIPPING TESTS THAT NEED A DNS SERVER. ${found.missing}\n\n`);
  return undefined;
}

const knot = orLoudly(await dnsPrograms(['knot', 'knot-dnsutils'], 'knotd'));

/** A suite that runs against a real Knot server; skipped, loudly, where there can be none. */
export const describeWithKnot = knot === undefined ? describe.skip : describe;

export type ZoneFile = { name: string; records: string; signed?: boolean };
export type KnotOptions = {
  zones: ZoneFile[];
  /** Any of loopback: servers of one world share the port, as all servers of the world do. */
  address?: string;
  port?: number;
  /** Lets whoever has this key update and transfer the zones: base64. */
  tsig?: { name: string; secret: string };
};
export type Knot = {
  address: string;
  port: number;
  /** Commands of a dynamic update, without `server` and `send`. */
  update(zone: string, ...commands: string[]): Promise<void>;
  stop(): Promise<void>;
};

/** An authoritative server of its own folder on loopback. Every zone gets a SOA and a name server at this address. */
export async function startKnot({ zones, address = '127.0.0.1', tsig, ...options }: KnotOptions): Promise<Knot> {
  if (!knot) throw new Error('There is no Knot. Put the test in describeWithKnot.');
  const folder = await mkdtemp(join(tmpdir(), 'knot-'));
  const port = options.port ?? (await freeUdpPort(address));
  await mkdir(join(folder, 'zones'));
  for (const { name, records } of zones)
    await writeFile(join(folder, 'zones', `${name}zone`), zoneText(name, records, address));
  await writeFile(join(folder, 'knot.conf'), configuration({ folder, zones, address, port, tsig }));
  const child = spawn(knot.run('knotd'), ['-c', join(folder, 'knot.conf')], {
    env: knot.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  await untilSaid(child, 'server started in the foreground');
  return {
    address,
    port,
    async update(zone, ...commands) {
      const lines = [`server ${address} ${port}`, `zone ${zone}`, ...commands, 'send', ''];
      const file = join(folder, 'update');
      await writeFile(file, lines.join('\n'));
      const key = tsig ? ['-y', `hmac-sha256:${tsig.name}:${tsig.secret}`] : [];
      const result = await runProgram(knot.run('knsupdate'), [...key, file], { env: knot.env, timeoutMs: 10_000 });
      if (!result.ok || result.output.includes('error')) throw new Error(result.output);
    },
    async stop() {
      await ended(child);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function zoneText(name: string, records: string, address: string): string {
  const soa = `@ 300 SOA ns hostmaster 1 3600 600 86400 3600`;
  const own = /^@?\s.*\bNS\b/m.test(records) ? [] : [`@ 300 NS ns`, `ns 300 A ${address}`];
  return [`$ORIGIN ${name}`, '$TTL 300', soa, ...own, records, ''].join('\n');
}

type Configured = {
  folder: string;
  address: string;
  port: number;
  zones: ZoneFile[];
  tsig: KnotOptions['tsig'] | undefined;
};

function configuration({ folder, zones, address, port, tsig }: Configured): string {
  const key = tsig ? `key:\n  - id: ${tsig.name}\n    algorithm: hmac-sha256\n    secret: ${tsig.secret}\n` : '';
  const who = tsig ? `key: ${tsig.name}` : 'address: 127.0.0.0/8';
  const zone = ({ name, signed }: ZoneFile): string =>
    `  - domain: ${name}\n    file: ${folder}/zones/${name}zone\n    acl: may\n    zonefile-sync: -1\n    journal-content: all\n` +
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
  - id: may
    ${who}
    action: [update, transfer]
policy:
  - id: test
    nsec3: on
    single-type-signing: on
zone:
${zones.map(zone).join('')}`;
}

const unbound = async (): Promise<Programs | undefined> => orLoudly(await dnsPrograms(['unbound'], 'unbound'));

/** A resolver that remembers, above one authoritative server that holds all there is. */
export async function startResolver(above: { address: string; port: number; zone: string }) {
  const found = await unbound();
  if (!found) return undefined;
  const folder = await mkdtemp(join(tmpdir(), 'unbound-'));
  const port = await freeUdpPort('127.0.0.1');
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
    local-zone: "${above.zone}" nodefault
remote-control:
    control-enable: no
stub-zone:
    name: "${above.zone}"
    stub-addr: ${above.address}@${above.port}
`;
  await writeFile(join(folder, 'unbound.conf'), config);
  const child = spawn(found.run('unbound'), ['-d', '-c', join(folder, 'unbound.conf')], {
    env: found.env,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  await untilSaid(child, 'start of service');
  return {
    address: `127.0.0.1:${port}`,
    async stop() {
      await ended(child);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

async function untilSaid(child: ChildProcess, words: string): Promise<void> {
  let output = '';
  await new Promise<void>((resolve, reject) => {
    const hear = (chunk: Buffer): void => {
      output += chunk.toString();
      if (output.includes(words)) resolve();
    };
    child.stdout?.on('data', hear);
    child.stderr?.on('data', hear);
    child.once('error', reject);
    child.once('exit', () => reject(new Error(`It ended: ${output}`)));
  });
}

async function ended(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

/** Free for UDP and TCP at every address of loopback that tests use. */
export async function freeUdpPort(address: string): Promise<number> {
  const socket = createSocket('udp4');
  socket.bind(0, address);
  await once(socket, 'listening');
  const { port } = socket.address();
  socket.close();
  return port;
}
