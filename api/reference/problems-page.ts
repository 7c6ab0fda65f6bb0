import { problemKinds } from '../problem.ts';
import { escape, page } from './page.ts';

/** Where the `type` of every problem leads. */
export function problemsPage(): string {
  const kinds = Object.entries(problemKinds);
  const nav = `<p><a href="../docs">← The API</a></p><ul>${kinds.map(([code]) => `<li><a href="#${code}">${code}</a></li>`).join('')}</ul>`;
  const articles = kinds.map(
    ([code, { status, title, help }]) =>
      `<article id="${code}"><h3>${status} ${escape(title)}</h3><p>${escape(help).replace(/`([^`]+)`/g, '<code>$1</code>')}</p></article>`,
  );
  const intro =
    '<p>A refusal is a problem document (RFC 9457): <code>detail</code> says what failed, on which resource and how to fix it; <code>instance</code> is the request’s id.</p>';
  return page('Problems', { nav, main: `<h1>Problems</h1>${intro}${articles.join('')}` });
}
