import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { listOperations, type OpenApiDocument } from '../../api/reference/document-types.ts';
import { ensureNodeTools, ensurePythonTools, requireTool } from '../support/api-tools/ensure-api-tools.ts';
import { runSchemathesis } from '../support/api-tools/run-schemathesis.ts';
import { usePythonClient } from '../support/api-tools/use-python-client.ts';
import { useTypeScriptClient } from '../support/api-tools/use-typescript-client.ts';
import { rootUser, TestPlatform } from '../support/platform/test-platform.ts';
import { isExhaustive, sample, testSeed } from '../support/sample.ts';

const run = promisify(execFile);
const readme = fileURLToPath(new URL('../../README.md', import.meta.url));
const unlimited = '100000000';
/** Generated requests would reach the limits at once; each pretends to come from another address. */
const withoutLimits = {
  QUOTA_REQUESTS_PER_USER_PER_MINUTE: unlimited,
  QUOTA_TOKENS_PER_USER: unlimited,
  QUOTA_STREAMS_PER_USER: unlimited,
  QUOTA_PRODUCTS_PER_ORG: unlimited,
  QUOTA_ZONES_PER_ORG: unlimited,
  QUOTA_DOMAINS_PER_ORG: unlimited,
  TRUSTED_PROXIES: '127.0.0.1/32,::1/128',
};

let platform: TestPlatform;
let output: string;
beforeAll(async () => {
  const [, walkThrough = ''] = (await readFile(readme, 'utf8')).split('## Walk-through\n');
  const script = [...walkThrough.matchAll(/^```sh\n(.*?)^```/gms)].map(([, commands]) => commands).join('\n');
  platform = await TestPlatform.start(withoutLimits);
  const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', script], {
    cwd: platform.dataDir,
    env: { PATH: process.env['PATH'], HOME: platform.dataDir, DATA_DIR: platform.dataDir, SERVICE_URL: platform.url },
    timeout: 120_000,
  });
  output = stdout;
});
afterAll(async () => await platform.remove());

const readDocument = async (): Promise<OpenApiDocument> =>
  (await (await fetch(`${platform.url}/api/openapi.json`)).json()) as OpenApiDocument;

it('runs the walk-through of the README to production without changes', () => {
  expect(output).toContain('<h1>Hello, Ada</h1>');
});

describe('a client that is generated from the OpenAPI document', () => {
  const received = {
    me: rootUser.email,
    orgs: ['acme'],
    products: [['hello', ['acme/hello']]],
    zones: ['hello-prod', 'hello-rc'],
    production: 'hello-v0.1.0',
    run: ['Succeeded', true, true],
    release: ['Succeeded', 'v0.1.0'],
    stale: [412, 'precondition-failed'],
    current: [200, 'hello'],
    missing: [404, 'not-found'],
    issue: ['Greet visitors in their language', true],
  };
  const getAccess = async () => ({
    document: await readDocument(),
    baseUrl: `${platform.url}/api`,
    token: await platform.mintToken(),
  });

  const timeout = 900_000;
  it('has correct types and reads what the API returns, in TypeScript', { timeout }, async (context) => {
    const tools = requireTool(await ensureNodeTools(), context);
    const mistyped = [422, '/title'];
    expect(await useTypeScriptClient(tools, await getAccess())).toEqual({ ...received, mistyped });
  });

  it('has correct types and reads what the API returns, in Python', { timeout }, async (context) => {
    const tools = requireTool(await ensurePythonTools(), context);
    const { warnings, printed } = await usePythonClient(tools, await getAccess());
    expect(printed).toEqual(received);
    // The generator supports neither bodies that are images or archives nor responses of any type.
    expect(warnings).toEqual([
      'WARNING parsing POST /v1/orgs/{org}/archives within products. Endpoint will not be generated.',
      'WARNING parsing GET /v1/orgs/{org}/products/{product}/logo within products.',
      'WARNING parsing PUT /v1/orgs/{org}/products/{product}/logo within products. Endpoint will not be generated.',
      'WARNING parsing GET /v1/orgs/{org}/artifacts/{artifact} within changes.',
      'WARNING parsing GET /v1/orgs/{org}/artifacts/{artifact} within changes.',
    ]);
  });
});

describe(`generated requests (TEST_SEED=${testSeed})`, () => {
  const password = rootUser.password;
  const tokens: Record<string, string> = {};
  beforeAll(async () => {
    const root = await platform.signIn(rootUser);
    const createUser = async (name: string): Promise<void> => {
      const email = `${name}@example.com`;
      await platform.createUser({ email, password });
      tokens[name] = await platform.mintToken({ email, password });
    };
    const putGroups = async (org: string, accessGroups: { name: string; role: string; members: string[] }[]) => {
      const { resourceVersion } = await root.get<{ resourceVersion: string }>(`/v1/orgs/${org}/access-groups`);
      await root.put(`/v1/orgs/${org}/access-groups`, { accessGroups, resourceVersion });
    };
    for (const name of ['member', 'viewer', 'stranger', 'spare']) await createUser(name);
    await root.post('/v1/orgs', { name: 'beta' });
    await putGroups('acme', [
      { name: 'members', role: 'member', members: ['member@example.com'] },
      { name: 'viewers', role: 'viewer', members: ['viewer@example.com'] },
    ]);
    await putGroups('beta', [{ name: 'admins', role: 'org-admin', members: ['stranger@example.com'] }]);
    tokens['root'] = await platform.mintToken();
  });

  // The root user comes last, because its requests delete what the others read.
  const callers = ['anonymous', 'stranger', 'viewer', 'member', 'root'];
  const tested = isExhaustive ? callers : sample(callers, 1);
  it.for(tested)(
    'are answered as the document says when %s sends them',
    { timeout: isExhaustive ? 3_600_000 : 900_000 },
    async (caller, context) => {
      const tools = requireTool(await ensurePythonTools(), context);
      const operations = listOperations(await readDocument()).map(({ operation }) => operation.operationId);
      const operationIds = sample(operations, 4);
      const runs = await (
        await platform.signIn(rootUser)
      ).get<{ items: { name: string }[] }>('/v1/orgs/acme/agentworkflowruns');
      const report = await runSchemathesis(tools, {
        url: platform.url,
        token: tokens[caller],
        spareToken: tokens['spare'] ?? '',
        examples: isExhaustive ? 100 : 5,
        names: {
          org: ['acme'],
          product: ['hello'],
          zone: ['hello-rc', 'hello-prod'],
          run: runs.items.map(({ name }) => name),
          step: ['implement', 'approve-change'],
        },
        operationIds,
      });
      expect(report.findings).toBe('');
      expect(report.tested).toBe(operationIds.length);
    },
  );
});
