import { createRoute, notFound } from '@tanstack/react-router';
import { signedIn } from '../../shell/parents.tsx';
import { lazyPage, loadFile } from '../../parts/lazy-file.ts';

export const helpRoute = createRoute({
  getParentRoute: () => signedIn,
  path: '/help',
  component: lazyPage(() => import('./help-page.tsx'), 'HelpPage'),
});

export const guideRoute = createRoute({
  getParentRoute: () => signedIn,
  path: '/help/$guide',
  loader: async ({ params: { guide } }) => {
    const { guides } = await loadFile(async () => await import('./guide-list.ts'));
    const found = guides.find(({ name }) => name === guide);
    if (!found) throw notFound();
    return { ...found, text: await loadFile(async () => (await import('./load-guide.ts')).loadGuide(found.name)) };
  },
  component: lazyPage(() => import('./guide-page.tsx'), 'GuidePage'),
});
