import { createRoute } from '@tanstack/react-router';
import { setupQuery } from '../../api/queries/me.ts';
import { statesWithMain } from '../../parts/route-problem.tsx';
import { root } from '../../shell/parents.tsx';
import { stepNames, type StepName } from './step-names.ts';
import { lazyPage } from '../../parts/lazy-file.ts';

export const setupRoute = createRoute({
  getParentRoute: () => root,
  ...statesWithMain,
  path: '/setup',
  validateSearch: (search): { step?: StepName } => {
    const step = stepNames.find((one) => one === search['step']);
    return step ? { step } : {};
  },
  loader: async ({ context }) => await context.queryClient.fetchQuery(setupQuery),
  component: lazyPage(() => import('./setup-page.tsx'), 'SetupPage'),
});
