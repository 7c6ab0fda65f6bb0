import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'yaml';
import { findOnPath } from '../../../src/main/tools/find-on-path.ts';
import { makeOnce } from '../../../src/main/tools/install/make-once.ts';
import { runGo } from '../../../src/main/tools/install/run-go.ts';
import { type Tool, type ToolSearch, toolCacheDir } from '../../../src/main/tools/tool.ts';
import { copyModuleSources } from './build-go-module.ts';
import { getToolPath } from './get-tool-path.ts';

const VERSION = '0.22.0';
// Two dependencies are not published in the required versions.
const goModText = `module externaldns

go 1.25

require sigs.k8s.io/external-dns v${VERSION}

replace github.com/openshift/api => github.com/openshift/api v0.0.0-20251015095338-264e80a2b6e7

replace github.com/exoscale/egoscale/v3 => github.com/exoscale/egoscale/v3 v3.1.43
`;
const { env } = process;
const onProgress = (message: string) => void process.stderr.write(`${message}\n`);

const sources = { module: 'sigs.k8s.io/external-dns', version: VERSION, keepFolders: ['charts/external-dns/crds'] };

/** Loads the CRD of DNSEndpoints. */
export async function loadDnsEndpointCrd(search: ToolSearch): Promise<object> {
  const folder = await makeOnce(join(search.cacheDir, `external-dns-crds-${VERSION}`), search.onProgress, (workDir) =>
    copyModuleSources(sources, { ...search, workDir }),
  );
  const file = join(getToolPath(folder), 'charts/external-dns/crds/dnsendpoints.externaldns.k8s.io.yaml');
  return parse(await readFile(file, 'utf8')) as object;
}

/** Returns the real ExternalDNS, built once, or warns and returns undefined when it cannot be built. */
export async function ensureExternalDns(): Promise<string | undefined> {
  const installed = await findOnPath('external-dns', env);
  if (installed !== undefined) return installed;
  const tool = await makeOnce(join(toolCacheDir(env), `external-dns-${VERSION}`), onProgress, buildExternalDns);
  if ('path' in tool) return tool.path;
  if (env['CI']) throw new Error(tool.missing);
  process.stderr.write(`\nSKIPPING TESTS THAT NEED EXTERNALDNS. ${tool.missing}\n\n`);
  return undefined;
}

async function buildExternalDns(workDir: string): Promise<Tool> {
  await writeFile(join(workDir, 'go.mod'), goModText);
  const program = join(workDir, 'external-dns');
  const args = ['build', '-mod=mod', '-o', program, 'sigs.k8s.io/external-dns'];
  const build = { args, label: 'ExternalDNS', expectedDuration: '3 to 6 minutes' };
  const failed = await runGo(build, { workDir, env, onProgress });
  return failed ?? { path: program };
}

export type ExternalDnsOptions = {
  program: string;
  kubeconfig: string;
  dnsZone: string;
  server: { address: string; port: number };
  tsig: { name: string; secret: string };
};

/** Runs ExternalDNS as operators do, with a shorter interval. */
export async function startExternalDns({ program, kubeconfig, dnsZone, server, tsig }: ExternalDnsOptions) {
  const options = {
    kubeconfig,
    source: 'crd',
    policy: 'sync',
    provider: 'rfc2136',
    'rfc2136-host': server.address,
    'rfc2136-port': String(server.port),
    'rfc2136-zone': dnsZone,
    'rfc2136-tsig-secret': tsig.secret,
    'rfc2136-tsig-secret-alg': 'hmac-sha256',
    'rfc2136-tsig-keyname': tsig.name,
    registry: 'txt',
    'txt-owner-id': 'test',
    'txt-prefix': 'owned-%{record_type}.',
    interval: '1s',
    'min-event-sync-interval': '200ms',
    'events-emit': 'RecordError',
    'metrics-address': '127.0.0.1:0',
  };
  const args = Object.entries(options).map(([name, value]) => `--${name}=${value}`);
  const child = spawn(program, [...args, '--rfc2136-tsig-axfr', '--events'], { stdio: 'ignore' });
  return {
    async stop() {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
  };
}
