import type { Host } from './host.ts';
import { findIssue, getIssue, toIssueJson, findPullByIssue } from './issues.ts';
import { emitPullEvent } from './emit-pull-event.ts';
import type { Account, Issue, Repository } from './tables.ts';
import { formatTimestamp } from './format-timestamp.ts';
import { emitWebhook } from './webhooks.ts';

export type IssueEvent = { issueId: number; action: string; sender: Account; extra?: Record<string, unknown> };

/** Emits an event of an issue, or of its pull request if it has one. */
export function emitIssueEvent(
  host: Host,
  repository: Repository,
  { issueId, action, sender, extra }: IssueEvent,
): void {
  if (listedEvents.has(action))
    host.database.insert('issueEvents', {
      issueId,
      event: action,
      actorId: sender.id,
      label: findLabelName(extra),
      createdAt: formatTimestamp(),
    });
  const pull = findPullByIssue(host, issueId);
  if (pull !== undefined)
    return emitPullEvent(host, repository, {
      pullId: pull.id,
      action,
      sender,
      ...(extra === undefined ? {} : { extra }),
    });
  const payload = { issue: toIssueJson(host, repository, getIssue(host, issueId)), ...extra };
  emitWebhook(host, { event: 'issues', action, repository, sender, payload });
}

/** GitHub also lists these events in its API. */
const listedEvents = new Set(['labeled', 'unlabeled', 'closed', 'reopened']);

function findLabelName(extra: Record<string, unknown> | undefined): string | null {
  const { label } = { ...extra } as { label?: { name: string } };
  return label?.name ?? null;
}

export function closeIssue(
  host: Host,
  repository: Repository,
  { issue, sender, reason }: { issue: Issue; sender: Account; reason: string | null },
): void {
  if (issue.state === 'closed') return;
  const now = formatTimestamp();
  host.database.update('issues', issue.id, {
    state: 'closed',
    stateReason: reason,
    closedAt: now,
    closedById: sender.id,
    updatedAt: now,
  });
  emitIssueEvent(host, repository, { issueId: issue.id, action: 'closed', sender });
}

export function reopenIssue(
  host: Host,
  repository: Repository,
  { issue, sender }: { issue: Issue; sender: Account },
): void {
  if (issue.state === 'open') return;
  const stateReason = findPullByIssue(host, issue.id) === undefined ? 'reopened' : null;
  host.database.update('issues', issue.id, {
    state: 'open',
    stateReason,
    closedAt: null,
    closedById: null,
    updatedAt: formatTimestamp(),
  });
  emitIssueEvent(host, repository, { issueId: issue.id, action: 'reopened', sender });
}

type IssueEdit = { issue: Issue; title: string | undefined; body: string | null | undefined; sender: Account };

/** Changes the title or body, and emits `edited` with the previous values. */
export function editIssueText(host: Host, repository: Repository, { issue, title, body, sender }: IssueEdit): void {
  const changes = {
    ...(title === undefined || title === issue.title ? {} : { title: { from: issue.title } }),
    ...(body === undefined || body === issue.body ? {} : { body: { from: issue.body } }),
  };
  if (Object.keys(changes).length === 0) return;
  host.database.update('issues', issue.id, {
    title: title ?? issue.title,
    body: body === undefined ? issue.body : body,
    updatedAt: formatTimestamp(),
  });
  emitIssueEvent(host, repository, { issueId: issue.id, action: 'edited', sender, extra: { changes } });
}

/** Closes the issues that a merged text references with a keyword such as "Fixes #12". */
export function closeReferencedIssues(
  host: Host,
  repository: Repository,
  { text, sender }: { text: string; sender: Account },
): void {
  for (const [, number] of text.matchAll(/\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+#(\d+)\b/gi)) {
    const issue = findIssue(host, repository.id, Number(number));
    if (issue !== undefined && findPullByIssue(host, issue.id) === undefined)
      closeIssue(host, repository, { issue, sender, reason: 'completed' });
  }
}
