import type { Page } from 'puppeteer-core';

/** React and the router show their work to developer tools; the tests read it there. */
const script = `
  let root;
  window.__REACT_DEVTOOLS_GLOBAL_HOOK__ = {
    supportsFiber: true,
    inject: () => 1,
    onCommitFiberRoot: (renderer, committed) => (root = committed),
  };
  const suspense = 13;
  const hasFallback = (fiber) => {
    for (let part = fiber.child; part; part = part.sibling)
      if ((part.tag === suspense && part.memoizedState !== null) || hasFallback(part)) return true;
    return false;
  };
  const listWork = () => {
    const router = window.__TSR_ROUTER__;
    if (!root || !router) return ['the start of the UI'];
    const { queryClient } = router.options.context;
    const isActive = ({ state }) => state.fetchStatus === 'fetching';
    const busy = document.querySelectorAll(':is([aria-busy=true], [role=status][aria-label=Loading])');
    return [
      ...(router.state.isLoading ? ['the data of the page'] : []),
      ...queryClient.getQueryCache().getAll().filter(isActive).map(({ queryHash }) => queryHash),
      ...(queryClient.isMutating() > 0 ? ['a change'] : []),
      ...(hasFallback(root.current) ? ['a part that loads'] : []),
      ...(root.pendingLanes === 0 ? [] : ['React']),
      ...[...busy].map((part) => part.outerHTML.slice(0, 200)),
    ];
  };
  /** Lets everything run that has been queued: timers, then what React has scheduled, then effects of a frame. */
  const giveWay = async () => {
    await new Promise((resolve) => setTimeout(resolve, 0));
    await new Promise((resolve) => {
      const { port1, port2 } = new MessageChannel();
      port1.onmessage = resolve;
      port2.postMessage(undefined);
    });
    await new Promise(requestAnimationFrame);
  };
  window.finishWork = async (msMax) => {
    const startedAt = performance.now();
    // What ends in one turn, such as a request, leads to work in the next.
    for (let idle = 0; idle < 3;) {
      await giveWay();
      const work = listWork();
      idle = work.length === 0 ? idle + 1 : 0;
      if (performance.now() - startedAt > msMax) throw new Error('The page still waits for ' + work.join(', '));
    }
  };`;

/** Returns a function that waits until the page, which is opened after this, has nothing left to read or to show. */
export async function watchWork(page: Page): Promise<() => Promise<void>> {
  await page.evaluateOnNewDocument(`{${script}}`);
  return async () => void (await page.evaluate('finishWork(90_000)'));
}
