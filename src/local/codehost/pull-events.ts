import type { Host } from './host.ts';
import { fullPullShape, pullById } from './pulls.ts';
import type { Account, Repository } from './rows.ts';
import { announce } from './webhooks.ts';

export type PullEvent = { pullId: number; action: string; sender: Account; extra?: Record<string, unknown> };

export function announcePull(host: Host, repository: Repository, { pullId, action, sender, extra }: PullEvent): void {
  const request = pullById(host, pullId);
  if (request === undefined) return;
  const payload = { number: request.issue.number, pull_request: fullPullShape(host, repository, request), ...extra };
  announce(host, { event: 'pull_request', action, repository, sender, payload });
}
