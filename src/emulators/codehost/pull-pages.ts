import type { Context, Hono } from 'hono';
import { html } from 'hono/html';
import { getAccount } from './accounts.ts';
import { readFileDiffs, readPatch } from './git/diffs.ts';
import { findMergeBase } from './git/revisions.ts';
import type { Host } from './host.ts';
import { findPull, type PullRequest } from './pulls.ts';
import type { Comment, Pull, Repository, Review } from './tables.ts';

type Page = ReturnType<typeof html>;

/** GitHub hides such comments too: programs leave them in texts to find them again. */
const withoutHtmlComments = (text: string): string => text.replaceAll(/<!--[\s\S]*?-->/g, '').trim();

export const renderText = (text: string | null): Page => html`<pre>${withoutHtmlComments(text ?? '')}</pre>`;

/** Renders the comments of an issue and the reviews of its pull request, oldest first. */
export function renderConversation(host: Host, issueId: number, pull: Pull | undefined): Page {
  const comments = host.database.all<Comment>('SELECT * FROM comments WHERE issueId = ?', issueId);
  const reviews = pull ? host.database.all<Review>('SELECT * FROM reviews WHERE pullId = ?', pull.id) : [];
  const entries = [
    ...comments.map(({ authorId, body, createdAt }) => ({ authorId, body, at: createdAt, did: 'commented' })),
    ...reviews.map(({ authorId, body, state, commitSha, submittedAt: at }) => {
      return { authorId, body, at, did: `${state.toLowerCase().replace('_', ' ')} ${commitSha.slice(0, 7)}` };
    }),
  ].toSorted((one, other) => one.at.localeCompare(other.at));
  return html`${entries.map(
    ({ authorId, did, at, body }) =>
      html`<h3>${getAccount(host, authorId).login} ${did}, ${at}</h3>
        ${renderText(body)}`,
  )}`;
}

/** Renders each changed file with its hunks. */
export async function renderDiff(host: Host, repository: Repository, { pull }: PullRequest): Promise<Page> {
  const files = await readFileDiffs(host.git, host.directory(repository), await findRange(host, repository, pull));
  return html`<h2>${files.length} changed files</h2>
    ${files.map(
      ({ filename, previous_filename: from, status, additions, deletions, patch }) =>
        html`<h3>${from === undefined ? '' : `${from} → `}${filename} (${status}, +${additions} -${deletions})</h3>
          <pre>${patch ?? 'Binary file, or no change of its content.'}</pre>`,
    )}`;
}

/** Serves the `diff_url` of public pull requests. */
export function addPullDiffRoute(pages: Hono, host: Host, findPublic: (c: Context) => Repository | undefined): void {
  pages.get('/:owner/:repo/pull/:file{[0-9]+\\.diff}', async (c) => {
    const repository = findPublic(c);
    const request = repository && findPull(host, repository.id, Number.parseInt(c.req.param('file'), 10));
    if (!repository || !request) return c.text('Not Found', 404);
    const range = await findRange(host, repository, request.pull);
    return c.text(`${await readPatch(host.git, host.directory(repository), range)}\n`);
  });
}

async function findRange(host: Host, repository: Repository, { baseSha, headSha }: Pull): Promise<[string, string]> {
  const fork = await findMergeBase(host.git, host.directory(repository), [baseSha, headSha]);
  return [fork ?? baseSha, headSha];
}
