import type { Host } from './host.ts';

export function protectBranch({ database }: Host, repositoryId: number, name: string): void {
  database.run('INSERT OR IGNORE INTO protectedBranches (repositoryId, name) VALUES (?, ?)', repositoryId, name);
}

export function unprotectBranch({ database }: Host, repositoryId: number, name: string): void {
  database.run('DELETE FROM protectedBranches WHERE repositoryId = ? AND name = ?', repositoryId, name);
}

export const isProtected = (host: Host, repositoryId: number, name: string): boolean =>
  listProtectedBranches(host, repositoryId).includes(name);

export const listProtectedBranches = ({ database }: Host, repositoryId: number): string[] =>
  database
    .all<{ name: string }>('SELECT name FROM protectedBranches WHERE repositoryId = ? ORDER BY name', repositoryId)
    .map(({ name }) => name);
