import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Connection } from '@temporalio/client';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import type { ApiClient } from '../../src/clients/api-client.ts';
import { createAcmeOrg, approvePending, getRun, openIssue, startChange } from '../support/platform/acme.ts';
import { waitUntil } from '../support/platform/wait-until.ts';
import { Installation } from '../support/platform/installation.ts';
import type { Replica } from '../support/platform/replica.ts';
// This import declares the values that the global setup provides.
import type {} from '../support/global-setup/temporal.ts';
import {
  createCertificateAuthority,
  startTemporalTlsProxy,
  type TemporalTlsProxy,
} from '../support/servers/temporal-tls-proxy.ts';

const executable = inject('temporalExecutable');
const apiKey = 'an API key';
const keys = { old: randomBytes(32).toString('base64'), new: randomBytes(32).toString('base64') };

let installation: Installation;
let tlsProxy: TemporalTlsProxy;
let environment: Record<string, string>;
let running: Replica[] = [];

/** Replaces all processes in a rolling update. */
async function rollOut(encryptionKeys: string): Promise<void> {
  const file = join(installation.folder, `keys-${randomBytes(4).toString('hex')}`);
  await writeFile(file, `${encryptionKeys}\n`);
  const settings = { ...environment, TEMPORAL_ENCRYPTION_KEYS_FILE: file };
  const previous = running;
  running = await Promise.all([installation.startApi(settings), installation.startWorker(settings)]);
  expect(await Promise.all(previous.map(async (replica) => await replica.stop()))).toEqual(previous.map(() => 0));
}

/** Reads everything that the Temporal server stores about all workflows. */
async function readServerData(): Promise<unknown[]> {
  const connection = await Connection.connect({ address: installation.environment['TEMPORAL_ADDRESS'] ?? '' });
  try {
    const { workflowService } = connection;
    const namespace = 'default';
    const { executions } = await workflowService.listWorkflowExecutions({ namespace, pageSize: 1000 });
    const details = executions.map(async ({ execution }) => {
      const request = { namespace, execution: execution ?? null };
      const { history } = await workflowService.getWorkflowExecutionHistory({ ...request, maximumPageSize: 10_000 });
      return [history, await workflowService.describeWorkflowExecution(request)];
    });
    return [executions, ...(await Promise.all(details))];
  } finally {
    await connection.close();
  }
}

type Payload = { metadata: Record<string, Uint8Array>; data: Uint8Array };
const isPayload = (value: object): value is Payload =>
  'metadata' in value && 'data' in value && value.data instanceof Uint8Array;
const text = (bytes: Uint8Array | undefined): string => Buffer.from(bytes ?? []).toString();

/** Collects the payloads and all other text. Search attributes are skipped, because the server must read them. */
function collect(value: unknown, found: { payloads: Payload[]; text: string[]; failures: string[] }): typeof found {
  if (value instanceof Uint8Array) found.text.push(text(value));
  else if (typeof value === 'string') found.text.push(value);
  else if (typeof value === 'object' && value !== null) {
    if ('encodedAttributes' in value && 'message' in value) found.failures.push(String(value.message));
    if (isPayload(value)) found.payloads.push(value);
    for (const [name, part] of Object.entries(value)) if (name !== 'searchAttributes') collect(part, found);
  }
  return found;
}

describe.skipIf(executable === undefined)('an external Temporal server', () => {
  let api: ApiClient;

  beforeAll(async () => {
    installation = await Installation.start(executable ?? '');
    const authority = await createCertificateAuthority(join(installation.folder, 'authority'));
    tlsProxy = await startTemporalTlsProxy({
      targetAddress: installation.environment['TEMPORAL_ADDRESS'] ?? '',
      authority,
      apiKey,
    });
    const client = await authority.issue('delivery');
    const keyFile = join(installation.folder, 'api-key');
    await writeFile(keyFile, apiKey);
    environment = {
      TEMPORAL_ADDRESS: tlsProxy.address,
      TEMPORAL_TLS_SERVER_NAME: 'temporal.test',
      TEMPORAL_TLS_SERVER_CA_CERT_PATH: authority.file,
      TEMPORAL_TLS_CLIENT_CERT_PATH: client.certificate,
      TEMPORAL_TLS_CLIENT_KEY_PATH: client.key,
      TEMPORAL_API_KEY_FILE: keyFile,
    };
  }, 60_000);
  afterAll(async () => {
    await tlsProxy?.close();
    await installation?.close();
  });

  it('stores a Change encrypted only, although the keys are rotated on its way to production', async () => {
    await rollOut(`old:${keys.old}`);
    api = await installation.signInAsRoot();
    await createAcmeOrg(api);
    await api.post('/v1/orgs/acme/products', { name: 'hello', spec: { repos: ['acme/hello'] } });
    // This failure names the repo, which must not be readable either.
    await api.post('/v1/orgs/acme/products', { name: 'ghost', spec: { repos: ['acme/ghost'] } });
    await expect(openIssue(api, 'ghost', { title: 'Boo' })).rejects.toThrow('acme/ghost');
    const run = await startChange(api, 'hello', 'Greet visitors by name');
    await waitUntil(
      async () => await getRun(api, run),
      ({ status }) => status.pullRequest !== undefined,
    );
    // All processes can decrypt with the new key before one of them encrypts with it.
    await rollOut(`old:${keys.old},new:${keys.new}`);
    await rollOut(`new:${keys.new},old:${keys.old}`);
    await waitUntil(
      async () => await approvePending(api, run),
      (phase) => phase === 'Succeeded',
      240_000,
    );

    const {
      payloads,
      text: texts,
      failures,
    } = collect(await readServerData(), {
      payloads: [],
      text: [],
      failures: [],
    });
    const isEncrypted = ({ metadata }: Payload): boolean => text(metadata['encoding']) === 'binary/encrypted';
    // The SDK stores the markers of local activities and patches unencrypted.
    const markers = payloads
      .filter((payload) => !isEncrypted(payload))
      .map(({ data }) => JSON.parse(text(data)) as object);
    expect(markers.filter((marker) => !('activity_type' in marker) && !('deprecated' in marker))).toEqual([]);
    const ofActivities = [
      'attempt',
      'activity_id',
      'activity_type',
      'complete_time',
      'backoff',
      'original_schedule_time',
    ];
    expect(new Set(markers.flatMap((marker) => Object.keys(marker)))).toEqual(
      new Set(['seq', ...ofActivities, 'id', 'deprecated']),
    );
    // The server writes only messages about timeouts itself.
    const messages = failures.filter((message) => !/^activity \w+ timeout$/.test(message));
    expect([...new Set(messages)]).toEqual(['Encoded failure']);
    const keyIds = payloads.filter(isEncrypted).map(({ metadata }) => text(metadata['encryption-key-id']));
    expect(new Set(keyIds)).toEqual(new Set(['old', 'new']));
    const everything = texts.join('\n');
    // These words occur in the issue, the files, the users and the failures of the Change.
    for (const word of [/Greet/, /visitors/, /server\.js/, /root@/, /\bcommit\b/, /http:/])
      expect(word.test(everything), String(word)).toBe(false);
    process.stdout.write(`${payloads.length} payloads, ${everything.length} other characters\n`);
  }, 360_000);
});
