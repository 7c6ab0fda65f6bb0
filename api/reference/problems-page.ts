import { problemKinds, problemReasons } from '../http/problem.ts';
import { escapeHtml, htmlPage } from './html-page.ts';

/** Renders the page that the `type` of every problem links to. */
export function problemsPage(): string {
  const kinds = Object.entries(problemKinds);
  const nav = `<p><a href="../docs">← API reference</a></p><ul>${kinds.map(([code]) => `<li><a href="#${code}">${code}</a></li>`).join('')}</ul>`;
  const articles = kinds.map(
    ([code, { status, title, help }]) =>
      `<article id="${code}"><h3>${status} ${escapeHtml(title)}</h3><p>${renderInline(help)}</p>${renderReasons(code)}</article>`,
  );
  const intro =
    '<p>An error response is a problem document (RFC 9457). <code>type</code> links to a section of this page, <code>reason</code> is the machine-readable cause, <code>detail</code> describes the cause and the fix, and <code>instance</code> is the id of the request.</p>';
  return htmlPage('Problems', { nav, main: `<h1>Problems</h1>${intro}${articles.join('')}` });
}

function renderReasons(code: string): string {
  const rows = problemReasons
    .filter(([, reason]) => reason.code === code)
    .map(
      ([reason, { help }]) =>
        `<tr id="reason-${reason}"><td><code>${reason}</code></td><td>${renderInline(help)}</td></tr>`,
    );
  return `<table><tr><th>Reason</th><th>Meaning</th></tr>${rows.join('')}</table>`;
}

const renderInline = (text: string): string => escapeHtml(text).replace(/`([^`]+)`/g, '<code>$1</code>');
