import { html } from 'hono/html';
import { Hono } from 'hono';
import type { Context } from 'hono';
import { getAccount } from './accounts.ts';
import { readTree } from './git/trees.ts';
import type { Host } from './host.ts';
import { findIssue, listIssueLabels, findPullByIssue } from './issues.ts';
import { findBranchSha, findRepository } from './repositories.ts';
import { addPullDiffRoute, renderConversation, renderDiff, renderText } from './pull-pages.ts';
import { findPull } from './pulls.ts';
import type { Issue, Repository } from './tables.ts';

/** Renders minimal pages for the `html_url` links. Private repositories are not shown. */
export function createPages(host: Host): Hono {
  const pages = new Hono();
  pages.get('/', async (c) => await sendPage(c, renderHomePage(host)));
  addPullDiffRoute(pages, host, (c) => findPublicRepository(host, c));
  pages.get('/:owner/:repo', (c) => renderPage(host, c, (repository) => renderRepositoryPage(host, repository)));
  for (const kind of ['pull', 'issues']) {
    pages.get(`/:owner/:repo/${kind}/:number{[0-9]+}`, (c) =>
      renderPage(host, c, (repository) => {
        const issue = findIssue(host, repository.id, Number(c.req.param('number')));
        return issue && renderIssuePage(host, repository, issue);
      }),
    );
  }
  pages.get('/:owner/:repo/pull/:number{[0-9]+}/files', (c) =>
    renderPage(host, c, (repository) => {
      const request = findPull(host, repository.id, Number(c.req.param('number')));
      return request && renderDiff(host, repository, request);
    }),
  );
  return pages;
}

type Page = ReturnType<typeof html>;

async function renderPage(
  host: Host,
  c: Context,
  page: (repository: Repository) => Page | Promise<Page> | undefined,
): Promise<Response> {
  const repository = findPublicRepository(host, c);
  const content = repository && (await page(repository));
  return content === undefined ? c.text('Not Found', 404) : await sendPage(c, content);
}

function findPublicRepository(host: Host, c: Context): Repository | undefined {
  const repository = findRepository(host, c.req.param('owner') ?? '', c.req.param('repo') ?? '');
  return repository?.private === 1 ? undefined : repository;
}

async function sendPage(c: Context, content: Page): Promise<Response> {
  c.header('Content-Security-Policy', "default-src 'none'");
  return c.html(await html`<!doctype html><meta charset="utf-8" /><title>${c.req.path}</title>${content}`);
}

function renderHomePage(host: Host): Page {
  const names = host.database.all<{ name: string }>(
    `SELECT login || '/' || name AS name FROM repositories JOIN accounts ON accounts.id = ownerId WHERE private = 0 ORDER BY 1`,
  );
  return html`<h1>Repositories</h1>
    <ul>
      ${names.map(({ name }) => html`<li><a href="/${name}">${name}</a></li>`)}
    </ul>`;
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

async function renderIssuePage(host: Host, repository: Repository, issue: Issue): Promise<Page> {
  const pull = findPullByIssue(host, issue.id);
  const labels = listIssueLabels(host, issue.id).map(({ name }) => name);
  return html`<p><a href="/${repository.owner}/${repository.name}">${repository.owner}/${repository.name}</a></p>
    <h1>${issue.title} #${issue.number}</h1>
    <p>
      ${describeState(host, issue)}, by ${getAccount(host, issue.authorId).login}, ${issue.createdAt}
      ${labels.join(', ')}
    </p>
    ${pull === undefined ? '' : html`<p>${pull.headRef} into ${pull.baseRef}: ${pull.commits} commits, +${pull.additions} -${pull.deletions}</p>`}
    ${renderText(issue.body)} ${renderConversation(host, issue.id, pull)}
    ${pull === undefined ? '' : await renderDiff(host, repository, { pull, issue })}`;
}

function describeState(host: Host, issue: Issue): string {
  const pull = findPullByIssue(host, issue.id);
  if (pull === undefined) return issue.state;
  if (pull.mergedAt !== null) return 'merged';
  return pull.draft === 1 ? `${issue.state}, draft` : issue.state;
}
