import { createRoute } from '@tanstack/react-router';
import { signedIn } from '../../shell/parents.tsx';
import { toText } from '../../shell/search.ts';
import { lazyPage } from '../../parts/lazy-file.ts';

export const deviceRoute = createRoute({
  getParentRoute: () => signedIn,
  path: '/device',
  validateSearch: (search): { code?: string } => {
    const code = toText(search['code']);
    return code === undefined ? {} : { code };
  },
  component: lazyPage(() => import('./device-page.tsx'), 'DevicePage'),
});
