import { spawn } from 'node:child_process';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { ensureAccount } from './accounts.ts';
import { callerOfToken, mustReach } from './callers.ts';
import type { Caller } from './callers.ts';
import { createRepository } from './create-repository.ts';
import { Failure } from './failure.ts';
import type { Host } from './host.ts';
import { isOwnerName, isRepositoryName } from './names.ts';
import { noteRefChanges } from './note-ref-changes.ts';
import { findRepository } from './repositories.ts';
import type { Repository } from './rows.ts';

export type GitRequest = {
  owner: string;
  name: string;
  service: 'git-upload-pack' | 'git-receive-pack';
  path: string;
  query: string;
};

/** What a request of git's HTTP protocol asks for; undefined for every other request. */
export function gitRequest({ url = '', method }: IncomingMessage): GitRequest | undefined {
  const [path = '', query = ''] = url.split('?', 2);
  const [, owner, name, action] =
    /^\/([^/]+)\/([^/]+?)(?:\.git)?\/(info\/refs|git-upload-pack|git-receive-pack)$/.exec(path) ?? [];
  if (owner === undefined || name === undefined || action === undefined) return undefined;
  const service = action === 'info/refs' ? new URLSearchParams(query).get('service') : action;
  if (service !== 'git-upload-pack' && service !== 'git-receive-pack') return undefined;
  if (method !== (action === 'info/refs' ? 'GET' : 'POST')) return undefined;
  return { owner, name, service, path: action, query };
}

/** Speaks git over HTTP: finds who may, lets git do the rest, and answers a push when everything has followed from it. */
export async function serveGit(
  host: Host,
  asked: GitRequest,
  { request, response }: { request: IncomingMessage; response: ServerResponse },
): Promise<void> {
  try {
    const caller = gitCaller(host, request.headers.authorization);
    const repository = await gitRepository(host, asked, caller);
    await runBackend(host, { asked, repository, caller, request, response });
  } catch (error) {
    if (!(error instanceof Failure))
      host.log(`git ${asked.owner}/${asked.name}: ${error instanceof Error ? error.stack : String(error)}`);
    refuse(response, error instanceof Failure ? error : new Failure(500, 'Server Error'));
  }
}

function refuse(response: ServerResponse, { status, message }: Failure): void {
  if (response.headersSent) return void response.destroy();
  const challenge = status === 401 ? { 'WWW-Authenticate': 'Basic realm="GitHub"' } : {};
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8', ...challenge }).end(`${message}\n`);
}

function gitCaller(host: Host, authorization: string | undefined): Caller {
  if (authorization === undefined) return { kind: 'anonymous' };
  const [, encoded] = /^basic +(\S+)$/i.exec(authorization) ?? [];
  const [, token] = /^[^:]*:(.*)$/.exec(Buffer.from(encoded ?? '', 'base64').toString()) ?? [];
  try {
    return callerOfToken(host, token ?? '');
  } catch {
    throw new Failure(401, 'Invalid username or token. Password authentication is not supported for Git operations.');
  }
}

async function gitRepository(host: Host, { owner, name, service }: GitRequest, caller: Caller): Promise<Repository> {
  const writes = service === 'git-receive-pack';
  const found =
    findRepository(host, owner, name) ??
    (writes && caller.kind === 'user' ? await createByPush(host, { owner, name, caller }) : undefined);
  // Whoever has not said who he is may still be allowed to see it: the challenge makes git ask for a token.
  const challenged = found === undefined || found.private === 1 || writes;
  if (caller.kind === 'anonymous' && challenged) throw new Failure(401, 'Authentication required.');
  if (found === undefined) throw new Failure(404, 'Repository not found.');
  mustReachByGit(caller, found, writes ? 'write' : 'read');
  return found;
}

function mustReachByGit(caller: Caller, repository: Repository, level: 'read' | 'write'): void {
  try {
    mustReach(caller, repository, { permission: 'contents', level });
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    if (error.status !== 403) throw new Failure(404, 'Repository not found.');
    throw new Failure(403, `Permission to ${repository.owner}/${repository.name}.git denied.`);
  }
}

async function createByPush(
  host: Host,
  { owner, name, caller }: { owner: string; name: string; caller: Extract<Caller, { kind: 'user' }> },
): Promise<Repository | undefined> {
  if (!isOwnerName(owner) || !isRepositoryName(name)) return undefined;
  const account = ensureAccount(host, owner, 'Organization');
  const created = await createRepository(host, {
    owner: account,
    name,
    private: false,
    description: null,
    sender: caller.account,
  });
  return created ?? findRepository(host, owner, name);
}

type Exchange = {
  asked: GitRequest;
  repository: Repository;
  caller: Caller;
  request: IncomingMessage;
  response: ServerResponse;
};

async function runBackend(host: Host, exchange: Exchange): Promise<void> {
  const { asked, repository, caller, request, response } = exchange;
  const child = spawn(host.git.httpBackend, [], { env: cgiVariables(host, exchange), stdio: 'pipe' });
  response.on('close', () => {
    if (!response.writableEnded) child.kill();
  });
  // Either side may hang up before it was told everything: the other one's end says how it went.
  child.stdin.on('error', () => {});
  request.pipe(child.stdin);
  child.stderr.on('data', (text: Buffer) =>
    host.log(`git ${repository.owner}/${repository.name}: ${text.toString().trim()}`),
  );
  await forward(child, response);
  if (asked.service === 'git-receive-pack' && asked.path !== 'info/refs' && 'account' in caller) {
    await host.exclusively(repository.id, () => noteRefChanges(host, repository.id, caller.account));
  }
  response.end();
}

function cgiVariables(host: Host, { asked, repository, caller, request }: Exchange): Record<string, string> {
  const header = (name: string): string => String(request.headers[name] ?? '');
  return {
    ...host.git.env,
    GIT_PROJECT_ROOT: join(host.dataDir, 'repos'),
    GIT_HTTP_EXPORT_ALL: '1',
    PATH_INFO: `/${repository.owner}/${repository.name}.git/${asked.path}`,
    REQUEST_METHOD: request.method ?? 'GET',
    QUERY_STRING: asked.query,
    CONTENT_TYPE: header('content-type'),
    CONTENT_LENGTH: header('content-length'),
    HTTP_CONTENT_ENCODING: header('content-encoding'),
    GIT_PROTOCOL: header('git-protocol'),
    REMOTE_ADDR: request.socket.remoteAddress ?? '',
    // Its presence is what lets the backend receive a push.
    ...('account' in caller ? { REMOTE_USER: caller.account.login } : {}),
  };
}

/** Hands on the backend's answer but for its end, which the caller writes; over when the backend is. */
function forward(child: ChildProcessWithoutNullStreams, response: ServerResponse): Promise<void> {
  return new Promise((resolve, reject) => {
    let head: Buffer | undefined = Buffer.alloc(0);
    child.on('error', reject);
    child.on('close', () => (head === undefined ? resolve() : reject(new Error('git http-backend said nothing'))));
    response.on('drain', () => child.stdout.resume());
    child.stdout.on('data', (chunk: Buffer) => {
      let body = chunk;
      if (head !== undefined) {
        head = Buffer.concat([head, chunk]);
        const end = head.indexOf('\r\n\r\n');
        if (end < 0) return;
        writeHead(response, head.subarray(0, end).toString());
        body = head.subarray(end + 4);
        head = undefined;
      }
      if (!response.write(body)) child.stdout.pause();
    });
  });
}

function writeHead(response: ServerResponse, head: string): void {
  let status = 200;
  for (const line of head.split('\r\n')) {
    const [, name = '', value = ''] = /^([^:]+): *(.*)$/.exec(line) ?? [];
    if (name.toLowerCase() === 'status') status = Number.parseInt(value, 10);
    else if (name !== '') response.setHeader(name, value);
  }
  response.writeHead(status);
}
