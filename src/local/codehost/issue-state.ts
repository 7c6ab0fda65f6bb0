import type { Host } from './host.ts';
import { findIssue, issueById, issueShape, pullOfIssue } from './issues.ts';
import { announcePull } from './pull-events.ts';
import type { Account, Issue, Repository } from './rows.ts';
import { hostTime } from './times.ts';
import { announce } from './webhooks.ts';

export type IssueEvent = { issueId: number; action: string; sender: Account; extra?: Record<string, unknown> };

/** Tells of an issue, or of the pull request that it is. */
export function announceIssue(
  host: Host,
  repository: Repository,
  { issueId, action, sender, extra }: IssueEvent,
): void {
  if (remembered.has(action))
    host.database.insert('issueEvents', {
      issueId,
      event: action,
      actorId: sender.id,
      label: labelIn(extra),
      createdAt: hostTime(),
    });
  const pull = pullOfIssue(host, issueId);
  if (pull !== undefined)
    return announcePull(host, repository, {
      pullId: pull.id,
      action,
      sender,
      ...(extra === undefined ? {} : { extra }),
    });
  const payload = { issue: issueShape(host, repository, issueById(host, issueId)), ...extra };
  announce(host, { event: 'issues', action, repository, sender, payload });
}

/** The events that the real host also lists, as far as they happen here. */
const remembered = new Set(['labeled', 'unlabeled', 'closed', 'reopened']);

function labelIn(extra: Record<string, unknown> | undefined): string | null {
  const { label } = { ...extra } as { label?: { name: string } };
  return label?.name ?? null;
}

export function closeIssue(
  host: Host,
  repository: Repository,
  { issue, sender, reason }: { issue: Issue; sender: Account; reason: string | null },
): void {
  if (issue.state === 'closed') return;
  const now = hostTime();
  host.database.update('issues', issue.id, {
    state: 'closed',
    stateReason: reason,
    closedAt: now,
    closedById: sender.id,
    updatedAt: now,
  });
  announceIssue(host, repository, { issueId: issue.id, action: 'closed', sender });
}

export function reopenIssue(
  host: Host,
  repository: Repository,
  { issue, sender }: { issue: Issue; sender: Account },
): void {
  if (issue.state === 'open') return;
  const stateReason = pullOfIssue(host, issue.id) === undefined ? 'reopened' : null;
  host.database.update('issues', issue.id, {
    state: 'open',
    stateReason,
    closedAt: null,
    closedById: null,
    updatedAt: hostTime(),
  });
  announceIssue(host, repository, { issueId: issue.id, action: 'reopened', sender });
}

type Edit = { issue: Issue; title: string | undefined; body: string | null | undefined; sender: Account };

/** A new title or body, told as `edited` with what it was before. */
export function editWords(host: Host, repository: Repository, { issue, title, body, sender }: Edit): void {
  const changes = {
    ...(title === undefined || title === issue.title ? {} : { title: { from: issue.title } }),
    ...(body === undefined || body === issue.body ? {} : { body: { from: issue.body } }),
  };
  if (Object.keys(changes).length === 0) return;
  host.database.update('issues', issue.id, {
    title: title ?? issue.title,
    body: body === undefined ? issue.body : body,
    updatedAt: hostTime(),
  });
  announceIssue(host, repository, { issueId: issue.id, action: 'edited', sender, extra: { changes } });
}

/** Closes the issues that a merged text names, as in "Fixes #12". */
export function closeMentioned(
  host: Host,
  repository: Repository,
  { text, sender }: { text: string; sender: Account },
): void {
  for (const [, number] of text.matchAll(/\b(?:close[sd]?|fix(?:e[sd])?|resolve[sd]?):?\s+#(\d+)\b/gi)) {
    const issue = findIssue(host, repository.id, Number(number));
    if (issue !== undefined && pullOfIssue(host, issue.id) === undefined)
      closeIssue(host, repository, { issue, sender, reason: 'completed' });
  }
}
