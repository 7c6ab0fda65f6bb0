import type { Host } from './host.ts';
import { toPullDetailJson, findPullById } from './pulls.ts';
import type { Account, Repository } from './tables.ts';
import { emitWebhook } from './webhooks.ts';

export type PullEvent = { pullId: number; action: string; sender: Account; extra?: Record<string, unknown> };

export function emitPullEvent(host: Host, repository: Repository, { pullId, action, sender, extra }: PullEvent): void {
  const request = findPullById(host, pullId);
  if (request === undefined) return;
  const payload = { number: request.issue.number, pull_request: toPullDetailJson(host, repository, request), ...extra };
  emitWebhook(host, { event: 'pull_request', action, repository, sender, payload });
}
