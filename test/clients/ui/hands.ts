import type { ElementHandle, Page } from 'puppeteer-core';
import { findHiddenFocus } from './focus.ts';

/** The ways in which a person uses a page. Selectors are those of puppeteer, such as `button ::-p-text(Approve)`. */
export type Hand = {
  /** Brings the focus to an element. */
  reach(selector: string): Promise<void>;
  press(selector: string): Promise<void>;
  fill(selector: string, text: string): Promise<void>;
  /** Chooses a radio button. */
  choose(selector: string): Promise<void>;
  /** Picks the option of a list whose text begins with `text`. */
  pick(selector: string, text: string): Promise<void>;
};

/** The parts of elements that are used. */
type Node = {
  name: string;
  value: string;
  select: () => void;
  scrollIntoView: (options: { block: 'center' }) => void;
  checkVisibility: () => boolean;
  closest: (selector: string) => Node | null;
  contains: (other: unknown) => boolean;
  compareDocumentPosition: (other: unknown) => number;
  ownerDocument: { activeElement: Node };
  options: Iterable<{ text: string; value: string }>;
};

export const waitMs = 90_000;

export const button = (name: string): string => `button ::-p-text(${name})`;
export const link = (name: string): string => `main a ::-p-text(${name})`;
export const inDialog = (name: string): string => `[role=dialog] button ::-p-text(${name})`;

const find = async (page: Page, selector: string): Promise<ElementHandle> => {
  const element = await page.waitForSelector(selector, { visible: true, timeout: waitMs });
  if (!element) throw new Error(`Nothing matches ${selector}.`);
  return element;
};

export function createMouse(page: Page): Hand {
  const press = async (selector: string): Promise<void> => {
    // The strip that stays at the top of a page would take the click on an element that is scrolled under it.
    await (await find(page, selector)).evaluate((node) => (node as Node).scrollIntoView({ block: 'center' }));
    await page.locator(selector).setTimeout(waitMs).click();
  };
  return {
    reach: async (selector) => await page.focus(selector),
    press,
    choose: press,
    fill: async (selector, text) => await page.locator(selector).setTimeout(waitMs).fill(text),
    async pick(selector, text) {
      const list = await find(page, selector);
      const value = await list.evaluate(
        (node, start) => [...(node as Node).options].find((option) => option.text.startsWith(start))?.value ?? '',
        text,
      );
      await list.select(value);
    },
  };
}

/** Reaches everything with Tab, as a person without a pointing device does; `faults` gets each focus that is not seen. */
export function createKeyboard(page: Page, faults: string[]): Hand {
  const reach = async (selector: string): Promise<ElementHandle> => await reachByTab(page, selector, faults);
  return {
    reach: async (selector) => void (await reach(selector)),
    async press(selector) {
      await reach(selector);
      await page.keyboard.press('Enter');
    },
    async pick(selector, text) {
      await reach(selector);
      await page.keyboard.type(text);
    },
    async choose(selector) {
      const name = await (await find(page, selector)).evaluate((node) => (node as Node).name);
      await reach(`input[name="${name}"]:checked`);
      for (let moves = 0; moves < stopsMax && !(await hasFocus(await find(page, selector))); moves++)
        await page.keyboard.press('ArrowDown');
    },
    async fill(selector, text) {
      const element = await reach(selector);
      await element.evaluate((node) => (node as Node).select());
      await page.keyboard.type(text);
    },
  };
}

/** The text of a link or button may be an element of its own within it. */
const hasFocus = async (element: ElementHandle): Promise<boolean> => (await compareFocus(element)) === 'same';

async function compareFocus(element: ElementHandle): Promise<'same' | 'before' | 'after' | 'gone'> {
  return await element.evaluate((node) => {
    if (!(node as Node).checkVisibility()) return 'gone';
    const target = (node as Node).closest('a, button, summary, input, select, textarea, [tabindex]') ?? (node as Node);
    const { activeElement } = target.ownerDocument;
    if (activeElement === target) return 'same';
    // 2 is DOCUMENT_POSITION_PRECEDING: the focus is further down than the element.
    return (activeElement.compareDocumentPosition(target) & 2) === 2 && !target.contains(activeElement)
      ? 'before'
      : 'after';
  });
}

/** The pages of the UI have fewer elements that take the focus. */
const stopsMax = 120;

async function reachByTab(page: Page, selector: string, faults: string[]): Promise<ElementHandle> {
  let element = await find(page, selector);
  for (let stops = 0; stops < stopsMax; stops++) {
    let direction = await compareFocus(element);
    if (direction === 'same' || direction === 'gone') {
      // A page that changes replaces elements, or gives them another text.
      element = await find(page, selector);
      direction = await compareFocus(element);
    }
    if (direction === 'gone') continue;
    if (direction === 'same') {
      const fault = await findHiddenFocus(page);
      if (fault !== undefined) faults.push(`${page.url()} ${fault}`);
      return element;
    }
    if (direction === 'before') await page.keyboard.down('Shift');
    await page.keyboard.press('Tab');
    if (direction === 'before') await page.keyboard.up('Shift');
  }
  throw new Error(`${stopsMax} presses of Tab did not reach ${selector}.`);
}
