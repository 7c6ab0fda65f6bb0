import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { RequiredRole } from '../../src/rules/access/roles.ts';
import { startApi, type CallerRole } from '../support/start-api.ts';
import { operationCredentials, operationRoles } from './operation-roles.ts';

type Operation = {
  operationId: string;
  summary?: string;
  tags?: string[];
  'x-role'?: RequiredRole;
  'x-credential'?: string;
  responses: Record<string, unknown>;
  requestBody?: { required?: boolean; content: Record<string, unknown> };
};
type Entry = { method: string; path: string; operation: Operation };

async function operations(): Promise<Entry[]> {
  const { request } = await startApi({ role: 'anonymous' });
  const document = (await (await request('/openapi.json')).json()) as {
    paths: Record<string, Record<string, Operation>>;
  };
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}

const lowerRoles: Record<RequiredRole, CallerRole[]> = {
  anyone: [],
  'setup-token': [],
  'signed-in': [],
  viewer: ['no-role'],
  member: ['no-role', 'viewer'],
  'org-admin': ['no-role', 'viewer', 'member'],
  'platform-admin': ['no-role', 'viewer', 'member', 'org-admin'],
};
const kebab = (name: string): string => name.replaceAll(/(?<!^)[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
const fillPath = (path: string): string =>
  path
    .replace('{org}', 'acme')
    .replace('{number}', '1')
    .replaceAll(/\{\w+\}/g, 'some');
/** No operation accepts this media type, so a 401 or 403 proves that the role is checked before the body. */
const wrongBody = { 'Content-Type': 'text/plain' };

/** Calls every operation that requires a role, and describes each response in one line. */
async function describeResponses(call: (entry: Entry) => Promise<Response>): Promise<string[]> {
  const guarded = (await operations()).filter(({ operation }) => operation['x-role'] !== 'anyone');
  expect(guarded.length).toBeGreaterThan(40);
  return Promise.all(
    guarded.map(async (entry) => {
      const { status, headers } = await call(entry);
      return `${status} ${headers.get('Content-Type')} ${headers.get('WWW-Authenticate')} from ${entry.operation.operationId}`;
    }),
  );
}
const notSignedIn = /^401 application\/problem\+json Bearer/;

describe('every operation', () => {
  it('declares a role, a summary, a tag and the problem responses of its role', async () => {
    const incomplete = (await operations()).filter(({ operation: { summary, tags, responses, ...operation } }) => {
      const lower = lowerRoles[operation['x-role'] ?? 'anyone'];
      const required = [...(operation['x-role'] === 'anyone' ? [] : ['401']), ...(lower?.length ? ['403'] : [])];
      return !lower || !summary || tags?.length !== 1 || required.some((status) => !(status in responses));
    });
    expect(incomplete).toEqual([]);
  });

  it('requires the role that test/api/operation-roles.ts writes down', async () => {
    const declared = (await operations()).map(({ operation }) => `${operation.operationId} ${operation['x-role']}`);
    const expected = Object.entries(operationRoles).flatMap(([role, names]) => names.map((name) => `${name} ${role}`));
    expect(declared.toSorted()).toEqual(expected.toSorted());
  });

  it('requires the credential that test/api/operation-roles.ts writes down', async () => {
    const declared = (await operations()).flatMap(
      ({ operation: { operationId, 'x-credential': credential = 'any' } }) =>
        credential === 'any' ? [] : [`${operationId} ${credential}`],
    );
    const expected = Object.entries(operationCredentials).flatMap(([credential, names]) =>
      names.map((name) => `${name} ${credential}`),
    );
    expect(declared.toSorted()).toEqual(expected.toSorted());
  });

  it('is defined in the file of its name and nowhere else', async () => {
    const files = globSync('api/*/*.ts', { exclude: ['api/http/**'] }).filter((file) =>
      readFileSync(file, 'utf8').includes('createRoute('),
    );
    const named = (await operations()).map(({ operation }) => `${kebab(operation.operationId)}.ts`);
    expect(new Set(files.map((file) => file.split('/').at(-1)))).toEqual(new Set(named));
    expect(files).toHaveLength(named.length);
  });

  it('401: rejects a request without credentials before it parses the request', async () => {
    const { request } = await startApi({ role: 'anonymous' });
    const all = await describeResponses(({ method, path }) => request(fillPath(path), { method, headers: wrongBody }));
    expect(all.filter((response) => !notSignedIn.test(response))).toEqual([]);
  });

  it('401: rejects an unknown token', async () => {
    const { request } = await startApi({ role: 'anonymous' });
    const headers = { Authorization: `Bearer svc_${'0'.repeat(49)}`, 'X-Service-Setup-Token': 'guess' };
    const all = await describeResponses(({ method, path }) => request(fillPath(path), { method, headers }));
    expect(all.filter((response) => !notSignedIn.test(response))).toEqual([]);
  });

  it('400: rejects a request without the body that it requires', async () => {
    const { request } = await startApi();
    const takesJson = (entry: Entry): boolean => 'application/json' in (entry.operation.requestBody?.content ?? {});
    const writes = (await operations()).filter((entry) => entry.operation.requestBody?.required && takesJson(entry));
    expect(writes.length).toBeGreaterThan(20);
    const headers = { 'X-Service-Setup-Token': 'the setup token' };
    const all = await Promise.all(
      writes.map(async ({ method, path, operation }) => {
        const { status } = await request(fillPath(path), { method, via: 'session', headers });
        return `${status} from ${operation.operationId}`;
      }),
    );
    // These authenticate by what the request itself contains, before its body is parsed.
    const unauthenticated = ['401 from createRootUser', '401 from receiveCodehostDelivery', '401 from receiveAlerts'];
    expect(all.filter((response) => !response.startsWith('400'))).toEqual(unauthenticated);
  });

  it('403: rejects every lower role before it parses the request', async () => {
    const { request } = await startApi();
    const calls = (await operations()).flatMap(({ method, path, operation }) =>
      (lowerRoles[operation['x-role'] ?? 'anyone'] ?? []).map(async (role) => {
        const { status } = await request(fillPath(path), { method, role, headers: wrongBody });
        return `${status} from ${operation.operationId} to ${role}`;
      }),
    );
    const all = await Promise.all(calls);
    expect(all.length).toBeGreaterThan(80);
    expect(all.filter((response) => !response.startsWith('403'))).toEqual([]);
  });

  it('403: responds the same for an org that exists and one that does not', async () => {
    const { request } = await startApi({ role: 'no-role' });
    const details = await Promise.all(
      ['acme', 'nowhere'].map(async (org) => {
        const { detail } = (await (await request(`/v1/orgs/${org}`)).json()) as { detail: string };
        return detail.replace(org, '');
      }),
    );
    expect(details[0]).toBe(details[1]);
  });
});
