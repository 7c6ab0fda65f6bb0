import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { resolveHost } from '../../src/integrations/http/resolve-host.ts';
import { startEgressProxy } from '../../src/integrations/network/egress-proxy.ts';
import { createTestSandbox } from '../support/test-sandbox.ts';
import type { Attack } from './attacks.ts';
import type { WorldFacts } from './world.ts';

/** A script of untrusted code. It got what it wanted when its output has a line that begins with GOT, or the secret. */
export type Probe = { name: string; script: string };

const projectDir = fileURLToPath(new URL('../..', import.meta.url));
const run = promisify(execFile);

/** Lists what untrusted code tries on the host that runs it. Each script succeeds on the host itself. */
export function buildProbes({
  port,
  dataDir,
  pid,
  canary,
}: Pick<WorldFacts, 'port' | 'dataDir' | 'pid' | 'canary'>): Probe[] {
  // Even a loopback address is asked by way of the proxy, which could reach that of the host.
  const curl = (url: string, options = ''): string => `curl -s -m 5 --noproxy '' ${options} '${url}'`;
  const tcp = (to: number): string => `timeout 4 bash -c 'exec 3<>/dev/tcp/127.0.0.1/${to}' 2>/dev/null && echo GOT`;
  const socket = (path: string): string =>
    `timeout 5 node -e "require('net').connect({ path: ${path} }).on('data', (d) => console.log('GOT ' + d)).on('error', () => {})"`;
  const at = (host: string): string => `http://${host}:${canary.port}/`;
  return [
    { name: 'reads a file of the host', script: `cat ${canary.file}` },
    {
      name: 'reads a file through a link',
      script: `ln -sf ${canary.file} /tmp/link-$$; cat /tmp/link-$$; rm /tmp/link-$$`,
    },
    { name: 'reads the store of the service', script: `head -c 15 ${dataDir}/store.sqlite >/dev/null && echo GOT` },
    { name: 'reads the token of the code host', script: `cat ${dataDir}/codehost/token && echo GOT` },
    {
      name: 'reads the key of the Temporal server',
      script: `cat ${dataDir}/temporal/credentials/client.key && echo GOT`,
    },
    { name: 'reads the code of the service', script: `head -1 ${projectDir}/package.json && echo GOT` },
    { name: 'lists the data directory', script: `ls ${dataDir} && echo GOT` },
    { name: 'writes to the data directory', script: `touch ${dataDir}/owned && rm ${dataDir}/owned && echo GOT` },
    { name: 'reads a file through the root of a process', script: `cat /proc/${canary.pid}/root${canary.file}` },
    { name: 'reads the environment of a process', script: `tr '\\0' '\\n' < /proc/${canary.pid}/environ` },
    { name: 'reads the arguments of the service', script: `grep -aq data-dir /proc/${pid}/cmdline && echo GOT` },
    { name: 'signals a process of the host', script: `kill -0 ${canary.pid} && echo GOT` },
    {
      name: 'connects to a loopback server',
      script: `timeout 4 bash -c 'exec 3<>/dev/tcp/127.0.0.1/${canary.port} && cat <&3'`,
    },
    { name: 'connects to the Temporal server', script: tcp(port + 4) },
    { name: 'connects to the Web UI of Temporal', script: tcp(port + 3) },
    { name: 'connects to the code host', script: tcp(port + 2) },
    {
      name: 'asks the API by way of its proxy',
      script: `${curl(`http://127.0.0.1:${port}/livez`, '-f')} && echo && echo GOT`,
    },
    { name: 'asks a loopback server by way of its proxy', script: curl(at('127.0.0.1')) },
    { name: 'asks for localhost by way of its proxy', script: curl(at('localhost')) },
    { name: 'asks for an IPv6 spelling of loopback by way of its proxy', script: curl(at('[::ffff:127.0.0.1]'), '-g') },
    { name: 'asks for a decimal spelling of loopback by way of its proxy', script: curl(at('2130706433')) },
    { name: 'asks for the unspecified address by way of its proxy', script: curl(at('0.0.0.0')) },
    { name: 'opens a tunnel to a loopback server', script: curl(at('127.0.0.1'), '-p') },
    { name: 'connects to an abstract socket of the host', script: socket(`'\\0${canary.abstractSocket}'`) },
    { name: 'connects to a socket in the data directory', script: socket(`'${canary.file}.sock'`) },
  ];
}

export const findProbes = (facts: WorldFacts, pattern: RegExp): Probe[] =>
  buildProbes(facts).filter(({ name }) => pattern.test(name));

/**
 * Builds one attack per probe: untrusted code runs it at `runInside`. The counter-attack runs it on the host, or in a
 * sandbox whose proxy lets every address through.
 */
export function probeAttacks(who: string, probes: Probe[], runInside: (probe: Probe) => Promise<string>): Attack[] {
  return probes.map((probe) => ({
    name: `${who} ${probe.name}`,
    attempt: async ({ canary }) => hasLoot(await runInside(probe), canary.secret),
    counter: async ({ canary }) =>
      hasLoot(await (usesProxy(probe) ? runWithOpenProxy(probe) : runOnHost(probe)), canary.secret),
  }));
}

const hasLoot = (output: string, secret: string): boolean => output.includes(secret) || /^GOT/m.test(output);

async function runOnHost({ script }: Probe): Promise<string> {
  const { PATH } = process.env;
  const ran = run('/bin/bash', ['-c', script], { env: { PATH }, timeout: 60_000 });
  const { stdout } = await ran.catch((error: unknown) => error as { stdout: string });
  return stdout;
}

const usesProxy = ({ name }: Probe): boolean => /proxy|tunnel/.test(name);

async function runWithOpenProxy({ script }: Probe): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'probe-'));
  const proxy = await startEgressProxy({ resolve: resolveHost, judge: () => undefined, log: () => {} });
  try {
    const { output } = await createTestSandbox().run(
      {
        argv: ['/bin/bash', '-c', script],
        workspace: { path, writable: true },
        network: { proxySocket: proxy.socketPath },
      },
      { timeoutMs: 60_000, outputBytesMax: 30_000 },
    );
    return output;
  } finally {
    await proxy.close();
    await rm(path, { recursive: true, force: true });
  }
}
