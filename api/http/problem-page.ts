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
          :root {
            color-scheme: light dark;
            --text: light-dark(#1f1b20, #efecf0);
            --accent: light-dark(#7d2459, #e6a2c9);
          }
          body {
            font:
              14px/20px system-ui,
              sans-serif;
            margin: 14vh auto;
            max-width: 400px;
            padding: 0 16px;
            background: light-dark(#fdfcfa, #161417);
            color: var(--text);
            overflow-wrap: anywhere;
          }
          h1 {
            font-size: 22px;
            line-height: 28px;
          }
          a {
            color: var(--accent);
            text-underline-offset: 3px;
          }
          :focus-visible {
            outline: 2px solid var(--accent);
            outline-offset: 2px;
          }
          label,
          input,
          button {
            display: block;
            width: 100%;
            box-sizing: border-box;
          }
          label {
            font-weight: 500;
          }
          input,
          button {
            font: inherit;
            min-height: 32px;
            padding: 5px 10px;
            margin: 4px 0 16px;
            border: 1px solid light-dark(#8c857f, #78707f);
            border-radius: 5px;
            background: light-dark(#ffffff, #1d1a1f);
            color: var(--text);
          }
          button {
            width: auto;
            border-color: transparent;
            background: light-dark(#7d2459, #a8427f);
            color: #ffffff;
            cursor: pointer;
          }
          p[role='alert'] {
            color: light-dark(#ae241d, #ff968c);
          }
        </style>
      </head>
      <body>
        <main>${main}</main>
      </body>
    </html>`;
