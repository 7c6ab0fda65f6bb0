// Measures how fast the API decides whether a person may do something, and tells who may and why, in an installation of
// 10,000 people, 500 access groups and 200 orgs. The baseline is the SQL that an application would run over indexed
// tables of the same people.
import { isDeepStrictEqual } from 'node:util';
import { requireRole } from '../../api/auth/require-role.ts';
import { issueToken, tokenHolder } from '../../api/auth/issue-token.ts';
import { loadConfig } from '../../src/config.ts';
import { AccessGroupKind, type AccessGroupSpec, UserKind } from '../../src/rules/access/kinds.ts';
import { orgRoles } from '../../src/rules/access/roles.ts';
import { userName } from '../../src/rules/access/user-name.ts';
import { orgNamespace, systemNamespace } from '../../src/rules/resource.ts';
import { openSqliteStore } from '../../src/store/sqlite.ts';
import { addIdentityProvider } from '../clients/ui/settings-fixture.ts';
import { createOrg, startApi } from '../support/start-api.ts';
import { startAccessSql } from './access-sql.ts';
import { formatTable, isMissed, type Row } from './table.ts';

const [people, orgs, groups] = [10_000, 200, 500];
/** A group at the identity provider has 200 people, and each person is in ten. */
const [providerGroups, groupsPerPerson] = [500, 10];
/** The org "org-0" has five groups that are as large as a group can be; the other orgs share the other groups. */
const [largeGroups, largeGroupMembers, groupMembers] = [5, 1_000, 20];
const [decisionMsMax, lookupMsMax] = [0.2, 100];
/** People who call the API. */
const callers = 200;
const rounds = 50;

const toEmail = (index: number): string => `person-${String(index % people).padStart(5, '0')}@example.com`;
const toOrgIndex = (group: number): number => (group < largeGroups ? 0 : 1 + ((group - largeGroups) % (orgs - 1)));
const toOrg = (group: number): string => `org-${String(toOrgIndex(group)).padStart(3, '0')}`;
const toProviderGroup = (index: number) => ({ provider: 'sso', group: `team-${index % providerGroups}` });
const listProviderGroups = (person: number) =>
  Array.from({ length: groupsPerPerson }, (_, index) => toProviderGroup(person * 7 + index * 13));
/** An org in which a group at the provider gives the person a role. */
const toOwnOrg = (person: number): string => toOrg((person * 7) % groups);
const largeOrg = toOrg(0);

type Answer = { ms: number; answer: unknown };
type PersonView = { email: string; role: string; reasons: { accessGroup: string }[] };
type PeopleView = { items: PersonView[]; counts: unknown };

const store = openSqliteStore({ file: ':memory:' });
const baseline = startAccessSql();
const closers: (() => Promise<void>)[] = [];
try {
  const tokens = await seed();
  const { app } = await startApi({
    store,
    isDocumented: false,
    // The same few people ask more often than people do.
    config: { quotas: { ...loadConfig({}).quotas, requestsPerUserPerMinute: 1_000_000 } },
    onCleanup: (close) => closers.push(close),
  });
  app.get('/api/v1/orgs/:org/decision', async (c) => {
    const { ms } = await time(async () => {
      for (const decide of requireRole('viewer').middleware) await decide(c, async () => {});
    });
    return c.json({ ms, answer: c.get('role') });
  });
  const read = async <T>(path: string, person = 0): Promise<T> => {
    const headers = { Authorization: `Bearer ${tokens[person % callers]}` };
    return (await (await app.request(`/api${path}`, { headers })).json()) as T;
  };
  const decide = async (person: number): Promise<Answer> => await read(`/v1/orgs/${toOwnOrg(person)}/decision`, person);
  const decideBySql = (person: number) => baseline.decide(toOwnOrg(person), toEmail(person));
  for (let person = 0; person < callers; person += 1) await decide(person);
  const rows = [
    await compare('a decision: credential, person, org and role', 20 * callers, {
      limit: decisionMsMax,
      service: async (turn) => await decide(turn % callers),
      sql: (turn) => decideBySql(turn % callers),
    }),
    await compare('a decision after a group of the org has changed', callers, {
      service: async (person) => {
        await touchGroup((person * 7) % groups);
        return await decide(person);
      },
      sql: decideBySql,
    }),
    await compare('who has a role in the largest org, and why: 200 people', rounds, {
      limit: lookupMsMax,
      service: async () => await time(async () => toPeople(await read(`/v1/access/orgs/${largeOrg}/people?limit=200`))),
      sql: () => baseline.listPeople(largeOrg),
    }),
    await compare('who has a role in a small org, and why', rounds, {
      limit: lookupMsMax,
      service: async (turn) =>
        await time(async () =>
          toPeople(await read(`/v1/access/orgs/${toOwnOrg(turn + 1)}/people?limit=200`, turn + 1)),
        ),
      sql: (turn) => baseline.listPeople(toOwnOrg(turn + 1)),
    }),
    await compare('which role one person has, and why', rounds, {
      limit: lookupMsMax,
      service: async (turn) =>
        await time(
          async () => toPeople(await read(`/v1/access/orgs/${largeOrg}/people?person=${toEmail(turn * 101)}`)).items,
        ),
      sql: (turn) => baseline.findPerson(largeOrg, toEmail(turn * 101)),
    }),
    await compare('the orgs of a person', rounds, {
      limit: lookupMsMax,
      service: async (turn) => await time(async () => (await read<{ orgs: unknown }>('/v1/me', turn)).orgs),
      sql: (turn) => baseline.listOrgs(toEmail(turn)),
    }),
  ];
  process.stdout.write(`${people} people, ${groups} access groups, ${orgs} orgs, median\n${formatTable(rows)}`);
  if (rows.some(isMissed)) process.exitCode = 1;
} finally {
  for (const close of closers) await close();
  baseline.close();
  await store.close();
}

/** Creates the people, groups and orgs in both, and returns the tokens of the callers. */
async function seed(): Promise<string[]> {
  const providerUid = await addIdentityProvider(store);
  for (let org = 0; org < orgs; org += 1) {
    const name = `org-${String(org).padStart(3, '0')}`;
    await createOrg(store, name);
    baseline.addOrg(name);
  }
  for (let group = 0; group < groups; group += 1) await addGroup(group);
  const tokens: string[] = [];
  const checkedAt = new Date().toISOString();
  for (let person = 0; person < people; person += 1) {
    if (person % 2_000 === 0) process.stderr.write(`Creating people: ${person} of ${people}\n`);
    const email = toEmail(person);
    const held = listProviderGroups(person);
    const metadata = { namespace: systemNamespace, name: userName(email) };
    const user = await store.create(UserKind, { metadata, spec: { email, platformAdmin: false } });
    const names = held.map(({ group }) => group);
    await store.updateStatus(UserKind, metadata, () => ({
      identities: [{ provider: 'sso', providerUid, groups: names, renewable: false, checkedAt }],
    }));
    baseline.addUser(email, held);
    if (person >= callers) continue;
    tokens.push((await issueToken(store, { use: 'token', ...tokenHolder(user), label: 'bench' }, user)).token);
    // The name of the token is the address, because only the number of look-ups matters to the SQL.
    baseline.addToken(email, email);
  }
  return tokens;
}

async function addGroup(index: number): Promise<void> {
  const name = `group-${String(index).padStart(3, '0')}`;
  const isLarge = index < largeGroups;
  const spec: AccessGroupSpec = {
    name,
    role: orgRoles[index % orgRoles.length] ?? 'viewer',
    members: Array.from({ length: isLarge ? largeGroupMembers : groupMembers }, (_, member) =>
      toEmail(isLarge ? index * largeGroupMembers + member : index * 37 + member * 61),
    ),
    providerGroups: [toProviderGroup(index), toProviderGroup(index + providerGroups / 2)],
  };
  await store.create(AccessGroupKind, { metadata: { namespace: orgNamespace(toOrg(index)), name }, spec });
  baseline.addGroup(toOrg(index), spec);
}

async function touchGroup(index: number): Promise<void> {
  const name = `group-${String(index).padStart(3, '0')}`;
  const group = await store.get(AccessGroupKind, { namespace: orgNamespace(toOrg(index)), name });
  const annotations = { touched: String(performance.now()) };
  await store.replace(AccessGroupKind, { ...group, metadata: { ...group.metadata, annotations } });
}

/** Measures the time of the processor, because the rest of the time belongs to other programs: no work waits here. */
async function time(work: () => unknown): Promise<Answer> {
  const startedAt = process.cpuUsage();
  const answer = await work();
  const { user, system } = process.cpuUsage(startedAt);
  return { ms: (user + system) / 1_000, answer };
}

/** Measures both in turns, and fails if they do not agree. */
async function compare(
  what: string,
  turns: number,
  sides: { limit?: number; service: (turn: number) => Promise<Answer>; sql: (turn: number) => unknown },
): Promise<Row> {
  const [own, other]: [number[], number[]] = [[], []];
  for (let turn = 0; turn < turns; turn += 1) {
    const [service, sql] = [await sides.service(turn), await time(() => sides.sql(turn))];
    if (!isDeepStrictEqual(service.answer, sql.answer))
      throw new Error(`${what}: ${JSON.stringify(service.answer)} differs from ${JSON.stringify(sql.answer)}`);
    own.push(service.ms);
    other.push(sql.ms);
  }
  const { limit } = sides;
  return { what, service: toMedian(own), baseline: toMedian(other), unit: 'ms', ...(limit !== undefined && { limit }) };
}

function toPeople({ items, counts }: PeopleView) {
  const toNames = (reasons: PersonView['reasons']) => reasons.map(({ accessGroup }) => accessGroup).toSorted();
  return { items: items.map(({ email, role, reasons }) => ({ email, role, reasons: toNames(reasons) })), counts };
}

function toMedian(times: number[]): number {
  return times.toSorted((one, other) => one - other)[times.length >> 1] ?? Number.NaN;
}
