import { setTimeout as pause } from 'node:timers/promises';
import { TimeoutError, type HTTPRequest } from 'puppeteer-core';
import { createRandom, isExhaustive, sample, testSeed } from '../../support/sample.ts';
import type { Walk } from './first-day.ts';
import { link } from './hands.ts';
import { seeFirst, signIn, type Stage } from './setup-stages.ts';

/** Whether the tab stays open while the platform is killed and started again, or is opened again afterwards. */
const tabs = ['open', 'closed'] as const;
export type Kill = { stage: string; request: RegExp; tab: (typeof tabs)[number]; afterMs: number };
export type KillPlan = { title: string; kills: Kill[] };

/** Plans walks with at most one kill at each stage: all requests in both tabs when exhaustive, else one drawn walk. */
export function planKills(stages: Stage[]): KillPlan[] {
  const draw = createRandom(testSeed);
  const afterMs = (): number => draw(150);
  if (!isExhaustive) {
    const kills = sample(stages, 4, testSeed).map(({ name, requests, open }) => ({
      stage: name,
      request: requests[draw(requests.length)] ?? /^/,
      tab: (open && tabs[draw(2)]) ?? 'open',
      afterMs: afterMs(),
    }));
    return [toPlan(kills)];
  }
  const rounds = Math.max(...stages.map(({ requests }) => requests.length));
  return tabs.flatMap((tab) =>
    [...Array(rounds).keys()].map((round) =>
      toPlan(
        stages.map(({ name, requests, open }) => ({
          stage: name,
          request: requests[round % requests.length] ?? /^/,
          tab: open ? tab : 'open',
          afterMs: afterMs(),
        })),
      ),
    ),
  );
}

const toPlan = (kills: Kill[]): KillPlan => ({
  title: kills.map(({ stage, request, tab, afterMs }) => `${stage} ${request.source} ${tab} ${afterMs}`).join(', '),
  kills,
});

type Restart = () => Promise<void>;

/** Does a stage, during which the platform may be killed; then goes on as the pages lead. */
export async function passStage(
  walk: Walk,
  stage: Stage,
  { kill, restart }: { kill: Kill | undefined; restart: Restart },
): Promise<void> {
  if (!kill) {
    await stage.act(walk);
    await leaveStage(walk, stage, false);
    return;
  }
  const sent = waitForRequest(walk, kill.request);
  const acted = stage.act(walk);
  // After the request, a part of the act may wait for a page that the kill prevents.
  acted.catch(() => undefined);
  await Promise.race([sent, acted.then(async () => await sent)]);
  await pause(kill.afterMs);
  await walk.platform.killTree();
  await restart();
  if (kill.tab === 'closed') {
    await walk.page.goto('about:blank');
    await stage.open?.(walk);
  } else if (walk.page.url().startsWith('chrome-error:')) await walk.page.reload();
  await leaveStage(walk, stage, kill.tab === 'closed');
}

async function waitForRequest({ page }: Walk, request: RegExp): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const onRequest = (sent: HTTPRequest): void => {
    if (request.test(`${sent.method()} ${new URL(sent.url()).pathname}`)) resolve();
  };
  page.on('request', onRequest);
  await promise;
  page.off('request', onRequest);
}

const attemptsMax = 8;
const repeatMs = 10_000;
/** The page of a connection that failed leads back to the setup, and a page whose files are missing can be reloaded. */
const waysBack = ['a ::-p-text(Go to the code host in the setup)', 'main button ::-p-text(Reload)'];
const alert = 'main [role=alert], [role=dialog] [role=alert]';

/** Sends again what was typed, unless the page goes on by itself: a message may be about what it only read. */
async function repeat({ page }: Walk, stage: Stage): Promise<void> {
  try {
    await page.locator(stage.repeat).setTimeout(repeatMs).click();
  } catch (error) {
    if (!(error instanceof TimeoutError)) throw error;
  }
  // The message is shown until the next request has begun.
  await pause(1_000);
}

async function leaveStage(walk: Walk, stage: Stage, wasClosed: boolean): Promise<void> {
  // A person begins the stage again only where it shows nothing of the first time.
  let isEmpty = wasClosed;
  for (let attempts = 0; attempts < attemptsMax; attempts += 1) {
    const next = stage.next.map(({ see }) => see);
    const shown = isEmpty ? [stage.own, ...(stage.onward ? [stage.onward] : [])] : [alert];
    const seen = await seeFirst(walk, [...next, link('Sign in'), ...waysBack, ...shown]);
    const done = stage.next.find(({ see }) => see === seen);
    if (done) {
      if (done.press) await walk.hand.press(done.see);
      return;
    }
    if (seen === stage.onward) {
      await walk.hand.press(seen);
      return;
    }
    if (seen === alert) {
      await repeat(walk, stage);
    } else if (seen === stage.own) {
      isEmpty = false;
      await stage.act(walk);
    } else {
      isEmpty = true;
      await (waysBack.includes(seen) ? walk.hand.press(seen) : signIn(walk));
    }
  }
  throw new Error(`The stage "${stage.name}" is not done after ${attemptsMax} attempts.`);
}
