import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import type { Platform } from '../platform/start-platform.ts';

const runCommand = promisify(execFile);
const org = 'acme';

/** The default issue of the demo. */
export const sampleIssue =
  'Greet visitors by name\n\nhttp://…/?name=Ada should greet with "Hello, Ada". Without a name it stays "Hello, world".';

export type DemoInput = { org: string; product: string; repo: string; issue: { title: string; body: string } };

/** Returns the sample Product, or pushes the given repository to the embedded code host. */
export async function prepareDemoInput(
  platform: Platform,
  { repo, issue }: { repo: string | undefined; issue: string },
): Promise<DemoInput> {
  const text = await parseIssueText(issue);
  if (repo === undefined) return { org, product: 'hello', repo: `${org}/hello`, issue: text };
  const product = toProductName(repo);
  await pushToCodehost(platform, { repo, fullName: `${org}/${product}` });
  return { org, product, repo: `${org}/${product}`, issue: text };
}

async function parseIssueText(issue: string): Promise<DemoInput['issue']> {
  const isFile = await stat(issue).then(
    (found) => found.isFile(),
    () => false,
  );
  const [title = '', ...body] = (isFile ? await readFile(issue, 'utf8') : issue).trim().split('\n');
  return { title: title.replace(/^#+\s*/, '').slice(0, 200), body: body.join('\n').trim() };
}

function toProductName(repo: string): string {
  const name = basename(repo.replace(/\/+$/, ''), '.git')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+|-+$/g, '');
  return name.slice(0, 30).replace(/-+$/, '') || 'app';
}

/** Pushes the default branch as `main`. A repository that the code host already has stays unchanged. */
async function pushToCodehost(
  platform: Platform,
  { repo, fullName }: { repo: string; fullName: string },
): Promise<void> {
  const target = `${platform.codehostUrl}/${fullName}.git`;
  const authorization = `Basic ${Buffer.from(`owner:${platform.codehostToken}`).toString('base64')}`;
  const env = {
    ...process.env,
    GIT_TERMINAL_PROMPT: '0',
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: `http.${platform.codehostUrl}/.extraHeader`,
    GIT_CONFIG_VALUE_0: `Authorization: ${authorization}`,
  };
  const exists = await runCommand('git', ['ls-remote', '--exit-code', target, 'refs/heads/main'], { env }).then(
    () => true,
    () => false,
  );
  if (exists) return;
  const folder = await mkdtemp(join(tmpdir(), 'demo-repo-'));
  try {
    const isLocal = await stat(repo).then(
      () => true,
      () => false,
    );
    await runCommand('git', ['clone', '--quiet', '--bare', '--', isLocal ? resolve(repo) : repo, folder], { env });
    await runCommand('git', ['-C', folder, 'push', '--quiet', target, 'HEAD:refs/heads/main'], { env });
  } catch (error) {
    throw new Error(
      `The repository ${repo} could not be pushed to the code host: ${(error as Error).message.split('\n').slice(0, 3).join(' ')}`,
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
