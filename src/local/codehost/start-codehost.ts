import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { ensureAccount } from './accounts.ts';
import { createRepository, folderCommit } from './create-repository.ts';
import { openDatabase } from './database.ts';
import { createLocks } from './exclusively.ts';
import { findGit } from './git/git.ts';
import { gitRequest, serveGit } from './git-http.ts';
import type { Host } from './host.ts';
import { repositoryDirectory } from './host.ts';
import { isLoopback } from './loopback.ts';
import { createManifestForm } from './manifest-form.ts';
import { isOwnerName, isRepositoryName } from './names.ts';
import { createPages } from './pages.ts';
import { recover } from './recover.ts';
import { createRest } from './rest/create-rest.ts';
import { readUserToken } from './user-token.ts';

export type CodehostOptions = {
  /** Holds everything: the bare repositories, the database, the owner's token. One process at a time. */
  dataDir: string;
  /** 0 for any that is free. */
  port: number;
  host?: '127.0.0.1';
  log?: (line: string) => void;
};

export type Codehost = {
  url: string;
  /** The base of the REST API; GraphQL is beside it at `/api/graphql`. */
  apiUrl: string;
  /** A personal access token of the machine's owner, kept in `<dataDir>/token`. */
  userToken: string;
  /** Makes the owner and the repository with one commit of that folder on `main`, unless the repository is there. */
  seedRepository(fullName: string, sourceDir: string): Promise<void>;
  close(): Promise<void>;
};

/** A code host on this machine: REST API, git over HTTP, apps and signed webhooks. */
export async function startCodehost({ dataDir, port, host: address = '127.0.0.1', log = () => {} }: CodehostOptions): Promise<Codehost> {
  await mkdir(join(dataDir, 'repos'), { recursive: true });
  const git = await findGit(dataDir);
  const userToken = await readUserToken(dataDir);
  const server = createServer();
  const url = await listen(server, { port, address });
  const closing = new AbortController();
  const background = new Set<Promise<void>>();

  const database = openDatabase(join(dataDir, 'codehost.sqlite'));
  const host: Host = {
    url,
    apiUrl: `${url}/api/v3`,
    graphqlUrl: `${url}/api/graphql`,
    dataDir,
    database,
    git,
    owner: ensureAccount({ database }, 'owner', 'User'),
    userToken,
    directory: (repository) => repositoryDirectory(dataDir, repository),
    exclusively: createLocks(),
    inBackground: (work) => {
      const task = work.then(
        () => {},
        (error: unknown) => log(String(error)),
      );
      background.add(task);
      void task.then(() => background.delete(task));
    },
    closing: closing.signal,
    log,
  };
  await recover(host);
  server.on('request', createListener(host));

  return {
    url,
    apiUrl: host.apiUrl,
    userToken,
    seedRepository: (fullName, sourceDir) => seed(host, fullName, sourceDir),
    close: async () => {
      closing.abort();
      server.close();
      server.closeAllConnections();
      while (background.size > 0) await Promise.all(background);
      database.close();
    },
  };
}

async function listen(server: Server, { port, address }: { port: number; address: string }): Promise<string> {
  server.listen(port, address);
  try {
    await once(server, 'listening');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new Error(`Port ${port} of ${address} is in use: the code host needs it. Stop the program that listens there, or choose another port.`, { cause: error });
  }
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('the code host has no port');
  return `http://localhost:${bound.port}`;
}

function createListener(host: Host): (request: IncomingMessage, response: ServerResponse) => void {
  const web = new Hono();
  web.route('/api', createRest(host));
  web.route('/', createManifestForm(host));
  web.route('/', createPages(host));
  const answer = getRequestListener(web.fetch, { overrideGlobalObjects: false });
  return (request, response) => {
    // A foreign name for this address is a web page's trick to read what is here.
    if (!isLoopback(`http://${request.headers.host ?? ''}`)) return void response.writeHead(421).end();
    const asked = gitRequest(request);
    if (asked === undefined) void answer(request, response);
    else void serveGit(host, asked, { request, response });
  };
}

async function seed(host: Host, fullName: string, sourceDir: string): Promise<void> {
  const [owner = '', name = '', ...more] = fullName.split('/');
  if (!isOwnerName(owner) || !isRepositoryName(name) || more.length > 0) throw new Error(`"${fullName}" is not the name of a repository: it has the form owner/name.`);
  const account = ensureAccount(host, owner, 'Organization');
  await createRepository(host, {
    owner: account,
    name,
    private: false,
    description: null,
    sender: host.owner,
    firstCommit: folderCommit(host, { sourceDir, author: host.owner }),
  });
}
