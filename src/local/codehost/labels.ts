import type { Host } from './host.ts';
import { announceIssue } from './issue-state.ts';
import { labelsOf, labelShape } from './issues.ts';
import type { Account, Label, Repository } from './rows.ts';
import { hostTime } from './times.ts';

export const findLabel = ({ database }: Host, repositoryId: number, name: string): Label | undefined =>
  database.one<Label>('SELECT * FROM labels WHERE repositoryId = ? AND name = ?', repositoryId, name);

/** A label that an issue is given comes into being with the real host's grey. */
function ensureLabel(host: Host, repositoryId: number, name: string): Label {
  const found = findLabel(host, repositoryId, name);
  if (found !== undefined) return found;
  const id = host.database.insert('labels', { repositoryId, name, color: 'ededed', description: null });
  return { id, repositoryId, name, color: 'ededed', description: null };
}

export type Labelling = { issueId: number; names: string[]; sender: Account };

/** One `labeled` event for each label that is new on the issue. */
export function addLabels(host: Host, repository: Repository, { issueId, names, sender }: Labelling): void {
  for (const label of attachLabels(host, repository, { issueId, names })) {
    announceIssue(host, repository, {
      issueId,
      action: 'labeled',
      sender,
      extra: { label: labelShape(host, repository, label) },
    });
  }
}

/** Makes the labels exist and puts them on, telling nobody. */
export function attachLabels(
  host: Host,
  repository: Repository,
  { issueId, names }: Omit<Labelling, 'sender'>,
): Label[] {
  return names.map((name) => ensureLabel(host, repository.id, name)).filter((label) => attach(host, issueId, label));
}

function attach({ database }: Host, issueId: number, label: Label): boolean {
  if (database.one('SELECT id FROM issueLabels WHERE issueId = ? AND labelId = ?', issueId, label.id) !== undefined)
    return false;
  database.insert('issueLabels', { issueId, labelId: label.id });
  database.update('issues', issueId, { updatedAt: hostTime() });
  return true;
}

export function removeLabels(host: Host, repository: Repository, { issueId, names, sender }: Labelling): void {
  const wanted = new Set(names.map((name) => name.toLowerCase()));
  for (const label of labelsOf(host, issueId).filter(({ name }) => wanted.has(name.toLowerCase()))) {
    host.database.run('DELETE FROM issueLabels WHERE issueId = ? AND labelId = ?', issueId, label.id);
    host.database.update('issues', issueId, { updatedAt: hostTime() });
    announceIssue(host, repository, {
      issueId,
      action: 'unlabeled',
      sender,
      extra: { label: labelShape(host, repository, label) },
    });
  }
}

export function replaceLabels(host: Host, repository: Repository, { issueId, names, sender }: Labelling): void {
  const kept = new Set(names.map((name) => name.toLowerCase()));
  const gone = labelsOf(host, issueId)
    .map(({ name }) => name)
    .filter((name) => !kept.has(name.toLowerCase()));
  removeLabels(host, repository, { issueId, names: gone, sender });
  addLabels(host, repository, { issueId, names, sender });
}
