import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, inject } from 'vitest';
import { waitUntil } from '../support/platform/wait-until.ts';
import { type Attack, testAttacks } from './attacks.ts';
import { buildProbes, probeAttacks } from './host-probes.ts';
import { outsidePaths, plantLinks } from './scenarios.ts';
import { createWorld } from './world.ts';

const facts = inject('redTeam');
const { read, write } = createWorld(facts);
const probes = buildProbes(facts);
const paths = outsidePaths(facts);
let [outputs, files]: string[][] = [];

type Transcript = { items: { results: { text: string }[] }[] };

/** One run of mallory's agent, whose network is allowed, tries all probes, each as one command, and reads the files. */
beforeAll(async () => {
  const start = { agentWorkflow: 'probe', product: 'app', instructions: 'Probe the host.' };
  const path = '/v1/orgs/evil/agentworkflowruns';
  const { name } = await write<{ name: string }>('POST', path, 'mallory', start);
  const { items } = await waitUntil(
    async () => await read<Transcript>(`${path}/${name}/steps/probe/transcript`, 'mallory'),
    (transcript) => (transcript.items[1]?.results.length ?? 0) > 0,
  );
  [outputs, files] = items.map(({ results }) => results.map(({ text }) => text));
});

/** A file tool, which runs outside of the sandbox, follows a path. The counter-attack reads it without the checks. */
const readsFile = (name: string, index: number, path: string): Attack => ({
  name: `a file tool of an agent follows ${name}`,
  attempt: async ({ canary }) => (files?.[index + 1] ?? canary.secret).includes(canary.secret),
  counter: async ({ canary }) => {
    const folder = await mkdtemp(join(tmpdir(), 'checkout-'));
    try {
      await promisify(execFile)('/bin/bash', ['-c', plantLinks(facts)], { cwd: folder });
      const target = path.startsWith('/') ? path : join(folder, path);
      return (await readFile(target, 'utf8')).includes(canary.secret);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  },
});

testAttacks('agents', [
  ...probeAttacks(
    'an agent',
    probes,
    async ({ name }) => outputs?.[probes.findIndex((one) => one.name === name)] ?? 'GOT no output',
  ),
  ...Object.entries(paths).map(([name, path], index) => readsFile(name, index, path)),
]);
