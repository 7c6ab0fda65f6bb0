import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { Api } from '../../src/clients/http.ts';
import { createAcme, decide, getRun, openIssue, startChange, until } from '../support/acme.ts';
import { Installation } from '../support/installation.ts';
import type { Replica } from '../support/replica.ts';
// For what it declares that the run provides.
import type {} from '../support/temporal.ts';
import { startAuthority, startTemporalGate, type Gate } from '../support/temporal-gate.ts';

const executable = inject('temporalExecutable');
const apiKey = 'the key of every call';
const keys = { old: randomBytes(32).toString('base64'), young: randomBytes(32).toString('base64') };

let installation: Installation;
let gate: Gate;
let environment: Record<string, string>;
let running: Replica[] = [];

/** An update of all processes: the new ones are ready before the old ones go. */
async function roll(encryptionKeys: string): Promise<void> {
  const file = join(installation.folder, `keys-${randomBytes(4).toString('hex')}`);
  await writeFile(file, `${encryptionKeys}\n`);
  const own = { ...environment, TEMPORAL_ENCRYPTION_KEYS_FILE: file };
  const before = running;
  running = await Promise.all([installation.serve(own), installation.work(own)]);
  expect(await Promise.all(before.map(async (replica) => await replica.stop()))).toEqual(before.map(() => 0));
}

/** All that the Temporal server holds of all workflows, as it holds it. */
async function heldByServer(): Promise<unknown[]> {
  const connection = await Connection.connect({ address: installation.environment['TEMPORAL_ADDRESS'] ?? '' });
  try {
    const { workflowService } = connection;
    const namespace = 'default';
    const { executions } = await workflowService.listWorkflowExecutions({ namespace, pageSize: 1000 });
    const held = executions.map(async ({ execution }) => {
      const asked = { namespace, execution: execution ?? null };
      const { history } = await workflowService.getWorkflowExecutionHistory({ ...asked, maximumPageSize: 10_000 });
      return [history, await workflowService.describeWorkflowExecution(asked)];
    });
    return [executions, ...(await Promise.all(held))];
  } finally {
    await connection.close();
  }
}

type Payload = { metadata: Record<string, Uint8Array>; data: Uint8Array };
const isPayload = (value: object): value is Payload =>
  'metadata' in value && 'data' in value && value.data instanceof Uint8Array;
const text = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString();

/** Every payload in it, and all else as text; search attributes are what the server is to know. */
function look(value: unknown, found: { payloads: Payload[]; text: string[]; failures: string[] }): typeof found {
  if (value instanceof Uint8Array) found.text.push(text(value));
  else if (typeof value === 'string') found.text.push(value);
  else if (typeof value === 'object' && value !== null) {
    if ('encodedAttributes' in value && 'message' in value) found.failures.push(String(value.message));
    if (isPayload(value)) found.payloads.push(value);
    for (const [name, part] of Object.entries(value)) if (name !== 'searchAttributes') look(part, found);
  }
  return found;
}

describe.skipIf(executable === undefined)('a Temporal server that somebody else runs', () => {
  let api: Api;

  beforeAll(async () => {
    installation = await Installation.start(executable ?? '');
    const authority = await startAuthority(join(installation.folder, 'authority'));
    gate = await startTemporalGate({ to: installation.environment['TEMPORAL_ADDRESS'] ?? '', authority, apiKey });
    const ours = await authority.issue('delivery');
    const keyFile = join(installation.folder, 'api-key');
    await writeFile(keyFile, apiKey);
    environment = {
      TEMPORAL_ADDRESS: gate.address,
      TEMPORAL_TLS_SERVER_NAME: 'temporal.test',
      TEMPORAL_TLS_SERVER_CA_CERT_PATH: authority.file,
      TEMPORAL_TLS_CLIENT_CERT_PATH: ours.certificate,
      TEMPORAL_TLS_CLIENT_KEY_PATH: ours.key,
      TEMPORAL_API_KEY_FILE: keyFile,
    };
  }, 60_000);
  afterAll(async () => {
    await gate?.close();
    await installation?.close();
  });

  it('holds nothing that it could read of a Change, whose keys are changed on its way to production', async () => {
    await roll(`old:${keys.old}`);
    api = await installation.asRoot();
    await createAcme(api);
    await api.post('/v1/orgs/acme/products', { name: 'hello', spec: { repos: ['acme/hello'] } });
    // A failure that names what was looked for.
    await api.post('/v1/orgs/acme/products', { name: 'ghost', spec: { repos: ['acme/ghost'] } });
    await expect(openIssue(api, 'ghost', { title: 'Boo' })).rejects.toThrow('acme/ghost');
    const run = await startChange(api, 'hello', 'Greet visitors by name');
    await until(
      async () => await getRun(api, run),
      ({ status }) => status.pullRequest !== undefined,
    );
    // Everybody can open with the young key before anybody seals with it.
    await roll(`old:${keys.old},young:${keys.young}`);
    await roll(`young:${keys.young},old:${keys.old}`);
    await until(
      async () => await decide(api, run),
      (phase) => phase === 'Succeeded',
      240_000,
    );

    const {
      payloads,
      text: told,
      failures,
    } = look(await heldByServer(), {
      payloads: [],
      text: [],
      failures: [],
    });
    const isSealed = ({ metadata }: Payload): boolean => text(metadata['encoding']) === 'binary/encrypted';
    // What the library notes for itself: which local activity it was and when, and which patches there are.
    const notes = payloads.filter((payload) => !isSealed(payload)).map(({ data }) => JSON.parse(text(data)) as object);
    expect(notes.filter((note) => !('activity_type' in note) && !('deprecated' in note))).toEqual([]);
    expect(new Set(notes.flatMap((note) => Object.keys(note)))).toEqual(
      new Set([
        'id',
        'deprecated',
        'seq',
        'attempt',
        'activity_id',
        'activity_type',
        'complete_time',
        'backoff',
        'original_schedule_time',
      ]),
    );
    // The server’s own words are about itself alone.
    const words = failures.filter((message) => !/^activity \w+ timeout$/.test(message));
    expect([...new Set(words)]).toEqual(['Encoded failure']);
    const sealedWith = payloads.filter(isSealed).map(({ metadata }) => text(metadata['encryption-key-id']));
    expect(new Set(sealedWith)).toEqual(new Set(['old', 'young']));
    const everything = told.join('\n');
    // Its words, its files, its people, the messages of its failures.
    for (const word of ['Greet', 'visitors', 'server.js', 'root@', 'commit', 'http:'])
      expect(everything.includes(word), word).toBe(false);
    process.stdout.write(`${payloads.length} payloads, ${everything.length} characters besides\n`);
  }, 360_000);
});
