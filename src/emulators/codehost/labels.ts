import type { Host } from './host.ts';
import { emitIssueEvent } from './issue-state.ts';
import { listIssueLabels, toLabelJson } from './issues.ts';
import type { Account, Label, Repository } from './tables.ts';
import { formatTimestamp } from './format-timestamp.ts';

export const findLabel = ({ database }: Host, repositoryId: number, name: string): Label | undefined =>
  database.get<Label>('SELECT * FROM labels WHERE repositoryId = ? AND name = ?', repositoryId, name);

/** Adding an unknown label to an issue creates it, in the grey that GitHub uses. */
function ensureLabel(host: Host, repositoryId: number, name: string): Label {
  const found = findLabel(host, repositoryId, name);
  if (found !== undefined) return found;
  const id = host.database.insert('labels', { repositoryId, name, color: 'ededed', description: null });
  return { id, repositoryId, name, color: 'ededed', description: null };
}

export type LabelChange = { issueId: number; names: string[]; sender: Account };

/** Emits one `labeled` event for each label that the issue did not have. */
export function addLabels(host: Host, repository: Repository, { issueId, names, sender }: LabelChange): void {
  for (const label of attachLabels(host, repository, { issueId, names })) {
    emitIssueEvent(host, repository, {
      issueId,
      action: 'labeled',
      sender,
      extra: { label: toLabelJson(host, repository, label) },
    });
  }
}

/** Attaches the labels without events, and returns those that are new on the issue. */
export function attachLabels(
  host: Host,
  repository: Repository,
  { issueId, names }: Omit<LabelChange, 'sender'>,
): Label[] {
  return names
    .map((name) => ensureLabel(host, repository.id, name))
    .filter((label) => attachLabel(host, issueId, label));
}

function attachLabel({ database }: Host, issueId: number, label: Label): boolean {
  if (database.get('SELECT id FROM issueLabels WHERE issueId = ? AND labelId = ?', issueId, label.id) !== undefined)
    return false;
  database.insert('issueLabels', { issueId, labelId: label.id });
  database.update('issues', issueId, { updatedAt: formatTimestamp() });
  return true;
}

export function removeLabels(host: Host, repository: Repository, { issueId, names, sender }: LabelChange): void {
  const wanted = new Set(names.map((name) => name.toLowerCase()));
  for (const label of listIssueLabels(host, issueId).filter(({ name }) => wanted.has(name.toLowerCase()))) {
    host.database.run('DELETE FROM issueLabels WHERE issueId = ? AND labelId = ?', issueId, label.id);
    host.database.update('issues', issueId, { updatedAt: formatTimestamp() });
    emitIssueEvent(host, repository, {
      issueId,
      action: 'unlabeled',
      sender,
      extra: { label: toLabelJson(host, repository, label) },
    });
  }
}

export function replaceLabels(host: Host, repository: Repository, { issueId, names, sender }: LabelChange): void {
  const retained = new Set(names.map((name) => name.toLowerCase()));
  const removed = listIssueLabels(host, issueId)
    .map(({ name }) => name)
    .filter((name) => !retained.has(name.toLowerCase()));
  removeLabels(host, repository, { issueId, names: removed, sender });
  addLabels(host, repository, { issueId, names, sender });
}
