import { createRoute } from '@tanstack/react-router';
import { signedIn } from '../../shell/parents.tsx';
import { pickTexts } from '../../shell/search.ts';
import { lazyPage } from '../../parts/lazy-file.ts';

export const deviceRoute = createRoute({
  getParentRoute: () => signedIn,
  path: '/device',
  validateSearch: (search): { code?: string } => pickTexts(search, 'code'),
  component: lazyPage(() => import('./device-page.tsx'), 'DevicePage'),
});
