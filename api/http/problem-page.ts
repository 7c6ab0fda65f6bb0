import { html } from 'hono/html';
import type { Context, MiddlewareHandler } from 'hono';
import type { HtmlEscapedString } from 'hono/utils/html';
import type { ApiEnv } from '../deps.ts';
import { acceptedType } from './negotiate.ts';
import { problems, type Problem, type ProblemStatus } from './problem.ts';
import { html as htmlContent } from './views.ts';

type Html = HtmlEscapedString | Promise<HtmlEscapedString>;

/** The page of a problem for a person in a browser. */
export type ToPage = (problem: Problem, c: Context<ApiEnv>) => Html;

export const acceptsHtml = (c: Context): boolean => acceptedType(c, ['application/json', 'text/html']) === 'text/html';

/** Responds to browsers with a page instead of a problem document, with the same status and headers. */
export const problemsAsPages =
  (toPage: ToPage = toProblemPage): MiddlewareHandler<ApiEnv> =>
  async (c, next) => {
    await next();
    if (!c.error || !acceptsHtml(c)) return;
    const problem = (await c.res.clone().json()) as Problem;
    const headers = new Headers(c.res.headers);
    for (const [name, value] of Object.entries(pageHeaders)) headers.set(name, value);
    c.res = undefined;
    c.res = new Response((await toPage(problem, c)).toString(), { status: problem.status, headers });
  };

/** Declares the problem responses of a route with `problemsAsPages`. */
export function problemsOrPages<S extends ProblemStatus>(...statuses: S[]): ReturnType<typeof problems<S>> {
  const declared = Object.entries<ReturnType<typeof problems>[500]>(problems(...statuses));
  const withPages = declared.map(([status, { description, content }]) => [
    status,
    { description, content: { ...content, ...htmlContent } },
  ]);
  return Object.fromEntries(withPages) as ReturnType<typeof problems<S>>;
}

/** With `no-referrer`, browsers send the form of a page with `Origin: null`, as a page of another site could. */
export const pageHeaders = {
  'Content-Type': 'text/html; charset=UTF-8',
  'Content-Security-Policy': "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'",
  'Cache-Control': 'no-store',
  'Referrer-Policy': 'same-origin',
};

export const toProblemPage: ToPage = ({ title, detail, instance }) =>
  renderPage(
    title,
    html`<h1>${title}</h1>
      <p role="alert">${detail}</p>
      <p>The id of this request is <code>${instance}</code>.</p>`,
  );

/** Renders a self-contained page, which has no script and loads no other resource. */
export const renderPage = (title: string, main: Html): Html =>
  html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <title>${title}</title>
        <style>
          body {
            font:
              16px/1.5 system-ui,
              sans-serif;
            margin: 15vh auto;
            max-width: 20rem;
            padding: 0 1rem;
            color: #1c2333;
            overflow-wrap: anywhere;
          }
          label,
          input,
          button {
            display: block;
            width: 100%;
            box-sizing: border-box;
          }
          input,
          button {
            font: inherit;
            padding: 0.5rem;
            margin: 0.25rem 0 1rem;
          }
          p[role='alert'] {
            color: #a4161a;
          }
        </style>
      </head>
      <body>
        <main>${main}</main>
      </body>
    </html>`;
