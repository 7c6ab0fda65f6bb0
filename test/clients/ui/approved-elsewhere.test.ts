import { expect, it } from 'vitest';
import { ReleaseKind } from '../../../src/rules/releases/kinds.ts';
import { waitForStepPhase } from '../../support/platform/acme.ts';
import { describeWithChromium } from '../../support/servers/chromium.ts';
import { openChromium } from '../../support/servers/open-chromium.ts';
import { patchStep } from './change-fixture.ts';
import { findBarriers } from './find-barriers.ts';
import { openUi, read, signIn } from './open-ui.ts';
import { watchWork } from './page-work.ts';
import { openAs, startApprovals, startShopPlatform } from './shop-platform.ts';
import { seedShop } from './seed-shop.ts';

const rounds = process.env['TEST_EXHAUSTIVE'] === 'true' ? 3 : 1;
const text = 'Seen with the customer';

/** Records all that screen readers are told: what a live region says, also one that appears with its text. */
const recordTold = `
  window.told = [];
  const regions = '[aria-live]:not([aria-live=off]), [role=status], [role=alert], [role=log]';
  new MutationObserver((mutations) => {
    const said = new Set(mutations.flatMap(({ target, addedNodes }) => {
      const element = target instanceof Element ? target : target.parentElement;
      const own = element?.closest(regions);
      const added = [...addedNodes].filter((node) => node instanceof Element)
        .flatMap((node) => [...(node.matches(regions) ? [node] : []), ...node.querySelectorAll(regions)]);
      return [...(own ? [own] : []), ...added];
    }));
    for (const region of said) window.told.push(region.textContent);
  }).observe(document.body, { childList: true, subtree: true, characterData: true });`;

/** Scrolls so that this much of the decision is seen below the strip; a negative part is that far above its edge. */
const scrollTo = (seen: string): string => `
  const { bottom, height } = document.querySelector('#decision').getBoundingClientRect();
  scrollBy(0, bottom - document.querySelector('main nav').getBoundingClientRect().bottom - (${seen}));`;

/** Focuses the first of these elements that is seen as a whole, without a scroll; `kept` is what must not move. */
const focusSeen = (selector: string): string => `
  const edge = document.querySelector('main nav').getBoundingClientRect().bottom;
  window.focused = [...document.querySelectorAll(${JSON.stringify(selector)})].find((element) => {
    const { top, bottom } = element.getBoundingClientRect();
    return top > edge && bottom < innerHeight;
  });
  window.focused.focus({ preventScroll: true });
  window.kept = window.focused;`;

const below = '[aria-labelledby=timeline] [role=rowheader] a, [aria-labelledby=steps] summary';
const note = '#decision input';

/** The part of the decision that is seen, and what a person reads, types in or presses: by the focus, or by the pointer. */
const views: [name: string, seen: string, focused: string, isHovered?: true][] = [
  ['at the top of the page', '1e6', note],
  ['without its head, and the focus in the note', 'height - 20', note],
  ['without its head, and the pointer on a button', 'height - 20', below, true],
  ['half under the strip, and the focus in the note', 'height / 2', note],
  ['half under the strip', 'height / 2', below],
  ['with its last line seen', '24', below],
  ['at the edge of the strip', '0', below],
  ['above the strip', '-60', below],
];
const count = rounds * views.length;

describeWithChromium('an approval through the API', () => {
  it('appears on an open page, moves neither what is read nor the focus, and is announced once', async () => {
    const { platform, api } = await startShopPlatform();
    const run = await startApprovals(api, count + 1);
    const browser = (await openChromium()).browser();
    const { page, go } = await openAs(browser, platform.url, 'ben');
    await page.setViewport({ width: 1280, height: 500 });
    const finishWork = await watchWork(page);
    for (let index = 1; index <= count; index += 1) {
      const [name, seen, focused, isHovered] = views[(index - 1) % views.length]!;
      const step = `approve-${index}`;
      await waitForStepPhase(api, run, { step, phase: 'Waiting' });
      await go(`/acme/changes/${run}`);
      await page.waitForSelector('#decision');
      // A part that arrives later would move what is measured.
      await finishWork();
      await page.evaluate(recordTold);
      await page.evaluate(`{${scrollTo(seen)}}`);
      await page.evaluate(`{${focusSeen(focused)}}`);
      if (focused === note) await page.keyboard.type(text);
      if (isHovered) {
        await page.hover('#decision button');
        await page.evaluate("window.kept = document.querySelector('#decision button')");
      } else await page.mouse.move(0, 0);
      const where = 'window.kept.getBoundingClientRect().top';
      const before = Number(await read(page, where));
      await api.post(`/v1/orgs/acme/agentworkflowruns/${run}/steps/${step}/approve`, {});
      await page.waitForFunction(`window.told.some((text) => /root approved ${step}\\b/.test(text))
        && document.querySelector('main').innerText.includes('root approved ${step} ')`);
      // The next decision has come, and with it all that may move.
      await page.waitForSelector(`#decision[aria-labelledby=decision-approve-${index + 1}]`);
      expect(Math.abs(Number(await read(page, where)) - before), name).toBeLessThanOrEqual(1);
      const isKept = `document.activeElement === window.focused && [undefined, '${text}'].includes(window.focused.value)`;
      expect(await read(page, isKept), name).toBe(true);
      const told = (await read(page, 'window.told')) as string[];
      expect(
        told.filter((text) => new RegExp(`root approved ${step}\\b`).test(text)),
        told.join('\n'),
      ).toHaveLength(1);
    }
  });

  it('leaves what is typed and the focus at each decision and each answer', async () => {
    const { page, store, open, follow, faults } = await openUi();
    const finishWork = await watchWork(page);
    await seedShop(store);
    await open('/acme/changes/change-shop-418');
    await signIn(page);
    await page.locator('#decision button ::-p-text(Reject…)').click();
    await page.locator('#reason').fill(text);
    const at = new Date().toISOString();
    const decision = { by: 'hanne@example.com', role: 'member', outcome: 'approved' as const, at };
    await patchStep(store, 'change-shop-418', 'approve-change', { phase: 'Succeeded', decision });
    await page.waitForSelector('[role=alertdialog] ::-p-text(hanne approved it)');
    expect(await read(page, 'document.activeElement.value')).toBe(text);
    await page.keyboard.press('Escape');
    await page.waitForFunction("document.activeElement.innerText === 'Reject…'");
    expect(await findBarriers(page)).toEqual([]);

    await follow('/acme/releases/shop-v1.1.0');
    await page.locator('#note-shop-prod').fill(text);
    await finishWork();
    const before = await read(page, 'document.activeElement.getBoundingClientRect().top');
    await store.updateStatus(ReleaseKind, { namespace: 'org-acme', name: 'shop-v1.1.0' }, ({ status }) => ({
      ...status!,
      zones: status!.zones.map((zone) =>
        zone.name === 'shop-prod' ? { ...zone, phase: 'Promoting' as const, waitingFor: undefined, decision } : zone,
      ),
    }));
    await page.waitForSelector('main ::-p-text(hanne approved v1.1.0 for shop-prod)');
    expect(await read(page, 'document.activeElement.value')).toBe(text);
    expect(await read(page, 'document.activeElement.getBoundingClientRect().top')).toBe(before);
    expect(await findBarriers(page)).toEqual([]);

    await follow('/acme/changes/change-shop-419');
    await page.locator('#guidance-implement').fill(text);
    await finishWork();
    await page.evaluate(recordTold);
    const place = await read(page, 'document.activeElement.getBoundingClientRect().top');
    const below = "document.querySelector('#decision-implement').closest('section').getBoundingClientRect().bottom";
    const end = await read(page, below);
    const guidance = { by: 'hanne@example.com', outcome: 'guided' as const, at };
    await patchStep(store, 'change-shop-419', 'implement', { phase: 'Running', waitingFor: undefined, guidance });
    await page.waitForSelector('main ::-p-text(hanne guided implement)');
    expect(await read(page, '[document.activeElement.value, document.activeElement.readOnly]')).toEqual([text, true]);
    expect(await read(page, 'document.activeElement.getBoundingClientRect().top')).toBe(place);
    expect(await read(page, below)).toBe(end);
    expect(await findBarriers(page)).toEqual([]);
    await page.waitForFunction("window.told.filter((one) => one.includes('hanne guided implement')).length === 1");
    // A second question is another decision on the same card.
    const waitingFor = { role: 'member', since: new Date().toISOString(), message: 'For how long?' };
    const asked = { phase: 'NeedsGuidance' as const, waitingFor, guidance: undefined };
    await patchStep(store, 'change-shop-419', 'implement', asked);
    await page.waitForSelector('#decision ::-p-text(For how long?)');
    expect(await read(page, '[document.activeElement.value, document.activeElement.readOnly]')).toEqual([text, false]);
    expect(faults).toEqual([]);
  });
});
