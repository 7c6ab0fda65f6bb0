import type { Page } from 'puppeteer-core';
import { watchWork } from './page-work.ts';
import { pressScript } from './press-script.ts';

/** A request that would change something; none reaches the server while controls are pressed. */
export type Sent = { method: string; url: string; headers?: Record<string, string>; body?: string };
/** An action of a view, with what identifies the view. */
export type SeenAction = {
  name: string;
  step?: string;
  zone?: string;
  allowed: boolean;
  reason?: string;
  of: { kind?: string; org?: string; name?: string; product?: string; number?: number; run?: string };
};
type Survey = {
  heading: string;
  enabled: string[];
  /** Controls that cannot be used, with what the page says about each. */
  disabled: [control: string, why: string][];
  links: string[];
};
export type Visit = Survey & { path: string; sent: Sent[]; actions: SeenAction[] };

/** Buttons that only close something, copy a text or sign out. */
const harmless = /^((Cancel|Close|Keep it|Not now|Stay|Leave|Back|Sign in as another person)$|Copy\b)/;
/** A button that takes back what was typed is pressed last. */
const isUndoing = (label: string): boolean => /^(Discard|Remove|Undo|Delete)/.test(label);
const depthMax = 3;
const pressesMax = 150;

/** Visits pages and presses what they enable, also in the dialogs and menus that this opens. */
export async function createPresser(page: Page, open: (path: string) => Promise<void>) {
  const finishWork = await watchWork(page);
  await page.evaluateOnNewDocument(pressScript);
  await page.emulateMediaFeatures([{ name: 'prefers-reduced-motion', value: 'reduce' }]);
  const run = async <T>(expression: string): Promise<T> => (await page.evaluate(`hand.${expression}`)) as T;
  const where = async () => await run<{ pathname: string; popup?: string }>('where()');
  const act = async (expression: string): Promise<void> => {
    await run(expression);
    await finishWork();
  };

  return async (path: string): Promise<Visit> => {
    const sent: Sent[] = [];
    const actions: SeenAction[] = [];
    const enabled = new Set<string>();
    const disabled = new Map<string, [string, string]>();
    let presses = 0;
    const take = async (): Promise<void> => {
      sent.push(...(await run<Sent[]>('sent.splice(0)')));
      actions.push(...(await run<SeenAction[]>('actions.splice(0)')));
    };
    const load = async (): Promise<void> => {
      await open(path);
      await finishWork();
    };
    const note = async (): Promise<Survey> => {
      const survey = await run<Survey>('survey()');
      for (const label of survey.enabled) enabled.add(label);
      for (const one of survey.disabled) disabled.set(one.join('\n'), one);
      return survey;
    };

    /** Goes back to the page, and presses the buttons that open what `prefix` names. */
    const restore = async (prefix: string[], pathname: string): Promise<void> => {
      for (let tries = 0; (await where()).popup !== initial && tries < depthMax; tries++) await act('close()');
      const at = await where();
      if (at.pathname !== pathname || at.popup !== initial) {
        await take();
        await load();
      }
      for (const label of prefix) await act(`press(${JSON.stringify(label)})`);
    };
    const pressAll = async (prefix: string[]): Promise<void> => {
      const opened = await where();
      const seen = new Set<string>();
      for (;;) {
        let { enabled: all } = await note();
        if ((await run<number>('fill()')) > 0) {
          await finishWork();
          ({ enabled: all } = await note());
        }
        const labels = all.filter((label) => !seen.has(label) && !harmless.test(label));
        const label = labels.find((one) => !isUndoing(one)) ?? labels[0];
        if (label === undefined) return;
        seen.add(label);
        presses += 1;
        if (presses > pressesMax) throw new Error(`${path} has more than ${pressesMax} controls: ${[...seen].join()}`);
        await act(`press(${JSON.stringify(label)})`);
        const now = await where();
        if (now.popup === opened.popup && now.pathname === opened.pathname) continue;
        const isInside = now.popup !== undefined && now.pathname === opened.pathname;
        if (isInside && prefix.length < depthMax) await pressAll([...prefix, label]);
        await restore(prefix, opened.pathname);
      }
    };

    await load();
    const initial = (await where()).popup;
    const { heading, links } = await note();
    await pressAll([]);
    await take();
    return { path, heading, links, sent, actions, enabled: [...enabled], disabled: [...disabled.values()] };
  };
}
