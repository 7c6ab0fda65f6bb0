import { createServer } from 'node:http';
import { Probot, createNodeMiddleware } from 'probot';

/** The baseline: the framework of most GitHub apps, with an empty handler. */
const [secret = '', port = ''] = process.argv.slice(2);
const probot = new Probot({ githubToken: 'none', secret, logLevel: 'fatal' });
const webhooksPath = '/api/v1/webhooks/codehost';
const middleware = await createNodeMiddleware(
  (app) => {
    app.on(['issues.opened', 'issues.labeled'], () => {});
  },
  { probot, webhooksPath },
);
createServer((request, response) => {
  void middleware(request, response, () => response.writeHead(404).end());
}).listen(Number(port), '127.0.0.1', () => process.stdout.write('ready\n'));
