import type { App } from '../deps.ts';
import { listWaiting } from './list-waiting.ts';

export function me(app: App): void {
  listWaiting(app);
}
