import { html } from 'hono/html';
import { Hono } from 'hono';
import type { Context } from 'hono';
import { getAccount } from './accounts.ts';
import { readTree } from './git/trees.ts';
import type { Host } from './host.ts';
import { findIssue, listIssueLabels, findPullByIssue } from './issues.ts';
import { findBranchSha, findRepository } from './repositories.ts';
import type { Issue, Repository } from './tables.ts';

/** Renders minimal pages for the `html_url` links. Private repositories are not shown. */
export function createPages(host: Host): Hono {
  const pages = new Hono();
  pages.get('/:owner/:repo', (c) => renderPage(host, c, (repository) => renderRepositoryPage(host, repository)));
  for (const kind of ['pull', 'issues']) {
    pages.get(`/:owner/:repo/${kind}/:number{[0-9]+}`, (c) =>
      renderPage(host, c, (repository) => {
        const issue = findIssue(host, repository.id, Number(c.req.param('number')));
        return issue && renderIssuePage(host, repository, issue);
      }),
    );
  }
  return pages;
}

type Page = ReturnType<typeof html>;

async function renderPage(
  host: Host,
  c: Context,
  page: (repository: Repository) => Page | Promise<Page> | undefined,
): Promise<Response> {
  const repository = findRepository(host, c.req.param('owner') ?? '', c.req.param('repo') ?? '');
  const content = repository === undefined || repository.private === 1 ? undefined : await page(repository);
  if (content === undefined) return c.text('Not Found', 404);
  c.header('Content-Security-Policy', "default-src 'none'");
  return c.html(await html`<!doctype html><meta charset="utf-8" /><title>${c.req.path}</title>${content}`);
}

async function renderRepositoryPage(host: Host, repository: Repository): Promise<Page> {
  const home = `/${repository.owner}/${repository.name}`;
  const head = findBranchSha(host, repository.id, repository.defaultBranch);
  const entries = head === undefined ? [] : await readTree(host.git, host.directory(repository), { treeish: head });
  const issues = host.database.all<Issue>(
    'SELECT * FROM issues WHERE repositoryId = ? ORDER BY number DESC LIMIT 100',
    repository.id,
  );
  const link = (issue: Issue) =>
    html`<li>
      <a href="${home}/issues/${issue.number}">#${issue.number}</a> ${issue.title} (${describeState(host, issue)})
    </li>`;
  return html`<h1>${repository.owner}/${repository.name}</h1>
    <p>${repository.description ?? ''}</p>
    <p>${repository.defaultBranch} at ${head ?? 'no commit yet'}</p>
    <ul>
      ${entries.map(({ path, type }) => html`<li>${path}${type === 'tree' ? '/' : ''}</li>`)}
    </ul>
    <h2>Issues and pull requests</h2>
    <ul>
      ${issues.map(link)}
    </ul>`;
}

function renderIssuePage(host: Host, repository: Repository, issue: Issue): Page {
  const pull = findPullByIssue(host, issue.id);
  const labels = listIssueLabels(host, issue.id).map(({ name }) => name);
  return html`<p><a href="/${repository.owner}/${repository.name}">${repository.owner}/${repository.name}</a></p>
    <h1>${issue.title} #${issue.number}</h1>
    <p>
      ${describeState(host, issue)}, by ${getAccount(host, issue.authorId).login}, ${issue.createdAt}
      ${labels.join(', ')}
    </p>
    ${pull === undefined ? '' : html`<p>${pull.headRef} into ${pull.baseRef}: ${pull.commits} commits, +${pull.additions} -${pull.deletions}</p>`}
    <pre>${issue.body ?? ''}</pre>`;
}

function describeState(host: Host, issue: Issue): string {
  const pull = findPullByIssue(host, issue.id);
  if (pull === undefined) return issue.state;
  if (pull.mergedAt !== null) return 'merged';
  return pull.draft === 1 ? `${issue.state}, draft` : issue.state;
}
