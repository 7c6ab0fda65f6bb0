import { html } from 'hono/html';
import { renderPage, toProblemPage, type ToPage } from '../http/problem-page.ts';

/** Renders the form, which the browser posts to the URL of the page. */
export const renderSignInPage = ({ zone, error }: { zone: string; error?: string }) =>
  renderPage(
    `Sign in to open ${zone}`,
    html`<h1>${zone}</h1>
      <p>Only people with access to its Product can open this zone.</p>
      ${error === undefined ? '' : html`<p role="alert">${error}</p>`}
      <form method="post">
        <label>E-mail <input name="email" type="email" autocomplete="username" required autofocus /></label>
        <label>Password <input name="password" type="password" autocomplete="current-password" required /></label>
        <button>Sign in</button>
      </form>`,
  );

/** The form follows a problem that another attempt can solve; the path of the sign-in names the zone. */
export const toSignInProblemPage: ToPage = (problem, c) =>
  [401, 403, 429, 503].includes(problem.status)
    ? renderSignInPage({ zone: c.req.query('zone') ?? '', error: problem.detail })
    : toProblemPage(problem, c);

/** On the host of the zone there is no form, only the zone itself. */
export const toTicketProblemPage: ToPage = ({ title, detail }) =>
  renderPage(
    title,
    html`<h1>${title}</h1>
      <p role="alert">${detail}</p>
      <p><a href="/">Open the zone again</a></p>`,
  );
