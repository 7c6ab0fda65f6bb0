import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { signedIn } from '../../shell/parents.tsx';
import { toText } from '../../shell/search.ts';

export const deviceRoute = createRoute({
  getParentRoute: () => signedIn,
  path: '/device',
  validateSearch: (search): { code?: string } => {
    const code = toText(search['code']);
    return code === undefined ? {} : { code };
  },
  component: lazyRouteComponent(() => import('./device-page.tsx'), 'DevicePage'),
});
