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
import { inTurn } from '../../in-turn.ts';
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
export async function startCodehost({
  dataDir,
  port,
  host: address = '127.0.0.1',
  log = () => {},
}: CodehostOptions): Promise<Codehost> {
  await mkdir(join(dataDir, 'repos'), { recursive: true });
  const git = await findGit(dataDir);
  const userToken = await readUserToken(dataDir);
  const database = openDatabase(join(dataDir, 'codehost.sqlite'));
  const closing = new AbortController();
  const tasks = createBackground(log);
  const server = createServer();
  const close = async (): Promise<void> => {
    closing.abort();
    server.close();
    server.closeIdleConnections();
    // Requests at work may end; one that hangs may not keep the process.
    const impatience = setTimeout(() => server.closeAllConnections(), 1000);
    await tasks.ended();
    clearTimeout(impatience);
    server.closeAllConnections();
    database.close();
  };
  try {
    // Who comes before the recovery is over waits for its end.
    const recovered = Promise.withResolvers<Listener>();
    server.on('request', (request, response) => void recovered.promise.then((answer) => answer(request, response)));
    const url = await listen(server, { port, address });
    const owner = ensureAccount({ database }, 'owner', 'User');
    const host: Host = {
      url,
      apiUrl: `${url}/api/v3`,
      dataDir,
      database,
      git,
      owner,
      userToken,
      log,
      directory: (repository) => repositoryDirectory(dataDir, repository),
      exclusively: inTurn(),
      inBackground: tasks.add,
      closing: closing.signal,
    };
    await recover(host);
    recovered.resolve(createListener(host));
    return {
      url,
      apiUrl: host.apiUrl,
      userToken,
      seedRepository: (fullName, sourceDir) => seed(host, fullName, sourceDir),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function createBackground(log: (line: string) => void) {
  const running = new Set<Promise<void>>();
  return {
    add: (work: Promise<unknown>): void => {
      const task = work.then(
        () => {},
        (error: unknown) => log(error instanceof Error ? (error.stack ?? error.message) : String(error)),
      );
      running.add(task);
      void task.then(() => running.delete(task));
    },
    ended: async (): Promise<void> => {
      while (running.size > 0) await Promise.all(running);
    },
  };
}

type Listener = (request: IncomingMessage, response: ServerResponse) => void;

async function listen(server: Server, { port, address }: { port: number; address: string }): Promise<string> {
  server.listen(port, address);
  try {
    await once(server, 'listening');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error;
    throw new Error(
      `Port ${port} of ${address} is in use: the code host needs it. Stop the program that listens there, or choose another port.`,
      { cause: error },
    );
  }
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('the code host has no port');
  return `http://localhost:${bound.port}`;
}

function createListener(host: Host): Listener {
  const web = new Hono();
  web.route('/api', createRest(host));
  web.route('/', createManifestForm(host));
  web.route('/', createPages(host));
  const answer = getRequestListener(web.fetch, { overrideGlobalObjects: false });
  return (request, response) => {
    // A foreign name for this address is a web page's trick to read what is here.
    if (!isLoopback(`http://${request.headers.host ?? ''}`)) return void response.writeHead(421).end();
    const asked = gitRequest(request);
    host.inBackground(asked === undefined ? answer(request, response) : serveGit(host, asked, { request, response }));
  };
}

async function seed(host: Host, fullName: string, sourceDir: string): Promise<void> {
  const [owner = '', name = '', ...more] = fullName.split('/');
  if (!isOwnerName(owner) || !isRepositoryName(name) || more.length > 0)
    throw new Error(`"${fullName}" is not the name of a repository: it has the form owner/name.`);
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
