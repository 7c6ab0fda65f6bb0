import type { Signature } from './git/commits.ts';
import type { Host } from './host.ts';
import type { Account } from './rows.ts';
import { hostTime } from './times.ts';

type Accounts = Pick<Host, 'database'>;

export const findAccount = ({ database }: Accounts, login: string): Account | undefined =>
  database.one<Account>('SELECT * FROM accounts WHERE login = ?', login);

export function accountById({ database }: Accounts, id: number): Account {
  const account = database.one<Account>('SELECT * FROM accounts WHERE id = ?', id);
  if (account === undefined) throw new Error(`no account ${id}`);
  return account;
}

/** Finds the account or makes it. */
export function ensureAccount({ database }: Accounts, login: string, type: Account['type']): Account {
  const found = findAccount({ database }, login);
  if (found !== undefined) return found;
  return accountById({ database }, database.insert('accounts', { login, type, createdAt: hostTime() }));
}

const nodeId = (id: number): string => Buffer.from(`account:${id}`).toString('base64url');

/** A person, bot or organization as the author or owner of something. */
export function accountShape({ url, apiUrl }: Host, { id, login, type }: Account) {
  const self = `${apiUrl}/users/${encodeURIComponent(login)}`;
  return {
    login,
    id,
    node_id: nodeId(id),
    avatar_url: `${url}/avatars/u/${id}`,
    gravatar_id: '',
    url: self,
    html_url: type === 'Bot' ? `${url}/apps/${login.replace(/\[bot\]$/, '')}` : `${url}/${login}`,
    followers_url: `${self}/followers`,
    organizations_url: `${self}/orgs`,
    repos_url: `${self}/repos`,
    events_url: `${self}/events{/privacy}`,
    received_events_url: `${self}/received_events`,
    type,
    user_view_type: 'public',
    site_admin: false,
  };
}

export function organizationShape({ url, apiUrl }: Host, { id, login }: Account) {
  const self = `${apiUrl}/orgs/${login}`;
  return {
    login,
    id,
    node_id: nodeId(id),
    url: self,
    repos_url: `${self}/repos`,
    events_url: `${self}/events`,
    hooks_url: `${self}/hooks`,
    issues_url: `${self}/issues`,
    members_url: `${self}/members{/member}`,
    public_members_url: `${self}/public_members{/member}`,
    avatar_url: `${url}/avatars/u/${id}`,
    description: '',
  };
}

const noReply = 'users.noreply.github.com';

export const signatureOf = ({ id, login }: Account): Signature => ({
  name: login,
  email: `${id}+${login}@${noReply}`,
  date: hostTime(),
});

/** Who committed, where the address is one that this host gave out. */
export function accountOfEmail(host: Accounts, email: string): Account | undefined {
  const [, login] = /^(?:\d+\+)?(.+)@users\.noreply\./.exec(email) ?? [];
  return login === undefined ? undefined : findAccount(host, login);
}
