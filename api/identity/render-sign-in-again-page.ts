import { html } from 'hono/html';
import { renderPage, type ToPage } from '../http/problem-page.ts';
import { uiPaths } from '../http/ui-paths.ts';

/** Shows why a sign-in failed, with the way back to the sign-in page. */
export const toSignInAgainPage: ToPage = ({ title, detail, instance }) =>
  renderPage(
    title,
    html`<h1>${title}</h1>
      <p role="alert">${detail}</p>
      <p><a href="${uiPaths.signIn}">Go to the sign-in page</a></p>
      <p>The id of this request is <code>${instance}</code>.</p>`,
  );
