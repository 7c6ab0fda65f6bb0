import { createRoute } from '@tanstack/react-router';
import { auditQuery, type AuditFilter } from '../../../api/queries/audit.ts';
import { lazyPage } from '../../../parts/lazy-file.ts';
import { defined, toText } from '../../../shell/search.ts';
import { orgSettings, ownSettings } from '../parents.ts';

const results = ['succeeded', 'refused', 'failed', 'unknown'] as const;

/** `entry` is the id of the entry whose details are shown. */
export type AuditSearch = AuditFilter & { entry?: string };

const validateSearch = (search: Record<string, unknown>): AuditSearch =>
  defined({
    by: toText(search['by']),
    operation: toText(search['operation']),
    name: toText(search['name']),
    result: results.find((one) => one === search['result']),
    since: toText(search['since']),
    until: toText(search['until']),
    after: toText(search['after']),
    entry: toText(search['entry']),
  });
const loaderDeps = ({ search: { entry: _entry, ...filter } }: { search: AuditSearch }): AuditFilter => filter;
const loadPage = async () => await import('./audit-pages.tsx');

export const auditRoute = createRoute({
  getParentRoute: () => orgSettings,
  path: '/audit',
  validateSearch,
  loaderDeps,
  loader: async ({ context: { queryClient }, params: { org }, deps }) =>
    await queryClient.ensureQueryData(auditQuery(org, deps)),
  component: lazyPage(loadPage, 'OrgAuditPage'),
});

export const installationAuditRoute = createRoute({
  getParentRoute: () => ownSettings,
  path: '/audit',
  validateSearch,
  loaderDeps,
  loader: async ({ context: { queryClient }, deps }) => await queryClient.ensureQueryData(auditQuery(undefined, deps)),
  component: lazyPage(loadPage, 'InstallationAuditPage'),
});
