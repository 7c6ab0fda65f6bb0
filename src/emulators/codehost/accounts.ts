import type { Signature } from './git/commits.ts';
import type { Host } from './host.ts';
import type { Account } from './tables.ts';
import { formatTimestamp } from './format-timestamp.ts';

type HasDatabase = Pick<Host, 'database'>;

export const findAccount = ({ database }: HasDatabase, login: string): Account | undefined =>
  database.get<Account>('SELECT * FROM accounts WHERE login = ?', login);

export function getAccount({ database }: HasDatabase, id: number): Account {
  const account = database.get<Account>('SELECT * FROM accounts WHERE id = ?', id);
  if (account === undefined) throw new Error(`no account ${id}`);
  return account;
}

export function ensureAccount({ database }: HasDatabase, login: string, type: Account['type']): Account {
  const found = findAccount({ database }, login);
  if (found !== undefined) return found;
  return getAccount({ database }, database.insert('accounts', { login, type, createdAt: formatTimestamp() }));
}

const toNodeId = (id: number): string => Buffer.from(`account:${id}`).toString('base64url');

/** The form of a person, bot or organization as the author or owner of a resource. */
export function toAccountJson({ url, apiUrl }: Host, { id, login, type }: Account) {
  const self = `${apiUrl}/users/${encodeURIComponent(login)}`;
  return {
    login,
    id,
    node_id: toNodeId(id),
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

export function toOrganizationJson({ url, apiUrl }: Host, { id, login }: Account) {
  const self = `${apiUrl}/orgs/${login}`;
  return {
    login,
    id,
    node_id: toNodeId(id),
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

const noReplyDomain = 'users.noreply.github.com';

export const toSignature = ({ id, login }: Account): Signature => ({
  name: login,
  email: `${id}+${login}@${noReplyDomain}`,
  date: formatTimestamp(),
});

/** Only noreply addresses of this host identify an account. */
export function findAccountByEmail(host: HasDatabase, email: string): Account | undefined {
  const [, login] = /^(?:\d+\+)?(.+)@users\.noreply\./.exec(email) ?? [];
  return login === undefined ? undefined : findAccount(host, login);
}
