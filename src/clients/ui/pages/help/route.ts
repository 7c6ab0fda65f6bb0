import { createRoute, lazyRouteComponent, notFound } from '@tanstack/react-router';
import { signedIn } from '../../shell/parents.tsx';

export const helpRoute = createRoute({
  getParentRoute: () => signedIn,
  path: '/help',
  component: lazyRouteComponent(() => import('./help-page.tsx'), 'HelpPage'),
});

export const guideRoute = createRoute({
  getParentRoute: () => signedIn,
  path: '/help/$guide',
  loader: async ({ params: { guide } }) => {
    const [{ guides }, { loadGuide }] = await Promise.all([import('./guide-list.ts'), import('./load-guide.ts')]);
    const found = guides.find(({ name }) => name === guide);
    if (!found) throw notFound();
    return { ...found, text: await loadGuide(found.name) };
  },
  component: lazyRouteComponent(() => import('./guide-page.tsx'), 'GuidePage'),
});
