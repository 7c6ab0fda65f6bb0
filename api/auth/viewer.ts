import type { Context } from 'hono';
import type { OrgRole } from '../../src/rules/access/roles.ts';
import type { ApiEnv } from '../deps.ts';

/** The caller for whom a view lists the allowed actions. */
export type Viewer = { org: string; role: OrgRole | undefined; email: string };

export const getViewer = (c: Context<ApiEnv>, org: string): Viewer => ({
  org,
  role: c.get('role'),
  email: c.get('caller').email,
});
