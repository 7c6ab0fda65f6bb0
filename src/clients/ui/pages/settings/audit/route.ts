import { createRoute } from '@tanstack/react-router';
import type { AuditFilter } from '../../../api/queries/audit.ts';
import { lazyPage } from '../../../parts/lazy-file.ts';
import { pickTexts } from '../../../shell/search.ts';
import { orgSettings, ownSettings } from '../parents.ts';

/** `entry` is the id of the entry whose details are shown. */
export type AuditSearch = AuditFilter & { entry?: string };

/** The API refuses a result that it does not know. */
const validateSearch = (search: Record<string, unknown>): AuditSearch =>
  pickTexts(search, 'by', 'operation', 'name', 'result', 'since', 'until', 'after', 'entry') as AuditSearch;
const loadPage = async () => await import('./audit-pages.tsx');

export const auditRoute = createRoute({
  getParentRoute: () => orgSettings,
  path: '/audit',
  validateSearch,
  component: lazyPage(loadPage, 'OrgAuditPage'),
});

export const installationAuditRoute = createRoute({
  getParentRoute: () => ownSettings,
  path: '/audit',
  validateSearch,
  component: lazyPage(loadPage, 'InstallationAuditPage'),
});
