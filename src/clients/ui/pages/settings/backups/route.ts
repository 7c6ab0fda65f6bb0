import { createRoute } from '@tanstack/react-router';
import { backupSettingsQuery, backupsQuery, restoresQuery } from '../../../api/queries/backups.ts';
import { lazyPage } from '../../../parts/lazy-file.ts';
import { ownSettings } from '../parents.ts';

export const backupsRoute = createRoute({
  getParentRoute: () => ownSettings,
  path: '/backups',
  loader: async ({ context: { queryClient } }) =>
    await Promise.all([
      queryClient.ensureQueryData(backupSettingsQuery),
      queryClient.ensureQueryData(backupsQuery),
      queryClient.ensureQueryData(restoresQuery),
    ]),
  component: lazyPage(() => import('./backups-page.tsx'), 'BackupsPage'),
});
