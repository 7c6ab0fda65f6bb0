import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { getRequestListener } from '@hono/node-server';
import { Hono } from 'hono';
import { ensureAccount } from './accounts.ts';
import { type AppKeys, createAppKeys } from './app-keys.ts';
import { createRepository } from './create-repository.ts';
import { openDatabase } from './database.ts';
import { keyedQueue } from '../../keyed-queue.ts';
import { findGit } from './git/git.ts';
import { parseGitRequest, serveGit } from './git-http.ts';
import type { Host } from './host.ts';
import { toRepositoryDirectory } from './host.ts';
import { commitFolder } from './initial-commits.ts';
import { isLoopback } from './is-loopback.ts';
import { createManifestForm } from './create-manifest-form.ts';
import { isOwnerName, isRepositoryName } from './names.ts';
import { createPages } from './create-pages.ts';
import { registerOAuthApp } from './oauth/clients.ts';
import { createOAuthPages } from './oauth/create-oauth-pages.ts';
import { revokeGrants } from './oauth/tokens.ts';
import { type Person, savePerson } from './people.ts';
import { writeCiHook } from './protection/ci-files.ts';
import { recover } from './recover.ts';
import { createRestApi } from './rest/create-rest-api.ts';
import { ensureUserToken } from './ensure-user-token.ts';

export type CodehostOptions = {
  /** Contains the bare repositories, the database and the owner's token. Only one process may use it. */
  dataDir: string;
  /** 0 selects a free port. */
  port: number;
  host?: '127.0.0.1';
  log?: (line: string) => void;
  /** Creates the key pair of a new app. */
  createAppKeys?: () => Promise<AppKeys>;
};

/** The owner of the machine signs in to programs with the token as the password. */
const ownerEmail = { email: 'owner@codehost.test', primary: true, verified: true };

type SeedOptions = { isPrivate?: boolean };

export type Codehost = {
  url: string;
  /** The base URL of the REST API. The URL of GraphQL ends in `/api/graphql`. */
  apiUrl: string;
  /** A personal access token of the machine's owner, stored in `<dataDir>/token`. */
  userToken: string;
  /** Creates the owner and the repository with one commit of the folder on `main`. An existing repository stays as it is. */
  seedRepository(fullName: string, sourceDir: string, options?: SeedOptions): Promise<void>;
  /** Saves a person who can sign in, with their addresses and memberships, in place of the ones before. */
  savePerson(person: Person): void;
  /** Registers a program that people sign in to with their account. */
  registerOAuthApp(app: { name: string; callbackUrl: string }): { clientId: string; clientSecret: string };
  /** Ends the access of all programs to the account of a person. */
  revokeGrants(login: string): void;
  close(): Promise<void>;
};

/** Starts a code host with GitHub's REST API, git over HTTP, apps and signed webhooks. */
export async function startCodehost({
  dataDir,
  port,
  host: address = '127.0.0.1',
  log = () => {},
  createAppKeys: createKeys = createAppKeys,
}: CodehostOptions): Promise<Codehost> {
  await mkdir(join(dataDir, 'repos'), { recursive: true });
  const git = await findGit(dataDir);
  const userToken = await ensureUserToken(dataDir);
  const database = openDatabase(join(dataDir, 'codehost.sqlite'));
  const closing = new AbortController();
  const tasks = createTaskTracker(log);
  const server = createServer();
  const close = async (): Promise<void> => {
    closing.abort();
    server.close();
    server.closeIdleConnections();
    // Requests in progress may finish, but a hanging one must not block the shutdown.
    const forceCloseTimer = setTimeout(() => server.closeAllConnections(), 1000);
    await tasks.ended();
    clearTimeout(forceCloseTimer);
    server.closeAllConnections();
    database.close();
  };
  try {
    // Requests that arrive during the recovery wait for its end.
    const recovered = Promise.withResolvers<Listener>();
    server.on('request', (request, response) => void recovered.promise.then((listener) => listener(request, response)));
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
      createAppKeys: createKeys,
      directory: (repository) => toRepositoryDirectory(dataDir, repository),
      runExclusive: keyedQueue(),
      runInBackground: tasks.add,
      closing: closing.signal,
    };
    savePerson(host, { login: owner.login, password: userToken, emails: [ownerEmail] });
    await writeCiHook(host);
    await recover(host);
    recovered.resolve(createListener(host));
    return {
      url,
      apiUrl: host.apiUrl,
      userToken,
      savePerson: (person) => void savePerson(host, person),
      revokeGrants: (login) => revokeGrants(host, ensureAccount(host, login, 'User')),
      registerOAuthApp: (app) => registerOAuthApp(host, app),
      seedRepository: (fullName, sourceDir, options) => seedRepository(host, { fullName, sourceDir, ...options }),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

function createTaskTracker(log: (line: string) => void) {
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
  if (bound === null || typeof bound === 'string') throw new Error('The code host has no port.');
  return `http://localhost:${bound.port}`;
}

function createListener(host: Host): Listener {
  const web = new Hono();
  web.route('/api', createRestApi(host));
  web.route('/', createManifestForm(host));
  web.route('/', createOAuthPages(host));
  web.route('/', createPages(host));
  const listener = getRequestListener(web.fetch, { overrideGlobalObjects: false });
  return (request, response) => {
    // Rejecting foreign host names prevents DNS rebinding by web pages.
    if (!isLoopback(`http://${request.headers.host ?? ''}`)) return void response.writeHead(421).end();
    const gitRequest = parseGitRequest(request);
    host.runInBackground(
      gitRequest === undefined ? listener(request, response) : serveGit(host, gitRequest, { request, response }),
    );
  };
}

async function seedRepository(
  host: Host,
  { fullName, sourceDir, isPrivate = false }: SeedOptions & { fullName: string; sourceDir: string },
): Promise<void> {
  const [owner = '', name = '', ...more] = fullName.split('/');
  if (!isOwnerName(owner) || !isRepositoryName(name) || more.length > 0)
    throw new Error(`"${fullName}" is not a repository name. Use the form owner/name.`);
  const account = ensureAccount(host, owner, 'Organization');
  await createRepository(host, {
    owner: account,
    name,
    private: isPrivate,
    description: null,
    sender: host.owner,
    firstCommit: commitFolder(host, { sourceDir, author: host.owner }),
  });
}
