import type { Page } from 'puppeteer-core';

/**
 * Says why a person does not see which element has the focus: nothing outlines it, a part of the page that scrolls cuts
 * its outline off, or something is drawn over it. A page scrolls to the focus before the next frame. Outside of `part`,
 * the focus is not judged.
 */
export async function findHiddenFocus(page: Page, part?: string): Promise<string | undefined> {
  return ((await page.evaluate(`(${judgeFocus})(${JSON.stringify(part)})`)) as string | null) ?? undefined;
}

const judgeFocus = String.raw`async function (part) {
  const isOutside = () => document.activeElement === document.body || !document.activeElement?.closest(part);
  if (part && isOutside()) return 'outside';
  await new Promise((resolve) => requestAnimationFrame(() => resolve()));
  const element = document.activeElement;
  if (!element || element === document.body) return null;
  const name = element.outerHTML.slice(0, 160);

  const isOutlined = (one) => {
    const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(one);
    return outlineStyle !== 'none' && parseFloat(outlineWidth) >= 1.5 && !/, 0\)$|transparent/.test(outlineColor);
  };
  // A field may be outlined by its label, or by the box that it fills.
  const marked = [element, ...(element.labels ?? []), element.parentElement].find(isOutlined);
  if (!marked) return 'not outlined: ' + name;

  const { outlineWidth, outlineOffset } = getComputedStyle(marked);
  const grow = parseFloat(outlineWidth) + parseFloat(outlineOffset);
  const box = [...marked.getClientRects()].find(({ width }) => width > 0);
  if (!box) return 'without a size: ' + name;
  for (let frame = marked.parentElement; frame && frame !== document.body; frame = frame.parentElement) {
    const { overflowX, overflowY } = getComputedStyle(frame);
    const { left, right, top, bottom } = frame.getBoundingClientRect();
    const isCut =
      (overflowX !== 'visible' && (box.left - grow < left - 0.5 || box.right + grow > right + 0.5)) ||
      (overflowY !== 'visible' && (box.top - grow < top - 0.5 || box.bottom + grow > bottom + 0.5));
    if (isCut) return 'with an outline that ' + frame.outerHTML.slice(0, 80) + ' cuts off: ' + name;
  }

  const x = Math.min(Math.max((box.left + box.right) / 2, 0), innerWidth - 1);
  // Of a large element, and of a text area with its caret, the browser shows only a part.
  const isLarge = box.height > innerHeight / 2;
  const middle = (Math.max(box.top, 0) + Math.min(box.bottom, innerHeight)) / 2;
  const isPart = isLarge || element.tagName === 'TEXTAREA';
  for (const y of isPart ? [middle] : [box.top + 3, middle, box.bottom - 3]) {
    const hit = document.elementFromPoint(x, y);
    if (!hit) return 'outside of the window: ' + name;
    if (!element.contains(hit) && !marked.contains(hit)) return 'covered by ' + hit.outerHTML.slice(0, 120) + ': ' + name;
  }
  return null;
}`;
