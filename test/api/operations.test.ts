import { existsSync, globSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { startApi, type Role } from '../support/start-api.ts';

type Operation = {
  operationId: string;
  summary?: string;
  tags?: string[];
  'x-role'?: string;
  responses: Record<string, unknown>;
  deprecated?: boolean;
};
type Entry = { method: string; path: string; operation: Operation };

async function operations(): Promise<Entry[]> {
  const { request } = await startApi();
  const document = (await (await request('/openapi.json', { role: 'nobody' })).json()) as {
    paths: Record<string, Record<string, Operation>>;
  };
  return Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  );
}

const kebab = (name: string): string => name.replaceAll(/(?<!^)[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
const pathOf = (path: string): string => path.replace('{org}', 'acme').replaceAll(/\{\w+\}/g, 'some');
const lowerRoles: Record<string, Role[]> = {
  viewer: ['no-role'],
  member: ['no-role', 'viewer'],
  'org-admin': ['no-role', 'viewer', 'member'],
  'platform-admin': ['no-role', 'viewer', 'member', 'org-admin'],
};

describe('every operation', () => {
  it('declares a role, a summary and a tag, and the refusals that its role brings', async () => {
    for (const { operation } of await operations()) {
      const { operationId, summary, tags } = operation;
      const role = operation['x-role'];
      expect(role, operationId).toMatch(/^(anyone|setup-token|signed-in|viewer|member|org-admin|platform-admin)$/);
      expect(summary, operationId).toBeTruthy();
      expect(tags, operationId).toHaveLength(1);
      if (role !== 'anyone') expect(operation.responses, operationId).toHaveProperty('401');
      if (lowerRoles[role ?? '']) expect(operation.responses, operationId).toHaveProperty('403');
    }
  });

  it('is in the file of its name, and nowhere else', async () => {
    const files = globSync('api/*/*.ts').filter((file) => readFileSync(file, 'utf8').includes('createRoute('));
    const named = (await operations()).map(({ operation }) => `${kebab(operation.operationId)}.ts`);
    expect(files.map((file) => file.split('/').at(-1)).toSorted()).toEqual(named.toSorted());
    expect(existsSync('api/app.ts')).toBe(true);
  });

  it('401: knows nobody without credentials, and says so before anything else', async () => {
    const { request } = await startApi({ role: 'nobody' });
    for (const { method, path, operation } of await operations()) {
      if (operation['x-role'] === 'anyone') continue;
      const response = await request(pathOf(path), { method, headers: { 'Content-Type': 'text/plain' } });
      expect(response.status, operation.operationId).toBe(401);
      expect(response.headers.get('WWW-Authenticate')).toContain('Bearer');
      expect(response.headers.get('Content-Type')).toBe('application/problem+json');
    }
  });

  it('401: knows no token that was made up', async () => {
    const { request } = await startApi({ role: 'nobody' });
    for (const { method, path, operation } of await operations()) {
      if (operation['x-role'] === 'anyone') continue;
      const headers = { Authorization: `Bearer svc_${'0'.repeat(49)}`, 'X-Service-Setup-Token': 'guess' };
      expect((await request(pathOf(path), { method, headers })).status, operation.operationId).toBe(401);
    }
  });

  it('403: refuses every role below its own, before it looks at the request', async () => {
    const { request } = await startApi();
    for (const { method, path, operation } of await operations()) {
      for (const role of lowerRoles[operation['x-role'] ?? ''] ?? []) {
        const response = await request(pathOf(path), { method, role, headers: { 'Content-Type': 'text/plain' } });
        expect(response.status, `${operation.operationId} as ${role}`).toBe(403);
      }
    }
  });

  it('403: says the same of an org that exists and one that does not', async () => {
    const { request } = await startApi({ role: 'no-role' });
    const details = await Promise.all(
      ['acme', 'nowhere'].map(async (org) =>
        ((await (await request(`/v1/orgs/${org}`)).json()) as { detail: string }).detail.replace(org, ''),
      ),
    );
    expect(details[0]).toBe(details[1]);
  });
});
