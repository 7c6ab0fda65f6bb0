import { createRoute } from '@tanstack/react-router';
import { signedIn } from '../../shell/parents.tsx';
import { lazyPage } from '../../parts/lazy-file.ts';

const component = lazyPage(() => import('./settings-layout.tsx'), 'SettingsLayout');

export const orgSettings = createRoute({ getParentRoute: () => signedIn, path: '/$org/settings', component });

/** The settings of the person and of the installation. */
export const ownSettings = createRoute({ getParentRoute: () => signedIn, path: '/settings', component });
