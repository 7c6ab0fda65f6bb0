import { html } from 'hono/html';
import { renderPage, type ToPage } from '../http/problem-page.ts';
import { uiPaths } from '../http/ui-paths.ts';

/** Shows why a connection failed, with the way back to the step of the setup that starts another one. */
export const toConnectAgainPage: ToPage = ({ title, detail, instance }) =>
  renderPage(
    title,
    html`<h1>${title}</h1>
      <p role="alert">${detail}</p>
      <p><a href="${uiPaths.setupCodehost}">Go to the code host in the setup</a></p>
      <p>The id of this request is <code>${instance}</code>.</p>`,
  );
