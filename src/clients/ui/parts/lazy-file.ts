import { lazyRouteComponent } from '@tanstack/react-router';
import { type FunctionComponent, lazy } from 'react';

/** A file of this build cannot be loaded, most often because the server has the next build by now. */
export class MissingFileError extends Error {}

const listeners = new Set<() => void>();
let isMissing = false;

/** Tells whether a part of a page is missing, which only a reload brings. */
export const missingPart = {
  subscribe: (listener: () => void): (() => void) => {
    listeners.add(listener);
    return () => listeners.delete(listener);
  },
  isMissing: (): boolean => isMissing,
};

function reportMissingPart(): void {
  isMissing = true;
  for (const listener of listeners) listener();
}

/** Loads what a page cannot be without. For the browser's own error, the router would reload the tab without asking. */
export const loadFile = async <T>(load: () => Promise<T>): Promise<T> =>
  await load().catch((error: unknown) => {
    throw new MissingFileError('A file of this page cannot be loaded.', { cause: error });
  });

/** The component of a route, loaded when the page is opened. */
export const lazyPage = <Module extends Record<string, unknown>, Name extends keyof Module>(
  load: () => Promise<Module>,
  name: Name,
) => lazyRouteComponent(async () => await loadFile(load), name);

/** A part of a page, loaded when it is shown. Without its file, the page stays as it is, and a reload is offered. */
export const lazyPart = <Props extends object>(
  load: () => Promise<FunctionComponent<Props>>,
  substitute: FunctionComponent<Props> = () => null,
) =>
  lazy(async () => ({
    default: await load().catch(() => {
      reportMissingPart();
      return substitute;
    }),
  }));
