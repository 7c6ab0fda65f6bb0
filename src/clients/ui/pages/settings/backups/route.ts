import { createRoute } from '@tanstack/react-router';
import { lazyPage } from '../../../parts/lazy-file.ts';
import { ownSettings } from '../parents.ts';

export const backupsRoute = createRoute({
  getParentRoute: () => ownSettings,
  path: '/backups',
  component: lazyPage(() => import('./backups-page.tsx'), 'BackupsPage'),
});
