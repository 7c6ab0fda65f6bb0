import { globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { startApi, type Role } from '../support/start-api.ts';

type Operation = {
  operationId: string;
  summary?: string;
  tags?: string[];
  'x-role'?: string;
  responses: Record<string, unknown>;
};
type Entry = { method: string; path: string; operation: Operation };

async function operations(): Promise<Entry[]> {
  const { request } = await startApi({ role: 'nobody' });
  const document = (await (await request('/openapi.json')).json()) as {
    paths: Record<string, Record<string, Operation>>;
  };
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}

const lowerRoles: Record<string, Role[]> = {
  anyone: [],
  'setup-token': [],
  'signed-in': [],
  viewer: ['no-role'],
  member: ['no-role', 'viewer'],
  'org-admin': ['no-role', 'viewer', 'member'],
  'platform-admin': ['no-role', 'viewer', 'member', 'org-admin'],
};
const kebab = (name: string): string => name.replaceAll(/(?<!^)[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
const pathOf = (path: string): string => path.replace('{org}', 'acme').replaceAll(/\{\w+\}/g, 'some');
/** Sent to show that credentials and roles are looked at first: it is no body that any operation takes. */
const wrongBody = { 'Content-Type': 'text/plain' };

/** Every operation that takes something of its caller, with what it answers to a call. */
async function answers(call: (entry: Entry) => Promise<Response>): Promise<string[]> {
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
  it('declares a role, a summary and a tag, and the refusals that its role brings', async () => {
    const incomplete = (await operations()).filter(({ operation: { summary, tags, responses, ...operation } }) => {
      const lower = lowerRoles[operation['x-role'] ?? ''];
      const refusals = [...(operation['x-role'] === 'anyone' ? [] : ['401']), ...(lower?.length ? ['403'] : [])];
      return !lower || !summary || tags?.length !== 1 || refusals.some((status) => !(status in responses));
    });
    expect(incomplete).toEqual([]);
  });

  it('is in the file of its name, and nowhere else', async () => {
    const files = globSync('api/*/*.ts').filter((file) => readFileSync(file, 'utf8').includes('createRoute('));
    const named = (await operations()).map(({ operation }) => `${kebab(operation.operationId)}.ts`);
    expect(new Set(files.map((file) => file.split('/').at(-1)))).toEqual(new Set(named));
    expect(files).toHaveLength(named.length);
  });

  it('401: knows nobody without credentials, and says so before anything else', async () => {
    const { request } = await startApi({ role: 'nobody' });
    const all = await answers(({ method, path }) => request(pathOf(path), { method, headers: wrongBody }));
    expect(all.filter((answer) => !notSignedIn.test(answer))).toEqual([]);
  });

  it('401: knows no token that was made up', async () => {
    const { request } = await startApi({ role: 'nobody' });
    const headers = { Authorization: `Bearer svc_${'0'.repeat(49)}`, 'X-Service-Setup-Token': 'guess' };
    const all = await answers(({ method, path }) => request(pathOf(path), { method, headers }));
    expect(all.filter((answer) => !notSignedIn.test(answer))).toEqual([]);
  });

  it('403: refuses every role below its own, before it looks at the request', async () => {
    const { request } = await startApi();
    const calls = (await operations()).flatMap(({ method, path, operation }) =>
      (lowerRoles[operation['x-role'] ?? ''] ?? []).map(async (role) => {
        const { status } = await request(pathOf(path), { method, role, headers: wrongBody });
        return `${status} from ${operation.operationId} to ${role}`;
      }),
    );
    const all = await Promise.all(calls);
    expect(all.length).toBeGreaterThan(80);
    expect(all.filter((answer) => !answer.startsWith('403'))).toEqual([]);
  });

  it('403: says the same of an org that exists and one that does not', async () => {
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
