import type { Page } from 'puppeteer-core';
import { settle } from './open-ui.ts';
import { watchWork } from './page-work.ts';

/**
 * The states of a page, by how the API responds: to all that the page reads, to what only a part of it reads, or not any
 * more once the page is shown.
 */
export const pageStates = [
  'full',
  'empty',
  'loading',
  'loading a part',
  'failed',
  'failed in a part',
  'refused',
  'refused in a part',
  'away',
  'away once shown',
] as const;
export type PageState = (typeof pageStates)[number];

/** Replaces the responses of the API in the page. The person who is signed in is known in each state. */
const script = (state: PageState): string => `{
  const state = ${JSON.stringify(state)};
  const send = window.fetch;
  const problem = (status, title, reason, detail) => Response.json(
    { type: 'about:blank', status, title, reason, detail, instance: 'urn:uuid:6f1c1fd4-52ab-4a6d-9d0b-0f4a8a1f2c11', errors: [] },
    { status, headers: { 'Content-Type': 'application/problem+json' } },
  );
  const lists = ['items', 'pods', 'events', 'volumes', 'accessGroups', 'evidence'];
  const toEmpty = (value) => Array.isArray(value) ? [] : Object.fromEntries(
    Object.entries(value).filter(([key]) => key !== 'continue').map(([key, one]) => [key, lists.includes(key) ? [] : one]),
  );
  const respond = {
    full: send,
    empty: async (url, init) => {
      const response = await send(url, init);
      if (!response.headers.get('Content-Type')?.includes('json') || url.includes('openapi')) return response;
      return Response.json(toEmpty(await response.json()), { status: response.status });
    },
    loading: () => new Promise(() => {}),
    failed: () => problem(500, 'Internal server error', 'internal-error', 'The server failed. The request can be repeated.'),
    refused: () => problem(403, 'Forbidden', 'role-insufficient',
      'Not allowed in org "acme". This requires the role "org-admin" or higher; your role is "viewer".'),
    away: () => Promise.reject(new TypeError('Failed to fetch')),
  };
  let isShown = false;
  let stream;
  // What the page reads before it is shown is no part of it, also when it is read again.
  const own = new Set();
  window.goAway = () => {
    stream?.error(new TypeError('network error'));
    return (isShown = stream !== undefined);
  };
  // Without a worker, the page itself follows what changes.
  if (state === 'away once shown') delete window.SharedWorker;
  window.fetch = async (url, init) => {
    url = String(url);
    const [kind, ...rest] = state.split(' ');
    if (state === 'away once shown') {
      if (isShown) return await respond.away();
      if (!url.includes('/me/stream')) return await send(url, init);
      const body = new ReadableStream({ start: (controller) => void (stream = controller) });
      return new Response(body, { headers: { 'Content-Type': 'text/event-stream' } });
    }
    const isKept = !url.startsWith('/api/') || /^\\/api\\/v1\\/(me|setup|auth\\/.+)$/.test(url);
    const read = location.pathname + ' ' + url;
    if (window.__TSR_ROUTER__.state.isLoading) own.add(read);
    return await (isKept || (rest.length > 0 && own.has(read)) ? send : respond[kind])(url, init);
  };
}`;

/** Forgets what was read, but not the person, and repeats what fails at once. */
const forget = `(() => {
  const { queryClient } = __TSR_ROUTER__.options.context;
  queryClient.removeQueries({ predicate: ({ queryKey }) => !/^(me|setup)$/.test(queryKey[0]) });
  const { queries } = queryClient.getDefaultOptions();
  queryClient.setDefaultOptions({ queries: { ...queries, retryDelay: 0 } });
})()`;

/** Returns a function that opens pages in a state, as a link does. */
export async function createStateOpener(page: Page) {
  const finishWork = await watchWork(page);
  let current: PageState | undefined;
  const follow = async (path: string, shown: string): Promise<void> => {
    await page.evaluate(`document.activeElement.blur(); history.pushState({}, '', ${JSON.stringify(path)})`);
    await page.waitForSelector(shown).catch((error: unknown) => {
      throw new Error(`The page ${path} does not show that it is ${current}.`, { cause: error });
    });
  };
  const enter = async (state: PageState): Promise<void> => {
    const { identifier } = await page.evaluateOnNewDocument(script(state));
    await page.goto(new URL('/help', page.url()).href, { waitUntil: 'domcontentloaded' });
    await page.removeScriptToEvaluateOnNewDocument(identifier);
    await page.waitForSelector('h1');
    current = state;
  };
  const isElsewhere = (path: string): boolean => new URL(path, page.url()).pathname !== new URL(page.url()).pathname;
  return async (path: string, state: PageState): Promise<void> => {
    const isLoading = state.startsWith('loading');
    // The data never comes, so that the page always has work left.
    const rest = async (): Promise<void> => await (isLoading ? settle(page) : finishWork());
    // No link leads away from a page that is never there.
    if (current !== state || isLoading || state === 'away once shown') await enter(state);
    else if (state === 'full' && isElsewhere(path)) return await follow(path, 'h1:focus').then(rest);
    // The help has no data of its own; another view of the same page would take no focus.
    else if (new URL(page.url()).pathname !== '/help') await follow('/help', 'h1:focus');
    await rest();
    await page.evaluate(forget);
    if (path !== '/help') await follow(path, isLoading ? 'h1:focus, [role=status][aria-label=Loading]' : 'h1:focus');
    await rest();
    const heading = String(await page.evaluate("document.querySelector('h1')?.innerText"));
    if (state.endsWith('part') && /^(This page cannot be shown|You do not have access to this page)$/.test(heading))
      throw new Error(`More than a part of ${path} is ${state}.`);
    const isLive = (await page.$('[aria-keyshortcuts="."]')) !== null;
    if (state !== 'away once shown' || !isLive) return;
    await page.waitForFunction('goAway()');
    await page.waitForFunction("document.body.innerText.includes('Reconnecting since')");
    await finishWork();
  };
}
