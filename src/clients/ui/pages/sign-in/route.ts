import { createRoute } from '@tanstack/react-router';
import { toText } from '../../shell/search.ts';
import { statesWithMain } from '../../parts/route-problem.tsx';
import { root } from '../../shell/parents.tsx';
import { lazyPage } from '../../parts/lazy-file.ts';

export const signInRoute = createRoute({
  getParentRoute: () => root,
  ...statesWithMain,
  path: '/signin',
  validateSearch: (search): { to?: string } => {
    const to = toText(search['to']);
    // Only a path of this site: "//host" would leave it.
    return to !== undefined && /^\/(?![/\\])/.test(to) ? { to } : {};
  },
  component: lazyPage(() => import('./sign-in-page.tsx'), 'SignInPage'),
});
