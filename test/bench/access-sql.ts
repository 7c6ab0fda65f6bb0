import { DatabaseSync } from 'node:sqlite';
import type { AccessGroupSpec } from '../../src/rules/access/kinds.ts';
import type { ProviderGroup } from '../../src/rules/access/provider-group.ts';
import { orgRoles, type OrgRole } from '../../src/rules/access/roles.ts';

const schema = `
  CREATE TABLE tokens (name TEXT PRIMARY KEY, email TEXT);
  CREATE TABLE users (email TEXT PRIMARY KEY, is_admin INTEGER);
  CREATE TABLE user_groups (email TEXT, provider TEXT, name TEXT);
  CREATE TABLE orgs (name TEXT PRIMARY KEY);
  CREATE TABLE members (org TEXT, access_group TEXT, role INTEGER, email TEXT);
  CREATE TABLE granted (org TEXT, access_group TEXT, role INTEGER, provider TEXT, name TEXT);
  CREATE INDEX user_groups_email ON user_groups (email);
  CREATE INDEX user_groups_name ON user_groups (provider, name);
  CREATE INDEX members_org_email ON members (org, email);
  CREATE INDEX members_email ON members (email);
  CREATE INDEX granted_org_name ON granted (org, provider, name);
  CREATE INDEX granted_name ON granted (provider, name);
`;
const reasons = `
  SELECT org, access_group, role, email FROM members
  UNION ALL SELECT org, access_group, role, email FROM granted JOIN user_groups USING (provider, name)`;
const queries = {
  decide: `
    SELECT users.is_admin, orgs.name, max(
      coalesce((SELECT max(role) FROM members WHERE members.org = orgs.name AND members.email = users.email), -1),
      coalesce((
        SELECT max(role) FROM user_groups CROSS JOIN granted USING (provider, name)
        WHERE user_groups.email = users.email AND granted.org = orgs.name
      ), -1)
    ) AS role
    FROM tokens JOIN users USING (email) JOIN orgs ON orgs.name = ? WHERE tokens.name = ?`,
  people: `
    SELECT email, max(role) AS role, json_group_array(access_group) AS reasons FROM (${reasons}) AS reason
    WHERE org = ? GROUP BY email ORDER BY email LIMIT 200`,
  person: `
    SELECT email, max(role) AS role, json_group_array(access_group) AS reasons FROM (${reasons}) AS reason
    WHERE org = ? AND email = ? GROUP BY email`,
  counts: `SELECT role, count(*) AS people FROM (SELECT max(role) AS role FROM (${reasons}) AS reason WHERE org = ? GROUP BY email) GROUP BY role`,
  orgs: `SELECT org, max(role) AS role FROM (${reasons}) AS reason WHERE email = ? GROUP BY org ORDER BY org`,
};

/** The same people in indexed tables, and the SQL that an application would ask them with. */
export function startAccessSql() {
  const database = new DatabaseSync(':memory:');
  database.exec(schema);
  const insert = (table: string, ...values: (string | number)[]): void =>
    void database.prepare(`INSERT INTO ${table} VALUES (${values.map(() => '?').join()})`).run(...values);
  const statements = new Map(Object.entries(queries).map(([name, sql]) => [name, database.prepare(sql)]));
  const ask = (name: keyof typeof queries, ...values: string[]) => statements.get(name)?.all(...values) ?? [];
  const toRole = (index: unknown): OrgRole | undefined => orgRoles[Number(index ?? -1)];
  const toPerson = ({ email, role, reasons: groups }: Record<string, unknown>) => ({
    email: String(email),
    role: toRole(role),
    reasons: (JSON.parse(String(groups)) as string[]).toSorted(),
  });
  return {
    addOrg: (org: string): void => insert('orgs', org),
    addToken: (name: string, email: string): void => insert('tokens', name, email),
    addUser: (email: string, groups: readonly ProviderGroup[]): void => {
      insert('users', email, 0);
      for (const { provider, group } of groups) insert('user_groups', email, provider, group);
    },
    addGroup: (org: string, { name, role, members, providerGroups = [] }: AccessGroupSpec): void => {
      for (const email of members) insert('members', org, name, orgRoles.indexOf(role), email);
      for (const { provider, group } of providerGroups)
        insert('granted', org, name, orgRoles.indexOf(role), provider, group);
    },
    decide: (org: string, token: string): OrgRole | undefined => toRole(ask('decide', org, token)[0]?.['role']),
    listPeople: (org: string) => ({
      items: ask('people', org).map(toPerson),
      counts: Object.fromEntries(
        orgRoles.map((role, index) => [role, ask('counts', org).find((one) => one['role'] === index)?.['people'] ?? 0]),
      ),
    }),
    findPerson: (org: string, email: string) => ask('person', org, email).map(toPerson),
    listOrgs: (email: string) => ask('orgs', email).map(({ org, role }) => ({ org, role: toRole(role) })),
    close: (): void => database.close(),
  };
}
