import { timingSafeEqual } from 'node:crypto';
import { ensureAccount, findAccount } from './accounts.ts';
import { hashToken } from './hash-token.ts';
import type { Host } from './host.ts';
import type { Account, PersonRow } from './tables.ts';

type HasDatabase = Pick<Host, 'database'>;

export type Email = { email: string; primary: boolean; verified: boolean };

export type Person = {
  login: string;
  password: string;
  emails: Email[];
  /** Names of the form `organization/team`; the person is a member of each organization. */
  teams?: string[];
  /** Further organizations that the person is a member of. */
  organizations?: string[];
};

/** Saves a person and their memberships in place of the ones before. */
export function savePerson({ database }: HasDatabase, person: Person): Account {
  return database.transaction(() => {
    const account = ensureAccount({ database }, person.login, 'User');
    database.run('DELETE FROM people WHERE accountId = ?', account.id);
    database.run('DELETE FROM teamMembers WHERE accountId = ?', account.id);
    database.run('DELETE FROM orgMembers WHERE accountId = ?', account.id);
    database.insert('people', {
      accountId: account.id,
      passwordHash: hashToken(person.password),
      emails: JSON.stringify(person.emails),
    });
    for (const team of person.teams ?? []) {
      const [org = '', slug = ''] = team.split('/');
      joinOrganization({ database }, account, org);
      database.insert('teamMembers', { teamId: ensureTeam({ database }, org, slug), accountId: account.id });
    }
    for (const org of person.organizations ?? []) joinOrganization({ database }, account, org);
    return account;
  });
}

function joinOrganization({ database }: HasDatabase, { id: accountId }: Account, login: string): void {
  const { id: orgId } = ensureAccount({ database }, login, 'Organization');
  database.run('INSERT OR IGNORE INTO orgMembers (orgId, accountId) VALUES (?, ?)', orgId, accountId);
}

function ensureTeam({ database }: HasDatabase, org: string, slug: string): number {
  const { id: orgId } = ensureAccount({ database }, org, 'Organization');
  const found = database.get<{ id: number }>('SELECT id FROM teams WHERE orgId = ? AND slug = ?', orgId, slug);
  return found?.id ?? database.insert('teams', { orgId, slug });
}

/** Returns the account of a name and a password, or undefined when they are wrong. */
export function findPersonByPassword(host: HasDatabase, login: string, password: string): Account | undefined {
  const account = findAccount(host, login);
  const person = account && findPerson(host, account);
  if (!person) return undefined;
  return timingSafeEqual(Buffer.from(person.passwordHash), Buffer.from(hashToken(password))) ? account : undefined;
}

const findPerson = ({ database }: HasDatabase, { id }: Account): PersonRow | undefined =>
  database.get<PersonRow>('SELECT * FROM people WHERE accountId = ?', id);

export function listEmails(host: HasDatabase, account: Account): Email[] {
  return JSON.parse(findPerson(host, account)?.emails ?? '[]') as Email[];
}

/** The owner of the machine is in every organization. */
export const listMemberOrganizations = (
  { database, owner }: Pick<Host, 'database' | 'owner'>,
  { id }: Account,
): Account[] =>
  database.all<Account>(
    `SELECT * FROM accounts WHERE type = 'Organization' AND (? OR id IN (SELECT orgId FROM orgMembers WHERE accountId = ?)) ORDER BY id`,
    id === owner.id ? 1 : 0,
    id,
  );

export type Team = { id: number; slug: string; orgId: number };

export const listMemberTeams = ({ database }: HasDatabase, { id }: Account): Team[] =>
  database.all<Team>(
    'SELECT teams.* FROM teams JOIN teamMembers ON teamId = teams.id WHERE accountId = ? ORDER BY teams.id',
    id,
  );
