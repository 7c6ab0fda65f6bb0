import type { HTTPRequest, Page } from 'puppeteer-core';
import { settle } from './open-ui.ts';

/**
 * All that a person sees of a view: its words without times, the values of its fields and which control is on. A time
 * has one number in the minute in which it is "2 h", and two in the next.
 */
export const viewOf = `(() => {
  const time = /\\d+ ?(ms|s|min|h|d)\\b( \\d+ ?(s|min|h)\\b)?( ago)?|just now|\\d+:\\d\\d(:\\d\\d([.]\\d+)?)?/g;
  const mask = (text) => text.replace(time, '#');
  const words = [...document.querySelectorAll('main, [role=dialog]')].map((one) => mask(one.innerText));
  const values = [...document.querySelectorAll('input, select, textarea')].map((one) =>
    /^(checkbox|radio)$/.test(one.type) ? one.checked : one.value,
  );
  const on = '[aria-pressed=true], [aria-current], [aria-selected=true], [data-on], details[open] > summary';
  return { words, values, on: [...document.querySelectorAll(on)].map((one) => mask(one.innerText)) };
})()`;

/**
 * Follows what a page asks the API. The returned function waits until the page has every answer and shows it: a view
 * that stays the same may still wait for one.
 */
export function followView(page: Page): () => Promise<void> {
  const asked = new Set<HTTPRequest>();
  page.on('request', (one) => {
    if (one.isNavigationRequest()) asked.clear();
    if (/\/api\/v1\/(?!me\/stream)/.test(one.url())) asked.add(one);
  });
  page.on('requestfinished', (one) => void asked.delete(one));
  page.on('requestfailed', (one) => void asked.delete(one));
  return async () => await settle(page, viewOf, () => asked.size > 0);
}
