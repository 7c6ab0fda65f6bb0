import type { ApiDeps, App } from '../deps.ts';
import { listWaiting } from './list-waiting.ts';
import { streamTopics } from './stream-topics.ts';

export function me(app: App, deps: ApiDeps): void {
  listWaiting(app, deps);
  streamTopics(app, deps);
}
