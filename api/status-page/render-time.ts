import { html } from 'hono/html';
import type { Html } from './state-words.ts';

const months = 'January February March April May June July August September October November December'.split(' ');

/** Renders a time in UTC, because a page without a script cannot know the reader's time zone. */
export function renderTime(at: string, { seconds = false }: { seconds?: boolean } = {}): Html {
  const date = new Date(at);
  const time = date.toISOString().slice(11, seconds ? 19 : 16);
  const text = `${date.getUTCDate()} ${months[date.getUTCMonth()]}, ${time} UTC`;
  return html`<time datetime="${date.toISOString()}">${text}</time>`;
}
