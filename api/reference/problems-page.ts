import { problemKinds, problemReasons } from '../http/problem.ts';
import { escapeHtml, htmlPage, renderInline } from './html-page.ts';

/** Renders the page that the `type` of every problem links to. */
export function problemsPage(): string {
  const kinds = Object.entries(problemKinds);
  const nav = `<p><a href="../docs">← API reference</a></p><ul>${kinds.map(([code]) => `<li><a href="#${code}">${code}</a></li>`).join('')}</ul>`;
  const articles = kinds.map(
    ([code, { status, title, help }]) =>
      `<article id="${code}"><h2>${status} ${escapeHtml(title)}</h2><p>${renderInline(help)}</p>${renderReasons(code)}</article>`,
  );
  const intro =
    '<p>An error response is a problem document (RFC 9457). <code>type</code> links to a section of this page, <code>reason</code> is the machine-readable cause, <code>detail</code> describes the cause and the fix, and <code>instance</code> is the id of the request.</p>';
  return htmlPage('Problems', { nav, main: `<h1>Problems</h1>${intro}${articles.join('')}` });
}

function renderReasons(code: string): string {
  const rows = problemReasons
    .filter(([, reason]) => reason.code === code)
    .map(([reason, { help }]) => `<dt id="reason-${reason}"><code>${reason}</code></dt><dd>${renderInline(help)}</dd>`);
  return `<dl>${rows.join('')}</dl>`;
}
