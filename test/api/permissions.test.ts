import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { sessionCookie } from '../../api/auth/authenticate.ts';
import { issueToken, tokenHolder } from '../../api/auth/issue-token.ts';
import { AccessGroupKind, UserKind, type ApiToken, type User } from '../../src/rules/access/kinds.ts';
import { orgRoles } from '../../src/rules/access/roles.ts';
import { userName } from '../../src/rules/access/user-name.ts';
import { orgNamespace, systemNamespace } from '../../src/rules/resource.ts';
import type { Store } from '../../src/store/store.ts';
import { createOrg, startApi } from '../support/start-api.ts';

type Row = { operation: string; method: string; path: string; cells: Record<string, string> };

/** Reads the checked-in table, so that a route that changes must differ from it. */
function readTable(): Row[] {
  const lines = readFileSync('deploy/PERMISSIONS.md', 'utf8').split('\n');
  const toCells = (line: string): string[] =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim().replaceAll('`', ''));
  const head = toCells(lines.find((line) => line.startsWith('| Operation')) ?? '');
  return lines
    .filter((line) => line.startsWith('| `'))
    .map((line) => {
      const [operation = '', request = '', ...cells] = toCells(line);
      const [method = '', path = ''] = request.split(' ');
      return {
        operation,
        method,
        path,
        cells: Object.fromEntries(cells.map((cell, index) => [head[index + 2], cell])),
      };
    });
}

const credentials = {
  token: { use: 'token' },
  session: { use: 'session' },
  'password session': { use: 'session', signInMethod: 'password' },
} as const satisfies Record<string, Pick<ApiToken['spec'], 'use' | 'signInMethod'>>;
type CredentialName = keyof typeof credentials;

/** Returns the credentials that a cell of the table allows. */
function listAllowed(cell: string): CredentialName[] {
  if (cell === '–') return [];
  if (cell === 'session, token') return ['token', 'session', 'password session'];
  return cell === 'session' ? ['session', 'password session'] : ['password session'];
}

async function createPerson(store: Store, caller: string): Promise<User> {
  const name = caller.replaceAll(' ', '-');
  const email = `${name}@example.com`;
  const user = await store.create(UserKind, {
    metadata: { namespace: systemNamespace, name: userName(email) },
    spec: { email, platformAdmin: caller === 'platform admin' },
  });
  const isOfAnotherOrg = caller === 'admin of another org';
  const role = isOfAnotherOrg ? 'org-admin' : orgRoles.find((candidate) => candidate === caller);
  if (role)
    await store.create(AccessGroupKind, {
      metadata: { namespace: orgNamespace(isOfAnotherOrg ? 'beta' : 'acme'), name },
      spec: { name, role, members: [email] },
    });
  return user;
}

const fillPath = (path: string): string =>
  path
    .replace('{org}', 'acme')
    .replace('{number}', '1')
    .replaceAll(/\{\w+\}/g, 'some');

/** The reasons that refuse a caller, not what the caller asks for. */
const refusals = ['not-signed-in', 'insufficient-role', 'session-required', 'password-session-required'];

async function readOutcome(response: Response): Promise<string> {
  if (!response.headers.get('Content-Type')?.startsWith('application/problem+json')) {
    await response.body?.cancel();
    return 'allowed';
  }
  const { reason = '' } = (await response.json()) as { reason?: string };
  return refusals.includes(reason) ? `${response.status} ${reason}` : 'allowed';
}

function expectOutcome(cell: string, name: CredentialName): string[] {
  if (listAllowed(cell).includes(name)) return ['allowed'];
  if (cell === '–') return ['403 insufficient-role'];
  return [cell === 'session' ? '403 session-required' : '403 password-session-required'];
}

/** Calls an operation as everyone in every way, and returns the cells that the API contradicts. */
async function findContradictions({
  operation,
  method,
  path,
  cells,
}: Row): Promise<{ tried: number; wrong: string[] }> {
  const { request, store } = await startApi({ role: 'anonymous' });
  await createOrg(store, 'beta');
  const wrong: string[] = [];
  let tried = 0;
  const call = async (headers: Record<string, string>) =>
    await readOutcome(
      // No operation accepts this media type, so an allowed call changes nothing that needs a body.
      await request(fillPath(path), { method, headers: { ...headers, 'Content-Type': 'text/plain' } }),
    );
  for (const [caller, cell] of Object.entries(cells)) {
    if (['open', 'own secret'].includes(cell)) continue;
    if (caller === 'anonymous') {
      tried += 1;
      const outcome = await call({});
      if (outcome !== '401 not-signed-in') wrong.push(`${operation} by anonymous: ${outcome}`);
      continue;
    }
    const user = await createPerson(store, caller);
    for (const name of Object.keys(credentials) as CredentialName[]) {
      // Each call has a credential of its own, because signing out ends it.
      const { token } = await issueToken(store, { ...credentials[name], ...tokenHolder(user), label: name }, user);
      const outcome = await call(
        name === 'token' ? { Authorization: `Bearer ${token}` } : { Cookie: `${sessionCookie}=${token}` },
      );
      tried += 1;
      if (!expectOutcome(cell, name).includes(outcome))
        wrong.push(`${operation} by ${caller} with ${name}: ${outcome}`);
    }
  }
  return { tried, wrong };
}

describe('the table of who may call what', () => {
  it('is what the API does, in every cell and with every credential', { timeout: 240_000 }, async () => {
    const results = [];
    for (const row of readTable()) results.push(await findContradictions(row));
    expect(results.flatMap(({ wrong }) => wrong)).toEqual([]);
    expect(results.reduce((sum, { tried }) => sum + tried, 0)).toBeGreaterThan(1_800);
  });

  it('lets no request through that must prove itself and does not', async () => {
    const { request } = await startApi({ role: 'anonymous' });
    const rows = readTable().filter(({ cells }) => cells['anonymous'] === 'own secret');
    expect(rows.map(({ operation }) => operation)).toContain('createRootUser');
    for (const { operation, method, path } of rows) {
      const { status } = await request(fillPath(path), { method });
      expect(`${operation} ${status >= 400 && status < 500}`).toBe(`${operation} true`);
    }
  });
});
