import { getAccount, toAccountJson } from './accounts.ts';
import type { Host } from './host.ts';
import type { AppRow, Installation } from './tables.ts';

export function toAppJson(host: Host, app: AppRow) {
  return {
    id: app.id,
    client_id: app.clientId,
    slug: app.slug,
    node_id: Buffer.from(`app:${app.id}`).toString('base64url'),
    owner: toAccountJson(host, getAccount(host, app.ownerId)),
    name: app.name,
    description: app.description,
    external_url: app.url,
    html_url: `${host.url}/apps/${app.slug}`,
    created_at: app.createdAt,
    updated_at: app.createdAt,
    permissions: { metadata: 'read', ...(JSON.parse(app.permissions) as Record<string, string>) },
    events: JSON.parse(app.events) as string[],
  };
}

export function toInstallationJson(host: Host, app: AppRow, installation: Installation) {
  const account = getAccount(host, installation.accountId);
  const { permissions, events } = toAppJson(host, app);
  const settings = account.type === 'Organization' ? `organizations/${account.login}/settings` : 'settings';
  return {
    id: installation.id,
    client_id: app.clientId,
    account: toAccountJson(host, account),
    repository_selection: 'all',
    access_tokens_url: `${host.apiUrl}/app/installations/${installation.id}/access_tokens`,
    repositories_url: `${host.apiUrl}/installation/repositories`,
    html_url: `${host.url}/${settings}/installations/${installation.id}`,
    app_id: app.id,
    app_slug: app.slug,
    target_id: account.id,
    target_type: account.type,
    permissions,
    events,
    created_at: installation.createdAt,
    updated_at: installation.createdAt,
    single_file_name: null,
    has_multiple_single_files: false,
    single_file_paths: [],
    suspended_by: null,
    suspended_at: null,
  };
}
