import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { runProcess } from '../../processes/run-process.ts';
import { ensureAccount } from './accounts.ts';
import { authenticateToken, assertAccess } from './auth.ts';
import type { Caller } from './auth.ts';
import { createRepository } from './create-repository.ts';
import { HttpError } from './http-error.ts';
import type { Host } from './host.ts';
import { isOwnerName, isRepositoryName } from './names.ts';
import { runPostReceive } from './post-receive.ts';
import { listProtectedBranches } from './protection/branch-rules.ts';
import { ciHooksFolder, mayChangeCiFiles } from './protection/ci-files.ts';
import { findRepository } from './repositories.ts';
import type { Repository } from './tables.ts';

export type GitRequest = {
  owner: string;
  name: string;
  service: 'git-upload-pack' | 'git-receive-pack';
  path: string;
  query: string;
};

/** Returns undefined for a request that is not part of git's HTTP protocol. */
export function parseGitRequest({ url = '', method }: IncomingMessage): GitRequest | undefined {
  const [path = '', query = ''] = url.split('?', 2);
  const [, owner, name, action] =
    /^\/([^/]+)\/([^/]+?)(?:\.git)?\/(info\/refs|git-upload-pack|git-receive-pack)$/.exec(path) ?? [];
  if (owner === undefined || name === undefined || action === undefined) return undefined;
  const service = action === 'info/refs' ? new URLSearchParams(query).get('service') : action;
  if (service !== 'git-upload-pack' && service !== 'git-receive-pack') return undefined;
  if (method !== (action === 'info/refs' ? 'GET' : 'POST')) return undefined;
  return { owner, name, service, path: action, query };
}

/** Serves git over HTTP. A push is answered only after its post-receive work is done. */
export async function serveGit(
  host: Host,
  gitRequest: GitRequest,
  { request, response }: { request: IncomingMessage; response: ServerResponse },
): Promise<void> {
  try {
    const caller = authenticateGit(host, request.headers.authorization);
    const repository = await resolveGitRepository(host, gitRequest, caller);
    await runHttpBackend(host, { gitRequest, repository, caller, request, response });
  } catch (error) {
    // The client went away, which ended its clone.
    if (response.destroyed && gitRequest.service === 'git-upload-pack') return;
    if (!(error instanceof HttpError))
      host.log(`git ${gitRequest.owner}/${gitRequest.name}: ${error instanceof Error ? error.stack : String(error)}`);
    sendError(response, error instanceof HttpError ? error : new HttpError(500, 'Server Error'));
  }
}

function sendError(response: ServerResponse, { status, message }: HttpError): void {
  if (response.headersSent) return void response.destroy();
  const challenge = status === 401 ? { 'WWW-Authenticate': 'Basic realm="GitHub"' } : {};
  response.writeHead(status, { 'Content-Type': 'text/plain; charset=utf-8', ...challenge }).end(`${message}\n`);
}

function authenticateGit(host: Host, authorization: string | undefined): Caller {
  if (authorization === undefined) return { kind: 'anonymous' };
  const [, encoded] = /^basic +(\S+)$/i.exec(authorization) ?? [];
  const [, token] = /^[^:]*:(.*)$/.exec(Buffer.from(encoded ?? '', 'base64').toString()) ?? [];
  try {
    return authenticateToken(host, token ?? '');
  } catch {
    throw new HttpError(401, 'Invalid username or token. Password authentication is not supported for Git operations.');
  }
}

async function resolveGitRepository(
  host: Host,
  { owner, name, service }: GitRequest,
  caller: Caller,
): Promise<Repository> {
  const writes = service === 'git-receive-pack';
  const found =
    findRepository(host, owner, name) ??
    (writes && caller.kind === 'user' ? await createRepositoryOnPush(host, { owner, name, caller }) : undefined);
  // An anonymous caller may have access with a token, and the challenge makes git ask for one.
  const needsAuthentication = found === undefined || found.private === 1 || writes;
  if (caller.kind === 'anonymous' && needsAuthentication) throw new HttpError(401, 'Authentication required.');
  if (found === undefined) throw new HttpError(404, 'Repository not found.');
  assertGitAccess(caller, found, writes ? 'write' : 'read');
  return found;
}

function assertGitAccess(caller: Caller, repository: Repository, level: 'read' | 'write'): void {
  try {
    assertAccess(caller, repository, { permission: 'contents', level });
  } catch (error) {
    if (!(error instanceof HttpError)) throw error;
    if (error.status !== 403) throw new HttpError(404, 'Repository not found.');
    throw new HttpError(403, `Permission to ${repository.owner}/${repository.name}.git denied.`);
  }
}

async function createRepositoryOnPush(
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

type GitExchange = {
  gitRequest: GitRequest;
  repository: Repository;
  caller: Caller;
  request: IncomingMessage;
  response: ServerResponse;
};

/** Larger than any push or clone of a test or a demo. */
const outputBytesMax = 256 * 1024 * 1024;
const timeoutMs = 10 * 60_000;

async function runHttpBackend(host: Host, exchange: GitExchange): Promise<void> {
  const { gitRequest, repository, caller, request, response } = exchange;
  const closed = new AbortController();
  response.on('close', () => closed.abort());
  const start = {
    command: host.git.httpBackend,
    args: [],
    cwd: '/',
    env: toCgiVariables(host, exchange),
    input: await buffer(request),
    timeoutMs,
    outputBytesMax,
  };
  // A push continues without its client, because it may have moved branches already.
  const signal = gitRequest.service === 'git-upload-pack' ? closed.signal : undefined;
  const { stdout, stderr, failure } = await runProcess(start, signal);
  if (stderr.length > 0) host.log(`git ${repository.owner}/${repository.name}: ${stderr.toString().trim()}`);
  const end = stdout.indexOf('\r\n\r\n');
  if (end < 0) throw new Error(`git http-backend returned no headers: ${failure ?? 'no output'}`);
  if (gitRequest.service === 'git-receive-pack' && gitRequest.path !== 'info/refs' && 'account' in caller) {
    await host.runExclusive(repository.id, () => runPostReceive(host, repository.id, caller.account));
  }
  writeResponseHead(response, stdout.subarray(0, end).toString());
  response.end(stdout.subarray(end + 4));
}

function toCgiVariables(host: Host, { gitRequest, repository, caller, request }: GitExchange): Record<string, string> {
  const header = (name: string): string => String(request.headers[name] ?? '');
  return {
    ...host.git.env,
    GIT_PROJECT_ROOT: join(host.dataDir, 'repos'),
    GIT_HTTP_EXPORT_ALL: '1',
    PATH_INFO: `/${repository.owner}/${repository.name}.git/${gitRequest.path}`,
    REQUEST_METHOD: request.method ?? 'GET',
    QUERY_STRING: gitRequest.query,
    CONTENT_TYPE: header('content-type'),
    CONTENT_LENGTH: header('content-length'),
    HTTP_CONTENT_ENCODING: header('content-encoding'),
    GIT_PROTOCOL: header('git-protocol'),
    REMOTE_ADDR: request.socket.remoteAddress ?? '',
    // The backend accepts a push only if this variable is present.
    ...('account' in caller ? { REMOTE_USER: caller.account.login } : {}),
    ...(caller.kind === 'installation' ? restrictPush(host, repository, caller) : {}),
  };
}

/** Git refuses pushes to hidden refs, so an app cannot push to a protected branch. */
function restrictPush(host: Host, repository: Repository, caller: Caller): Record<string, string> {
  const quote = (setting: string): string => `'${setting.replaceAll("'", String.raw`'\''`)}'`;
  const hidden = listProtectedBranches(host, repository.id).map((name) => quote(`receive.hiderefs=refs/heads/${name}`));
  const hooks = mayChangeCiFiles(caller) ? [] : [quote(`core.hooksPath=${ciHooksFolder(host)}`)];
  return { GIT_CONFIG_PARAMETERS: [...hidden, ...hooks].join(' ') };
}

function writeResponseHead(response: ServerResponse, head: string): void {
  let status = 200;
  for (const line of head.split('\r\n')) {
    const [, name = '', value = ''] = /^([^:]+): *(.*)$/.exec(line) ?? [];
    if (name.toLowerCase() === 'status') status = Number.parseInt(value, 10);
    else if (name !== '') response.setHeader(name, value);
  }
  response.writeHead(status);
}
