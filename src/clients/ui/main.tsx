import '@fontsource-variable/hanken-grotesk';
import '@fontsource-variable/spline-sans-mono';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { ApiProblem } from './api/request.ts';
import { createUiRouter } from './router.tsx';
import { fetchBuild } from './shell/fetch-build.ts';
import { applyTheme } from './shell/theme.ts';
import './style/base.css';

applyTheme();
const { router, queryClient } = createUiRouter();
const root = document.getElementById('root');
if (!root) throw new Error('index.html has no element "root".');
// The page of a rejected request says why; the console is for faults of the UI.
const onCaughtError = (error: unknown): void => {
  if (!(error instanceof ApiProblem)) reportError(error);
};
createRoot(root, { onCaughtError }).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
    </QueryClientProvider>
  </StrictMode>,
);
setTimeout(() => void fetchBuild().catch(() => undefined), 3_000);
